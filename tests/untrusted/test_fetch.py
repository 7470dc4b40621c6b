"""What a page's server may do, played by a real one over TLS: the answer is a page, or a reason in words, in time."""

import gzip
import itertools
import queue
import ssl
import time
import zlib
from collections.abc import Iterator

import pytest

from agent.errors import PageNotRead
from agent.untrusted.connecting import Internet
from agent.untrusted.decoding import MAX_BYTES
from agent.untrusted.fetch import SECONDS, Page, fetch
from tests.untrusted import tls_server
from tests.untrusted.test_addresses import LINES
from tests.untrusted.tls_server import PUBLIC, PageServer, Reply, make_context, moved

URL = "https://shop.example/help"
HOSTS = ["shop.example", "help.shop.example"]
HTML = {"Content-Type": "text/html"}


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as running:
        running.pages["/help"] = Reply(b"<title>Help</title><p>Hello.<p hidden>SECRET")
        yield running


def read(server: PageServer, url: str = URL, *, seconds: float = SECONDS) -> Page:
    return fetch(url, hosts=HOSTS, through=server.internet(), seconds=seconds)


def test_page_is_read_as_a_person_sees_it(server: PageServer) -> None:
    page = read(server)
    assert (page.url, page.title, page.text.strip()) == (URL, "Help", "Hello.")
    assert server.connected == [f"{PUBLIC}:443"]


def test_request_tells_nothing_of_anybody(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """SECURITY 29: no cookies, no credentials; a proxy of the environment and a .netrc are not asked."""
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.pages["/help"].headers = {**HTML, "Set-Cookie": "session=secret; Path=/"}
    for _ in range(2):
        read(server)
    lines = [line.partition(":")[0].lower() for line in server.requests[1].split("\r\n")[1:] if line]
    assert sorted(lines) == ["accept", "accept-encoding", "connection", "host", "user-agent"]
    assert "Host: shop.example\r\n" in server.requests[1]
    assert server.requests[0] == server.requests[1]


# Where a name leads -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answers",
    [["127.0.0.1"], ["::1"], [PUBLIC, "127.0.0.1"], [PUBLIC, "::1"], ["10.0.0.1", PUBLIC], [PUBLIC, "169.254.169.254"],
     [PUBLIC, "::ffff:7f00:1"], ["64:ff9b::7f00:1"], [PUBLIC, "fe80::1%eth0"], [PUBLIC, ""], []],
)  # fmt: skip
def test_name_with_one_address_inside_is_not_connected_to(server: PageServer, answers: list[str]) -> None:
    """SECURITY 30: A and AAAA mixed."""
    with pytest.raises(PageNotRead):
        fetch(URL, hosts=HOSTS, through=server.internet(answers))
    assert (server.connected, server.requests) == ([], [])


def test_name_that_changes_after_the_check_is_not_looked_up_again(server: PageServer) -> None:
    """SECURITY 30: a resolver that answers with a public address once, and with the loopback from then on."""
    fetch(URL, hosts=HOSTS, through=server.internet([PUBLIC], ["127.0.0.1"]))
    assert server.connected == [f"{PUBLIC}:443"]


def test_name_that_changes_between_a_page_and_its_redirect_is_refused(server: PageServer) -> None:
    """SECURITY 30: each redirect is looked up and checked anew, also on the same host."""
    server.pages["/help"] = moved("/inside")
    with pytest.raises(PageNotRead, match="public internet"):
        fetch(URL, hosts=HOSTS, through=server.internet([PUBLIC], ["127.0.0.1"]))
    assert server.connected == [f"{PUBLIC}:443"]


def test_next_address_is_tried_where_one_is_dead(server: PageServer) -> None:
    server.dead = {"2606:2800:220::1"}
    page = fetch(URL, hosts=HOSTS, through=server.internet(["2606:2800:220::1", PUBLIC]))
    assert page.title == "Help"
    assert server.connected == ["2606:2800:220::1:443", f"{PUBLIC}:443"]


def test_host_that_is_not_there_is_told_in_words(server: PageServer) -> None:
    def unknown(host: str) -> list[str]:
        raise OSError(f"no address for {host}")

    with pytest.raises(PageNotRead, match=r"^shop\.example was not found$"):
        fetch(URL, hosts=HOSTS, through=server.internet(look_up=unknown))
    server.dead = {PUBLIC}
    with pytest.raises(PageNotRead, match=r"^shop\.example gave no proper answer$"):
        read(server)


def test_lookup_that_hangs_ends_with_the_time(server: PageServer) -> None:
    """SECURITY 31."""
    forever: queue.Queue[list[str]] = queue.Queue()
    with pytest.raises(PageNotRead, match="in time"):
        fetch(URL, hosts=HOSTS, through=server.internet(look_up=lambda _: forever.get(timeout=5)), seconds=0.2)


# Certificates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["for another name", "of an authority that nobody knows"])
def test_certificate_is_checked(server: PageServer, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SECURITY 29: for the name in the address, although an IP address is connected to."""
    signer = tls_server.authority(is_known=False) if case.startswith("of") else tls_server.authority()
    names = ("shop.example",) if case.startswith("of") else ("evil.example",)
    context = make_context(signer, names=names)
    monkeypatch.setattr(tls_server, "server_context", lambda: context)
    with pytest.raises(PageNotRead, match="no proper answer"):
        read(server)
    assert server.requests == []


def test_what_runs_in_production_checks_certificates() -> None:
    """SECURITY 29: by default nothing is turned round."""
    internet = Internet()
    assert (internet.tls.verify_mode, internet.tls.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert internet.look_up("localhost")[0] in ("127.0.0.1", "::1")
    with pytest.raises(PageNotRead):
        fetch("https://localhost/", hosts=["localhost"])


# Redirects ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_to_an_allowed_host_is_followed(server: PageServer, status: int) -> None:
    server.pages["/old"] = moved("https://help.shop.example/help?from=old#top", status=status)
    server.pages["/help?from=old"] = server.pages["/help"]
    page = read(server, "https://shop.example/old")
    assert page.url == "https://help.shop.example/help"
    assert "Host: help.shop.example\r\n" in server.requests[1]


HOSTILE_PLACES = [
    "http://169.254.169.254/latest/", "file:///etc/passwd", "http://[::1]/", "https://[::1]/", "https://127.0.0.1/",
    "//evil.example/", "https://evil.example/", "https:evil.example", "http://shop.example/help", "/\\evil.example/",
    "https://shop.example@evil.example/", "https://shop.example:22/", "https://shop.example\\@evil.example/",
    "ht\ttps://evil.example/", "//2130706433/", "gopher://shop.example/", "javascript:alert(1)", "https://localhost/",
    "https://shop.example/ x", "https://shop.example.evil.example/", "", "https://xn--/", "https://ⓔvil.example/",
]  # fmt: skip


@pytest.mark.parametrize("place", HOSTILE_PLACES)
def test_redirect_elsewhere_is_not_followed(server: PageServer, place: str) -> None:
    """SECURITY 29: every redirect is checked like the first address."""
    to = place.encode("utf-8").decode("latin-1")
    server.pages["/help"] = moved(to)
    with pytest.raises(PageNotRead):
        read(server)
    assert {line.split("\r\n")[1] for line in server.requests} == {"Host: shop.example"}


def test_redirects_end_after_three(server: PageServer) -> None:
    """SECURITY 31: a loop."""
    server.pages["/loop"] = moved("/loop")
    with pytest.raises(PageNotRead, match="moves on"):
        read(server, "https://shop.example/loop")
    assert len(server.requests) == 4


def test_three_redirects_are_followed(server: PageServer) -> None:
    for number in range(3):
        server.pages[f"/{number}"] = moved(f"/{number + 1}" if number < 2 else "/help")
    assert read(server, "https://shop.example/0").title == "Help"


def test_refresh_of_a_page_is_not_followed(server: PageServer) -> None:
    """SECURITY 29: nothing in the page or its other headers makes a second request."""
    server.pages["/help"] = Reply(
        b'<meta http-equiv="refresh" content="0;url=http://127.0.0.1/"><base href="http://127.0.0.1/">'
        b'<link rel=stylesheet href=/a.css><script src=/a.js></script><img src="http://127.0.0.1/a.png"><p>Here.',
        headers={**HTML, "Refresh": "0;url=http://127.0.0.1/", "Link": "</a.css>;rel=preload"},
    )
    assert read(server).text.strip() == "Here."
    assert len(server.requests) == 1


# Size and time ------------------------------------------------------------------------------------------------------

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def chunks(body: Iterator[bytes], *, extension: bytes = b"") -> Iterator[bytes]:
    yield HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    for piece in body:
        yield b"%x%s\r\n%s\r\n" % (len(piece), extension, piece)


def endless(piece: bytes) -> Iterator[bytes]:
    return itertools.repeat(piece, tls_server.LAST_PIECES)


def slowly(piece: bytes) -> Iterator[bytes]:
    yield HEAD + b"\r\n"
    for _ in range(100):
        time.sleep(0.05)
        yield piece


def packed(size: int) -> bytes:
    return gzip.compress(bytes(size).replace(b"\0", b" "))


def bomb(size: int) -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=31)
    yield HEAD + b"Content-Encoding: gzip\r\n\r\n"
    for _ in range(size // 1_000_000):
        yield packer.compress(b" " * 1_000_000)


TOO_MUCH = {
    "a length above the limit": lambda: [HEAD + b"Content-Length: 600000\r\n\r\n" + b"a" * 600_000],
    "a body without end": lambda: itertools.chain([HEAD + b"\r\n"], endless(b"a" * 65_536)),
    "chunks without end": lambda: chunks(endless(b"a" * 65_536)),
    "chunks with long extensions": lambda: chunks(endless(b"a"), extension=b";x=" + b"y" * 20_000),
    "gzip of 10 MB": lambda: bomb(10_000_000),
    "gzip of 1 GB": lambda: bomb(1_000_000_000),
    "1 MB of headers": lambda: [HEAD + b"".join(b"X-%d: %s\r\n" % (n, b"y" * 1000) for n in range(1000)) + b"\r\n"],
    "one header without end": lambda: itertools.chain([b"HTTP/1.1 200 OK\r\nX: "], endless(b"y" * 65_536)),
    "answers before the answer": lambda: endless(b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" * 500),
    "one chunk size without end": lambda: itertools.chain(
        [HEAD + b"Transfer-Encoding: chunked\r\n\r\n"], endless(b"0" * 65_536)
    ),
}


@pytest.mark.parametrize("case", TOO_MUCH)
def test_what_is_too_large_is_left_before_its_end(server: PageServer, case: str) -> None:
    """SECURITY 31."""
    server.pages["/help"] = Reply(raw=TOO_MUCH[case]())
    begun = time.monotonic()
    with pytest.raises(PageNotRead):
        read(server)
    assert time.monotonic() - begun < SECONDS


@pytest.mark.parametrize("piece", [b"a", b"<p>a</p>\r\n"])
def test_slow_bytes_end_with_the_time(server: PageServer, piece: bytes) -> None:
    """SECURITY 31: each wait is short, and all together are too long."""
    server.pages["/help"] = Reply(raw=slowly(piece))
    begun = time.monotonic()
    with pytest.raises(PageNotRead, match="in time"):
        read(server, seconds=0.4)
    assert 0.3 < time.monotonic() - begun < 2
    assert server.hung_up.wait(5)


def test_tiny_chunks_end_with_the_time(server: PageServer) -> None:
    """SECURITY 31: many small pieces cost time and hardly any bytes."""
    server.pages["/help"] = Reply(raw=chunks(itertools.repeat(b"a", 150_000)))
    begun = time.monotonic()
    with pytest.raises(PageNotRead):
        read(server, seconds=0.5)
    assert time.monotonic() - begun < 3


def test_page_of_just_the_allowed_size_is_read(server: PageServer) -> None:
    body = b"<p>Hello.</p>".ljust(MAX_BYTES, b" ")
    for reply in (Reply(body), Reply(gzip.compress(body), headers={**HTML, "Content-Encoding": "gzip"})):
        server.pages["/help"] = reply
        assert read(server).text.strip() == "Hello."


# The servers that the corpus of addresses speaks of, by the number of the line.
PLAYED = {
    "ssrf-081": moved("http://169.254.169.254/"),
    "ssrf-082": moved("file:///etc/passwd"),
    "ssrf-083": moved("/help"),
    "ssrf-084": moved("http://[::1]/", status=307),
    "ssrf-085": Reply(b'<meta http-equiv=refresh content="0;url=http://127.0.0.1/">'),
    "ssrf-086": moved("/again"),
    "ssrf-087": Reply(b"<p>SECRET"),
    "ssrf-088": Reply(b"<p>SECRET"),
    "ssrf-092": Reply(gzip.compress(bytes(10_000_000)), headers={**HTML, "Content-Encoding": "gzip"}),
    "ssrf-093": Reply(b"\x8b\x00\x80x\x03", headers={**HTML, "Content-Encoding": "br"}),
    "ssrf-095": Reply(raw=chunks(endless(b"a"), extension=b";x=" + b"y" * 20_000)),
    "ssrf-096": Reply(b"\x7fELF\x02\x01\x01\x00"),
    "ssrf-097": Reply(b"<svg>SECRET</svg>", headers={"Content-Type": "image/svg+xml"}),
}
ANSWERS = {
    "ssrf-086": [[PUBLIC], ["127.0.0.1"]],
    "ssrf-087": [[PUBLIC, "10.0.0.1"]],
    "ssrf-088": [[PUBLIC, "::1"]],
}


@pytest.mark.parametrize(
    "line", [line for line in LINES if "test server" in line["class"]], ids=lambda line: line["id"]
)
def test_server_of_the_corpus_gets_nothing_done(server: PageServer, line: dict[str, str]) -> None:
    """SECURITY 29, 30, 31: refused, or read without what it asks for."""
    server.pages["/help"] = PLAYED[line["id"]]
    try:
        page = fetch(URL, hosts=HOSTS, through=server.internet(*ANSWERS.get(line["id"], [])))
    except PageNotRead:
        assert "SECRET" not in str(server.requests)
    else:
        assert (line["id"], page.text.strip(), len(server.requests)) == ("ssrf-085", "", 1)
    assert set(server.connected) <= {f"{PUBLIC}:443"}


# What comes back ----------------------------------------------------------------------------------------------------

NO_PAGE = {
    "a picture by its type": Reply(b"<svg>", headers={"Content-Type": "image/svg+xml"}),
    "a file": Reply(b"<p>x", headers={"Content-Type": "application/octet-stream"}),
    "XML": Reply(b"<p>x", headers={"Content-Type": "application/xhtml+xml"}),
    "no type": Reply(b"<p>x", headers={}),
    "two types": Reply(b"<p>x", headers={"Content-Type": "text/html", "content-type": "text/plain"}),
    "two types in one": Reply(b"<p>x", headers={"Content-Type": "image/png, text/html"}),
    "a picture called text/html": Reply(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
    "a file called text/plain": Reply(b"PK\x03\x04\x14\x00", headers={"Content-Type": "text/plain"}),
    "brotli": Reply(b"\x8b\x00\x80x\x03", headers={**HTML, "Content-Encoding": "br"}),
    "packed twice": Reply(gzip.compress(gzip.compress(b"x")), headers={**HTML, "Content-Encoding": "gzip, gzip"}),
    "packed, and no gzip": Reply(b"<p>Hello.", headers={**HTML, "Content-Encoding": "gzip"}),
    "packed and cut": Reply(gzip.compress(b"<p>Hello." * 100)[:-12], headers={**HTML, "Content-Encoding": "gzip"}),
    "no such page": Reply(b"<p>None.", status=404),
    "only part of it": Reply(b"<p>x", status=206),
    "sign in first": Reply(b"<p>x", status=401, headers={**HTML, "WWW-Authenticate": "Basic realm=x"}),
    "moved nowhere": Reply(status=302, headers={}),
    "moved to two places": Reply(status=302, headers={"Location": "/help", "location": "/other"}),
    "another protocol": Reply(raw=[b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"]),
    "no HTTP": Reply(raw=[b"220 mail.example ESMTP\r\n"]),
    "nothing": Reply(raw=[]),
    "half an answer": Reply(raw=[b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 50\r\n\r\n<p>Half"]),
    "two lengths": Reply(raw=[HEAD + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n<p>x"]),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_PAGE)
def test_what_is_no_page_of_text_is_refused_in_words(server: PageServer, case: str) -> None:
    """SECURITY 29, 31."""
    server.pages["/help"] = NO_PAGE[case]
    with pytest.raises(PageNotRead) as refusal:
        read(server)
    assert 10 < len(str(refusal.value)) < 100


TEXTS = {
    "in the header's charset": (b"<p>caf\xe9", "text/html; charset=iso-8859-1", "café"),
    "in a charset that only Python knows": (b"<p>+ADw-b+AD4-", "text/html; charset=utf-7", "+ADw-b+AD4-"),
    "in UTF-16": ("\ufeff<p>café".encode("utf-16-le"), "text/html", "café"),
    "as plain text": (b"<p>5 < 6</p>", "Text/Plain; charset=UTF-8", "<p>5 < 6</p>"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_text_is_read_in_its_charset(server: PageServer, case: str) -> None:
    body, content_type, text = TEXTS[case]
    server.pages["/help"] = Reply(body, headers={"Content-Type": content_type})
    assert read(server).text.strip() == text
