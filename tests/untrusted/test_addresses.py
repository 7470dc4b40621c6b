"""Which addresses may be asked for a page (SECURITY 29): every spelling of a forbidden one is refused."""

import ipaddress
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import PageNotRead
from agent.untrusted.addresses import host_of, is_public, read_address
from tests.conftest import missing

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("COUNTERSIGN_SECURITY_DIR") or ROOT.parent / "shared" / "security")
HOSTS = ["shop.example"]
Line = dict[str, Any]


def corpus() -> list[Line]:
    path = FOLDER / "ssrf_urls.jsonl"
    lines = path.read_text(encoding="utf-8").strip().split("\n") if path.is_file() else []
    return list(map(json.loads, lines))


LINES = corpus()
# The others describe how a server behaves: tests/untrusted/test_fetch.py plays one for each.
WRITTEN = [line for line in LINES if "test server" not in line["class"]]


def test_corpus_is_there() -> None:
    if not LINES:
        missing(f"no hostile addresses in {FOLDER}: set COUNTERSIGN_SECURITY_DIR")
    assert len(LINES) > 50


@pytest.mark.parametrize("line", WRITTEN, ids=lambda line: line["id"])
def test_address_of_the_corpus_is_taken_as_expected(line: Line) -> None:
    """SECURITY 29. Also over https, where the scheme alone would not decide."""
    for url in (line["url"], line["url"].replace("http:", "https:", 1).replace("HTTP:", "https:", 1)):
        if line["expect"] == "allow":
            assert read_address(url, hosts=HOSTS).url == "https://shop.example/help"
        else:
            with pytest.raises(PageNotRead):
                read_address(url, hosts=HOSTS)


REFUSED = [
    "", "https:", "https://", "https:///help", "https:shop.example", "//shop.example/", "shop.example", "/help",
    "http://shop.example/", "ftp://shop.example/", "file:///etc/passwd", "data:text/html,x", "javascript:alert(1)",
    "view-source:https://shop.example/", "https:/shop.example/", "https:\\\\shop.example\\", "https://shop.example\\@evil.example/",
    "https://user@shop.example/", "https://user:secret@shop.example/", "https://@shop.example/", "https://:@shop.example/",
    "https://shop.example@evil.example/", "https://evil.example#@shop.example/", "https://evil.example?@shop.example/",
    "https://shop.example:444/", "https://shop.example:0443/", "https://shop.example:/", "https://shop.example:443:443/",
    "https://shop.example:٤٤٣/", "https://shop.example:443@evil.example/", "https://shop.example.evil.example/",
    "https://evilshop.example/", "https://shop.example%2eevil.example/", "https://shop%2eexample/", "https://shop.example%00/",
    "https://shop.example\x00/", "https://shop.example\n/", "https://shop.example/\r\nHost: evil.example",
    "https://shop.example/\thelp", " https://shop.example/", "https://shop.example/ help", "https://sh\u00adop.example/\u200b",
    "https://shop.example/\u202egnp", "https://shop.example/<script>", "https://shop..example/", "https://.shop.example/",
    "https://shop.example../", "https://-shop.example/", "https://shop_.example/", "https://*.example/", "https://localhost/",
    "https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://0177.0.0.1/",
    "https://127.0.0.1./", "https://①②⑦.⓪.⓪.①/", "https://127。0。0。1/", "https://１２７.0.0.1/", "https://[::1]/",
    "https://[::ffff:127.0.0.1]/", "https://[fe80::1%25eth0]/", "https://[::1]:443/", "https://[v1.x]/", "https://93.184.216.34/",
    "https://shop.example.1/", "https://shop.0x/", "https://ѕhop.example/", "https://" + "a" * 64 + ".example/",
    "https://" + "a." * 130 + "example/", "https://shop.example/" + "a" * 2000, "https://xn--a.example/",
]  # fmt: skip


@pytest.mark.parametrize("url", REFUSED)
def test_other_spelling_is_refused(url: str) -> None:
    """SECURITY 29."""
    with pytest.raises(PageNotRead):
        read_address(url, hosts=HOSTS)


ALLOWED = {
    "https://shop.example": "https://shop.example/",
    "HTTPS://Shop.EXAMPLE:443/help": "https://shop.example/help",
    "https://shop.example./help?a=1&b=2#part": "https://shop.example/help?a=1&b=2",
    "https://shop.example?a=ü": "https://shop.example/?a=%C3%BC",
    "https://shop.example/größen/100%25": "https://shop.example/gr%C3%B6%C3%9Fen/100%25",
    "https://ｓｈｏｐ.example/": "https://shop.example/",
    "https://BÜCHER.example/x": "https://xn--bcher-kva.example/x",
    "https://xn--bcher-kva.example/x": "https://xn--bcher-kva.example/x",
}


@pytest.mark.parametrize(("url", "asked"), ALLOWED.items())
def test_address_of_an_allowed_host_is_asked_for(url: str, asked: str) -> None:
    assert read_address(url, hosts=["shop.example", "Bücher.example."]).url == asked


def test_a_name_is_read_as_a_browser_reads_it() -> None:
    assert host_of("straße.example") == "xn--strae-oqa.example"  # not strasse.example, which may be somebody else's


def test_without_hosts_no_page_can_be_read() -> None:
    with pytest.raises(PageNotRead, match="no site"):
        read_address("https://shop.example/", hosts=[])


@pytest.mark.parametrize("hosts", [["127.0.0.1"], ["localhost"], ["[::1]"], ["https://shop.example"], ["*"]])
def test_a_host_that_is_none_opens_nothing(hosts: list[str]) -> None:
    for url in ("https://127.0.0.1/", "https://localhost/", "https://[::1]/", "https://shop.example/"):
        with pytest.raises(PageNotRead):
            read_address(url, hosts=hosts)


NOT_PUBLIC = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254",
    "169.254.169.254",
    "168.63.129.16", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1",
    "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:93.184.216.34", "64:ff9b::7f00:1",
    "64:ff9b::5db8:d822", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:7f00:1::", "2001:2::1", "2001:10::1",
    "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:5db8:d822::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254",
    "fe80::1", "fe80::1%eth0", "2606:2800:220::1%eth0", "fec0::1", "ff02::1", "127.1", "0x7f000001", "2130706433", "",
    "shop.example", "93.184.216.34 ", "93.184.216.034",
]  # fmt: skip


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_address_that_leads_inside_is_not_public(address: str) -> None:
    """SECURITY 29: also those that ipaddress takes for global."""
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "1.1.1.1", "9.9.9.9", "2606:2800:220::1", "2a00:1450:4001::1"])
def test_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses(v=4))
def test_nothing_private_is_public_in_any_spelling(address: ipaddress.IPv4Address) -> None:
    """SECURITY 29."""
    within = int(address)
    nat64, six_to_four, mapped = (0x0064FF9B << 96) + within, (0x2002 << 112) + (within << 80), (0xFFFF << 32) + within
    assert not any(is_public(str(ipaddress.IPv6Address(each))) for each in (nat64, six_to_four, mapped))
    if address.is_private or address.is_multicast or address.is_reserved:
        assert not is_public(str(address))
