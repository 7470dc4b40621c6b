"""A page of an allowed host, fetched as a stranger would: once, by its checked address, with nobody's credentials."""

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from httpcore2 import HTTPConnection, NetworkError, Origin, ProtocolError, Response, TimeoutException

from agent.errors import PageNotRead
from agent.untrusted.addresses import Address, check_characters, read_address
from agent.untrusted.connecting import TOO_MUCH, TOO_SLOW, Internet, Pinned, Watch, public_addresses
from agent.untrusted.decoding import MAX_BYTES, decode
from agent.untrusted.strip import page_title, visible_text

SECONDS = 8.0
MAX_REDIRECTS = 3
_MOVED = {301, 302, 303, 307, 308}
_PAGES, _JSON = ("text/html", "text/plain"), ("application/json",)
_HEADERS = (
    ("User-Agent", "Countersign (assistant of the shop's customer service)"),
    ("Accept-Encoding", "identity"),
    ("Connection", "close"),
)
_BINARY = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")  # as a browser tells a picture from a text


@dataclass(frozen=True)
class Page:
    """What a person would see of a page. Not fenced: it is cached, and each use has a fence of its own."""

    url: str  # where it was found
    title: str
    text: str


@dataclass(frozen=True)
class _Answer:
    location: str | None  # where the page has moved to
    body: bytes = b""
    content_type: str = ""


def fetch(url: str, *, hosts: Iterable[str], through: Internet | None = None, seconds: float = SECONDS) -> Page:
    """The page at the address, if its host and that of every redirect is one of `hosts`. Waits at most `seconds`.

    Raises PageNotRead, whose text says why; whatever the other side does ends in one of the two.
    """
    hosts, through, watch = tuple(hosts), through or Internet(), Watch(seconds)
    asked = address = read_address(url, hosts=hosts)
    for _ in range(MAX_REDIRECTS + 1):
        answer = _asked(address, kinds=_PAGES, through=through, watch=watch)
        if answer.location is None:
            # The words of a query that somebody else wrote are cited nowhere.
            return _page(answer, url=address.url if address == asked else address.without_query)
        check_characters(answer.location)
        address = read_address(urljoin(address.url, answer.location), hosts=hosts)
    raise PageNotRead("the page moves on and on")


def fetch_json(url: str, *, seconds: float = SECONDS) -> str:
    """The JSON at an address of any public host, as text; a redirect is refused. For addresses that are an identity.

    Raises PageNotRead, as `fetch` does.
    """
    check_characters(url)
    name = (urlsplit(url).netloc if url.startswith("https://") else "").partition(":")[0]
    answer = _asked(read_address(url, hosts=[name]), kinds=_JSON, through=Internet(), watch=Watch(seconds))
    if answer.location is not None:
        raise PageNotRead("it has moved, and is read only where it is said to be")
    return answer.body.decode("utf-8", errors="replace")


def _asked(address: Address, *, kinds: tuple[str, ...], through: Internet, watch: Watch) -> _Answer:
    """One request to the host of the address, which is looked up for it alone."""
    places = public_addresses(address.host, look_up=through.look_up, watch=watch)
    backend = Pinned(places, backend=through.backend, watch=watch)
    origin = Origin(b"https", address.host.encode("ascii"), 443)
    try:
        with (
            HTTPConnection(origin, ssl_context=through.tls, network_backend=backend) as connection,
            connection.stream("GET", address.url, headers=(*_HEADERS, ("Accept", ", ".join(kinds)))) as response,
        ):
            return _received(response, kinds=kinds, watch=watch)
    except TimeoutException:
        raise PageNotRead(TOO_SLOW) from None
    except (NetworkError, ProtocolError):
        raise PageNotRead(f"{address.host} gave no proper answer") from None


def _received(response: Response, *, kinds: tuple[str, ...], watch: Watch) -> _Answer:
    if response.status in _MOVED:
        return _Answer(location=_header(response, "location"))
    if response.status != 200:
        raise PageNotRead(f"there is no such page (status {response.status})")
    content_type = _header(response, "content-type")
    if content_type.partition(";")[0].strip().lower() not in kinds:
        raise PageNotRead("it is no page of text")
    return _Answer(location=None, body=_body(response, watch=watch), content_type=content_type)


def _header(response: Response, name: str) -> str:
    """The header's one value, empty where it is missing. Two of them would be two answers."""
    values = [value for key, value in response.headers if key.lower() == name.encode("ascii")]
    if len(values) > 1:
        raise PageNotRead(f"the answer has {len(values)} headers {name}")
    return values[0].decode("latin-1") if values else ""


def _body(response: Response, *, watch: Watch) -> bytes:
    """The bytes, unpacked. A page that was cut might lack the style sheet that hides part of it: it is refused."""
    encoding = _header(response, "content-encoding").strip().lower()
    if encoding not in ("", "identity", "gzip"):
        raise PageNotRead("the answer is packed, although it was asked for as it is")
    unpacker = zlib.decompressobj(wbits=31) if encoding == "gzip" else None
    body = bytearray()
    try:
        for piece in response.iter_stream():
            watch.left()
            body += unpacker.decompress(piece, MAX_BYTES + 1 - len(body)) if unpacker else piece
            if len(body) > MAX_BYTES:
                raise PageNotRead(TOO_MUCH)
    except zlib.error:
        raise PageNotRead("the answer cannot be unpacked") from None
    if unpacker and not unpacker.eof:
        raise PageNotRead("the answer cannot be unpacked")
    return bytes(body)


def _page(answer: _Answer, *, url: str) -> Page:
    text = decode(answer.body, answer.content_type)
    if _BINARY.search(text):
        raise PageNotRead("it is no page of text")
    if answer.content_type.partition(";")[0].strip().lower() == "text/plain":
        return Page(url, "", text)
    return Page(url, page_title(text), visible_text(text))
