"""`manage.py mcp_doctor`: the real server is found right; whatever is wrong with another gets its sentence."""

import re
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from agent.models import AgentStep, PersonalToken
from tests.mcp.broken import GOOD, HTML, ISSUER, META, Broken, Said, broken, tool
from tests.mcp.conftest import token_of
from tests.serving import ROOT, Site, environment, free_port

PAGE = Said(200, "<!doctype html><title>Welcome</title>", HTML)


def told(address: str, *, token: str = "", seconds: float = 10.0) -> tuple[str, bool]:
    """What the doctor says, and whether it found everything right."""
    said = StringIO()
    try:
        call_command("mcp_doctor", address, token=token, seconds=seconds, stdout=said)
    except CommandError as error:
        return f"{said.getvalue()}\n{error}", False
    return said.getvalue(), True


def kinds(said: str) -> list[str]:
    return re.findall(r"^(right|wrong|open)\b", said, re.MULTILINE)


@pytest.mark.django_db(transaction=True)
class TestRealServer:
    def test_with_a_token_everything_is_right(self, served: Site, alice: User, order: Any) -> None:
        said, is_right = told(f"{served.url}/mcp", token=token_of(alice, "read"))
        assert (is_right, set(kinds(said))) == (True, {"right"}), said
        assert re.search(r"list_\w+ answered in \d+ ms", said)
        assert AgentStep.objects.get().outcome == "ok"

    def test_without_a_token_it_says_what_was_not_looked_at(self, served: Site) -> None:
        said, is_right = told(f"{served.url}/mcp")
        assert (is_right, kinds(said)[-1], "there is no token" in said) == (True, "open", True)

    def test_expired_and_revoked_tokens_are_named(self, served: Site, alice: User) -> None:
        for change in ({"expires_at": timezone.now()}, {"revoked_at": timezone.now()}):
            token = token_of(alice)
            PersonalToken.objects.update(**change)
            said, is_right = told(f"{served.url}/mcp", token=token)
            assert (is_right, "The token is refused (status 401)." in said) == (False, True)

    def test_other_address_than_the_public_one_is_named(self, served: Site) -> None:
        said, is_right = told(f"http://localhost:{served.port}/mcp")
        assert not is_right
        assert f"Give programs the address {served.url}/mcp" in said

    def test_page_of_the_shop_is_no_server(self, served: Site) -> None:
        said, is_right = told(f"{served.url}/accounts/login/")
        assert (is_right, "a web page" in said) == (False, True)
        assert "the server is at /mcp, without a slash behind" in said

    def test_command_ends_with_one_and_prints_no_token(self, served: Site, alice: User) -> None:
        own = environment(PORT=str(served.port), MCP_TOKEN="csgn_nobodys")
        command = [sys.executable, "manage.py", "mcp_doctor"]
        ran = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, timeout=60)
        assert (ran.returncode, ran.stderr.strip()) == (1, "CommandError: 1 of 7 is wrong.")
        assert "The token is refused" in ran.stdout
        assert "csgn_nobodys" not in ran.stdout + ran.stderr

    def test_default_is_the_public_address(self, served: Site) -> None:
        own = environment(PORT=str(served.port))
        command = [sys.executable, "manage.py", "mcp_doctor"]
        ran = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, timeout=60)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout.startswith(f"Looking at {served.url}/mcp\n")


def changed(name: str, **changes: Any) -> Callable[[Broken], dict[str, Any]]:
    return lambda server: {name: Said(200, server.document(name, **changes))}


def answering(name: str, said: Any) -> Callable[[Broken], dict[str, Any]]:
    return lambda server: {name: said}


def to_holder(said: Said) -> Callable[[Broken], dict[str, Any]]:
    """The answer to a good token alone."""
    return lambda server: {
        "tools/list": lambda token: said if GOOD in token else server.turned_away('error="invalid_token", ')
    }


def result(**content: Any) -> Said:
    return Said(200, {"jsonrpc": "2.0", "id": 1, "result": content})


REFUSAL = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "Internal error, reference 7F3K"}}
FAULTS: dict[str, tuple[Callable[[Broken], dict[str, Any]], str]] = {
    "500": (answering("every", Said(500, "")), "broke: it answered with status 500"),
    "500 as a page": (answering("every", Said(502, "<html>", HTML)), "broke: it answered with a web page (status 502)"),
    "503": (answering("every", Said(503, {"error": "Switched off."})), "serves nobody for now (status 503)"),
    "html": (answering("every", PAGE), "answered with a web page (status 200), not with JSON"),
    "404": (answering("every", Said(404, "{}")), "is not there (status 404)"),
    "421": (answering("every", Said(421, "{}")), "is not served under this host"),
    "429": (answering("every", Said(429, "{}", {"Retry-After": "17"})), "Try again in 17 seconds."),
    "redirect": (answering("every", Said(308, "", {"Location": "https://x.example/"})), "sends on to https://x.example/"),
    "no json": (answering("every", Said(200, "hello")), "answered with status 200: hello"),
    "open to all": (answering("tools/list", result(tools=[])), "The server answers without a token."),
    "bare 401": (answering("tools/list", Said(401, {})), "does not say where its metadata is"),
    "basic": (answering("tools/list", Said(401, {}, {"WWW-Authenticate": "Basic x"})), "not say where its metadata"),
    "401 without error": (lambda server: {"tools/list": server.turned_away()}, "but not as invalid_token"),
    "bad token lets in": (
        lambda server: {"tools/list": lambda token: result(tools=[]) if token else server.turned_away()},
        "is not answered with 401",
    ),
    "metadata 404": (answering(META, Said(404, "{}")), "The metadata of the server cannot be read."),
    "metadata html": (answering(META, PAGE), "The metadata of the server cannot be read."),
    "metadata no object": (answering(META, Said(200, "[1]")), "is not a JSON object"),
    "metadata elsewhere": (
        lambda server: {"tools/list": Said(401, {}, {"WWW-Authenticate": 'Bearer resource_metadata="ftp://x"'})},
        "which is no address",
    ),
    "foreign resource": (changed(META, resource="https://other.example/mcp"), "speaks of https://other.example/mcp"),
    "token in address": (changed(META, bearer_methods_supported=["header", "query"]), "elsewhere than in the header"),
    "no issuer": (changed(META, authorization_servers=[]), "names no authorization server"),
    "issuer without TLS": (changed(META, authorization_servers=["http://x.example"]), "has no address with TLS"),
    "issuer 500": (answering(ISSUER, Said(500, "")), "cannot be read."),
    "other issuer": (changed(ISSUER, issuer="https://x.example"), "is of another issuer, https://x.example"),
    "no PKCE": (changed(ISSUER, code_challenge_methods_supported=["plain"]), "does not offer PKCE with S256"),
    "no code": (changed(ISSUER, response_types_supported=["token"]), "does not offer the response type code"),
    "no token endpoint": (changed(ISSUER, token_endpoint=""), "token_endpoint is no address with TLS: none"),
    "plain endpoint": (changed(ISSUER, authorization_endpoint="http://x.example/a"), "is no address with TLS: http://x."),
    "token refused": (answering("server/discover", Said(401, {})), "The token is refused (status 401)."),
    "scope": (
        answering("server/discover", Said(403, {}, {"WWW-Authenticate": 'Bearer scope="read"'})),
        "lacks a scope (read)",
    ),
    "nothing listed": (to_holder(result(tools=[])), "no tool is listed for it"),
    "no schema": (to_holder(result(tools=[tool("look", inputSchema=None)])), "schema of their arguments: look"),
    "list breaks": (to_holder(Said(200, REFUSAL)), "is answered with an error: Internal error, reference 7F3K"),
    "list is html": (to_holder(PAGE), "The list of tools cannot be read."),
    "read refused": (
        answering("tools/call", result(isError=True, content=[{"type": "text", "text": "switched off"}])),
        "look refused the call: switched off",
    ),
    "read breaks": (answering("tools/call", Said(500, "")), "The call of look cannot be read."),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_gets_its_sentence(fault: str) -> None:
    changes, sentence = FAULTS[fault]
    with broken({}) as server:
        server.answers = changes(server)
        said, is_right = told(f"{server.url}/mcp", token=GOOD)
    assert (is_right, sentence in said) == (False, True), said
    assert GOOD not in said


def test_right_server_of_another_make_is_found_right() -> None:
    with broken({}) as server:
        said, is_right = told(f"{server.url}/mcp", token=GOOD)
    assert (is_right, set(kinds(said))) == (True, {"right"}), said


def test_older_server_is_asked_as_it_can_be() -> None:
    unknown = Said(200, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}})
    answers = {"server/discover": unknown, "initialize": result(protocolVersion="2025-11-25")}
    with broken(answers) as server:
        said, is_right = told(f"{server.url}/mcp", token=GOOD)
    assert (is_right, "no newer revision than 2025-11-25" in said) == (True, True), said


def test_listed_programs_alone_is_a_choice_and_no_fault() -> None:
    with broken({}) as server:
        server.answers = changed(ISSUER, registration_endpoint=None)(server)
        said, is_right = told(f"{server.url}/mcp", token=GOOD)
    assert (is_right, "No program can make itself known" in said) == (True, True)


def test_silence_is_told_and_ends() -> None:
    never = threading.Event()
    with broken({"every": Said(200, "{}", wait=never)}) as server:
        said, is_right = told(f"{server.url}/mcp", seconds=0.2)
        never.set()
    assert (is_right, "did not answer within 0.2 seconds" in said) == (False, True)


def test_answer_without_an_end_is_told() -> None:
    with broken({"every": Said(200, b"x" * 2_000_000)}) as server:
        said, is_right = told(f"{server.url}/mcp")
    assert (is_right, "has no end" in said) == (False, True)


def test_nobody_there_is_told() -> None:
    said, is_right = told(f"http://127.0.0.1:{free_port()}/mcp")
    assert (is_right, "Nobody answers at 127.0.0.1:" in said) == (False, True)


@pytest.mark.parametrize("address", ["shop.example.com", "ftp://x/mcp", "http://", "http://[::1/mcp", "http://x:0/"])
def test_no_address_is_told(address: str) -> None:
    said, is_right = told(address)
    assert (is_right, "is not an address of a server" in said) == (False, True)


def test_address_without_tls_is_never_asked() -> None:
    said, is_right = told("http://shop.example.com/mcp", token=GOOD)
    assert (is_right, "The address has no TLS" in said, "Nothing was sent." in said) == (False, True, True)


def test_server_without_tls_behind_an_address_with_it() -> None:
    with broken({}) as server:
        said, is_right = told(server.url.replace("http:", "https:") + "/mcp", token=GOOD)
    assert (is_right, "does not speak TLS" in said, server.seen) == (False, True, [])


def test_certificate_of_nobody_is_told_and_no_token_sent(certificate: ssl.SSLContext) -> None:
    with broken({}, tls=certificate) as server:
        said, is_right = told(f"{server.url}/mcp", token=GOOD)
    assert (is_right, "is not to be believed" in said, server.seen) == (False, True, [])


def test_token_goes_to_the_address_alone_and_is_never_shown() -> None:
    echo = Said(418, f"You sent {GOOD}")
    with broken({}) as server:
        server.answers = to_holder(echo)(server)
        said, _ = told(f"{server.url}/mcp", token=GOOD)
    holders = {name for name, headers in server.seen if GOOD in str(headers)}
    assert holders == {"server/discover", "tools/list"}
    assert (GOOD in said, "You sent (the token)" in said) == (False, True)


def test_what_a_server_says_cannot_write_to_the_terminal() -> None:
    with broken({"every": Said(400, "\x1b[2J\x07 cleared\r\nright  All is well")}) as server:
        said, _ = told(f"{server.url}/mcp")
    assert ("\x1b" in said, "\x07" in said, "\nright  All is well" in said) == (False, False, False)


@pytest.fixture
def certificate(tmp_path: Path) -> ssl.SSLContext:
    """One that only its own maker believes."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now).not_valid_after(now + timedelta(days=1)).sign(key, hashes.SHA256())
    )  # fmt: skip
    file = tmp_path / "both.pem"
    plain = serialization.NoEncryption(), serialization.PrivateFormat.PKCS8
    pem = serialization.Encoding.PEM
    file.write_bytes(key.private_bytes(pem, plain[1], plain[0]) + made.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context
