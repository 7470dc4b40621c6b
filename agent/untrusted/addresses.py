"""Addresses from outside: how the address of a page may be written, and where its host may lie.

Both are decided by what is allowed, not by what is known to be bad: a spelling that is not understood is refused.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import quote

import idna

from agent.errors import PageNotRead

_LONGEST = 2_000
_LONGEST_NAME = 253
_SHAPE = re.compile(r"https://([^/?#]++)(/[^?#]*+)?(\?[^#]*+)?(?:#.*+)?", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]++|0x[0-9a-f]*+")  # as a last label it makes the whole an IPv4 address
_SAFE = "/%:@!$&'()*+,;=~-._"

# Addresses that ipaddress calls global, and that lead inside all the same: a cloud's own services, protocol
# assignments, and IPv6 that carries an IPv4 address in it (NAT64, Teredo, 6to4).
_NOT_PUBLIC = [
    ip_network(network)
    for network in (
        "0.0.0.0/8", "100.64.0.0/10", "168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15",
        "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    )
]  # fmt: skip
_PUBLIC_V6 = ip_network("2000::/3")  # all that has been given out; 64:ff9b::/96 and ::ffff:0:0/96 lie outside


@dataclass(frozen=True)
class Address:
    """The address of a page on an allowed host."""

    host: str  # ASCII, in small letters, without a final dot
    path: str  # percent-encoded, as the two below
    query: str = ""  # with its question mark

    @property
    def url(self) -> str:
        return f"https://{self.host}{self.path}{self.query}"

    @property
    def without_query(self) -> str:
        return f"https://{self.host}{self.path}"


def read_address(url: str, *, hosts: Iterable[str]) -> Address:
    """The address, if it is https, on port 443, and on one of the hosts. Raises PageNotRead that says what is wrong."""
    check_characters(url)
    match = _SHAPE.fullmatch(url)
    if match is None:
        raise PageNotRead("only addresses that begin with https:// can be read")
    authority, path, query = match.groups()
    name, _, port = authority.partition(":")
    if port != "443" and ":" in authority:
        raise PageNotRead("an address with a port, or with an IP address in it, cannot be read")
    host = host_of(name)
    allowed = sorted({host_of(each) for each in hosts})
    if host not in allowed:
        raise PageNotRead(f"only pages of {', '.join(allowed) or 'no site'} can be read")
    return Address(host, quote(path or "/", safe=_SAFE), quote(query or "", safe=_SAFE + "?"))


def check_characters(url: str) -> None:
    """Raises PageNotRead for what two programs may read differently: blanks, backslashes, what cannot be seen."""
    if len(url) > _LONGEST:
        raise PageNotRead("the address is too long")
    if any(character in ' \\"<>^`{|}' or not character.isprintable() for character in url):
        raise PageNotRead("the address has characters that no address has")


def host_of(name: str) -> str:
    """A host's name as it is looked up. Raises PageNotRead for all else: no IP address, in whatever spelling."""
    try:
        host = idna.encode(name[: _LONGEST_NAME + 1], uts46=True, std3_rules=True).decode("ascii").removesuffix(".")
    except UnicodeError:  # what the package raises is one
        raise PageNotRead("the address names no host") from None
    labels = host.split(".")
    if len(host) > _LONGEST_NAME or len(labels) < 2 or _NUMBER.fullmatch(labels[-1]):
        raise PageNotRead("the address names no host of the internet")
    return host


def is_public(text: str) -> bool:
    """Whether this IP address is one of the internet's, and leads to nothing inside: no cloud's, no carrier's."""
    try:
        address: IPv4Address | IPv6Address = ip_address(text)  # a scope (%eth0) makes it no network's member
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and (address.scope_id is not None or address not in _PUBLIC_V6):
        return False
    return address.is_global and not any(address in network for network in _NOT_PUBLIC)
