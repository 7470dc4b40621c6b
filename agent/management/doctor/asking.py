"""The doctor's HTTP: one request, one answer, and every way in which none comes said in a sentence."""

import json
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Self
from urllib.parse import urlsplit

import httpx2

from agent.management.doctor.findings import Finding, Stop, right, wrong
from agent.untrusted import clean_text

MODERN, LEGACY = "2026-07-28", "2025-11-25"
META = "io.modelcontextprotocol"
MOST = 1024 * 1024  # bytes of an answer
HERE = "Correct the address: the server is at /mcp, without a slash behind."
QUOTED = 160  # characters of what a server says
LOCAL = ("127.0.0.1", "::1", "localhost")


class NoAnswer(Exception):
    """Nothing came that could be read."""

    def __init__(self, said: str, advice: str) -> None:
        super().__init__(said)
        self.said, self.advice = said, advice


@dataclass(frozen=True)
class Answer:
    """What came. `data` is the JSON object of the body, None where it is none."""

    address: str
    status: int
    headers: Mapping[str, str]
    text: str
    milliseconds: int

    @property
    def data(self) -> dict[str, Any] | None:
        try:
            parsed = json.loads(self.text)
        except (ValueError, RecursionError):
            return None
        return parsed if isinstance(parsed, dict) else None

    @property
    def is_html(self) -> bool:
        return "html" in self.headers.get("content-type", "") or self.text.lstrip()[:9].lower().startswith("<!doctype")

    def kind(self) -> str:
        """The answer in three words, for a sentence."""
        if self.is_html:
            return f"a web page (status {self.status})"
        return f"status {self.status}"


class Asker:
    """Asks one server. Follows no redirect, uses no proxy of the environment, and waits `seconds` at most for each."""

    def __init__(self, address: str, *, token: str, seconds: float) -> None:
        self.address, self.token, self.seconds = address, token, seconds
        self._http = httpx2.Client(follow_redirects=False, timeout=seconds, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def check_address(self) -> Iterator[Finding]:
        """Nothing is sent to an address that others can listen to, or that is none."""
        if not is_address(self.address):
            advice = "Give the whole address of the server, such as https://shop.example.com/mcp."
            raise Stop(wrong(f"{quoted(self.address)} is not an address of a server.", advice))
        if not is_private(self.address):
            advice = "Put a proxy with TLS in front, set PUBLIC_URL to the https address, and give that one here."
            raise Stop(
                wrong("The address has no TLS: anybody on the way could read a token. Nothing was sent.", advice)
            )
        yield right(
            "The address has TLS." if self.address.startswith("https:") else "The address is this machine's own."
        )

    def get(self, address: str) -> Answer:
        """A document, asked for without the token."""
        return self._sent("GET", address, headers={"Accept": "application/json"})

    def call(self, method: str, *, token: str = "", revision: str = MODERN, **params: Any) -> Answer:
        """A request of the protocol to the server. Only here a token is ever sent."""
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": revision}
        if revision == MODERN:
            headers["Mcp-Method"] = method
            headers |= {"Mcp-Name": params["name"]} if "name" in params else {}
            info = {"name": "mcp_doctor", "version": "1"}
            about = {"protocolVersion": MODERN, "clientCapabilities": {}, "clientInfo": info}
            params["_meta"] = {f"{META}/{key}": value for key, value in about.items()}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self._sent("POST", self.address, headers=headers, json=body)

    def _sent(self, verb: str, address: str, **options: Any) -> Answer:
        began = time.monotonic()
        try:
            with self._http.stream(verb, address, **options) as response:
                return self._read(response, began=began)
        except httpx2.TimeoutException:
            said = f"{quoted(address)} did not answer within {self.seconds:g} seconds."
            raise NoAnswer(said, "See whether the process is at work and what its log says; then try again.") from None
        except httpx2.ConnectError as error:
            raise _not_reached(address, error) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError):
            said = f"What {quoted(address)} answered is no HTTP, or broke off."
            raise NoAnswer(said, "See what listens there, and whether a proxy ends the connection.") from None

    def _read(self, response: httpx2.Response, *, began: float) -> Answer:
        body = bytearray()
        for part in response.iter_bytes():
            body += part
            if len(body) > MOST or time.monotonic() - began > self.seconds:
                said = f"The answer of {quoted(str(response.url))} has no end: {len(body)} bytes so far."
                raise NoAnswer(said, "See whether this is the address of the server and not of a stream or a file.")
        headers = {name.lower(): value for name, value in response.headers.items()}
        spent = round((time.monotonic() - began) * 1000)
        return Answer(str(response.url), response.status_code, headers, body.decode("utf-8", errors="replace"), spent)


def _not_reached(address: str, error: httpx2.ConnectError) -> NoAnswer:
    """A certificate that is not believed, a server without TLS, or nobody at all."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    where = quoted(urlsplit(address).netloc)
    if isinstance(cause, ssl.SSLCertVerificationError):
        said = f"The certificate of {where} is not to be believed: {cause.verify_message}."
        return NoAnswer(said, "Install one that names this host, with its chain, from an authority that programs know.")
    if cause is not None:
        return NoAnswer(f"{where} does not speak TLS.", "Put a proxy with TLS in front, or correct the port.")
    said = f"Nobody answers at {where}."
    return NoAnswer(said, "See whether the process is at work, whether host and port are right, and what lies between.")


def is_address(address: str) -> bool:
    """Whether it can be asked at all."""
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_private(address: str) -> bool:
    """Whether nobody on the way can listen: by TLS, or because there is no way."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.hostname or "") in LOCAL


def quoted(text: object) -> str:
    """What a server says, fit for a terminal."""
    return clean_text(str(text), QUOTED).replace("\n", " ")


def unexpected(answer: Answer) -> tuple[str, str]:
    """An answer that no MCP server should give, and what to do about it: the same at every step."""
    name, status = quoted(answer.address), answer.status
    if 300 <= status < 400:
        to = quoted(answer.headers.get("location", "nowhere"))
        return f"{name} sends on to {to}, and programs do not follow.", "Give programs the address that answers itself."
    if status == HTTPStatus.SERVICE_UNAVAILABLE and not answer.is_html:
        advice = "See the switch agent.programs in the admin, and whether the site is being looked after."
        return f"{name} serves nobody for now (status 503): {quoted(answer.text)}", advice
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        advice = "Look into the log of the web process, and of the proxy before it."
        return f"{name} broke: it answered with {answer.kind()}.", advice
    if answer.is_html:
        advice = f"A proxy or another page stands in its place. {HERE} Else let the proxy pass it on."
        return f"{name} answered with {answer.kind()}, not with JSON.", advice
    if status == HTTPStatus.NOT_FOUND:
        return f"{name} is not there (status 404).", HERE
    if status == HTTPStatus.MISDIRECTED_REQUEST:
        advice = "Add the host to ALLOWED_HOSTS, and have the proxy pass on the host that it was asked for."
        return f"{name} is not served under this host (status 421).", advice
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        wait = quoted(answer.headers.get("retry-after", "60"))
        return f"{name} has had too many requests (status 429).", f"Try again in {wait} seconds."
    return f"{name} answered with {answer.kind()}: {quoted(answer.text)}", "See whether this is an MCP server."
