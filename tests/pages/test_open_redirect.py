"""SECURITY 32: no parameter of any address leads to another site. Walked over the URLconf: a new address is covered."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.exceptions import NoReverseMatch

from tests.conftest import PASSWORD
from tests.pages.conftest import signed_in

EVIL = [
    "//evil.example/", "https://evil.example/", "https:evil.example", "\\\\evil.example", "/\\evil.example",
    "///evil.example", "javascript:alert(1)", "data:text/html,x", "http:///evil.example", " //evil.example",
    "\t//evil.example", "https://testserver@evil.example/", "https://testserver.evil.example/",
    "//evil.example\\@testserver/",
]  # fmt: skip
NAMES = ("next", "redirect", "redirect_to", "return", "return_to", "url", "continue", "back", "to", "referrer")


def addresses() -> list[str]:
    """Every address that takes no argument, the libraries' and the admin's too."""
    found = set()
    for name in _names(get_resolver()):
        try:
            found.add(reverse(name))
        except NoReverseMatch:
            continue
    return sorted(found)


def _names(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            space = f"{prefix}{pattern.namespace}:" if pattern.namespace else prefix
            yield from _names(pattern, space)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield f"{prefix}{pattern.name}"


ADDRESSES = addresses()


def stays(answer: Any) -> bool:
    """Whether a browser that follows it is still here, however it reads the address."""
    place = str(answer.headers.get("Location", "/")).strip().replace("\\", "/").replace("\t", "")
    parts = urlsplit(place)
    is_here = parts.netloc in ("", "testserver") and parts.scheme in ("", "http", "https")
    return is_here and not place.startswith("///") and not (parts.scheme and not parts.netloc)


def test_walk_meets_the_sign_in() -> None:
    assert {reverse("account_login"), reverse("account_logout"), reverse("agent:start")} <= set(ADDRESSES)
    assert len(ADDRESSES) > 20


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_address_leads_to_another_site(address: str, alice: User, client: Client) -> None:
    """SECURITY 32: read and posted, signed out and signed in."""
    for evil in EVIL:
        for visitor in (client, signed_in(alice)):
            asked = dict.fromkeys(NAMES, evil)
            assert stays(visitor.get(address, asked)), evil
            assert stays(visitor.post(address, asked)), evil


@pytest.mark.parametrize("evil", EVIL)
def test_sign_in_leads_back_to_this_site_alone(evil: str, alice: User, client: Client) -> None:
    """SECURITY 32: also where the sign-in succeeds."""
    told = {"login": "alice", "password": PASSWORD, "next": evil}
    answer = client.post(reverse("account_login"), told)
    assert (answer.status_code, stays(answer), "evil" in answer.headers["Location"]) == (302, True, False)


@pytest.mark.parametrize("evil", EVIL)
def test_decision_leads_to_its_own_receipt(evil: str, alice: User, proposal: Any, as_alice: Client) -> None:
    """SECURITY 32: confirm and reject."""
    address = reverse("agent:action", args=[proposal.pk])
    told = {"decision": "reject", "digest": proposal.digest, "next": evil}
    answer = as_alice.post(f"{address}?next=//evil.example", told)
    assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (302, address)
