"""SECURITY 1, 2 and 3: an id in an address is no credential. Walked over the URLconf: a new address is covered."""

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from django.apps import apps
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.converters import IntConverter, UUIDConverter

from tests.pages.conftest import JSON
from tests.scoping import world as worlds
from tests.scoping.world import World

pytestmark = pytest.mark.django_db

TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')  # random at each look
ABSENT = {UUIDConverter: uuid.UUID(int=7), IntConverter: 987_654_321}  # no row has these


@dataclass(frozen=True)
class Place:
    """An address that takes keys: its full name, and the kind of each key by its argument."""

    name: str
    converters: tuple[tuple[str, Any], ...]

    def url(self, values: dict[str, Any]) -> str:
        return reverse(self.name, kwargs=values)

    def with_each(self, keys: list[Any]) -> Iterator[str]:
        for key in keys:
            yield self.url({argument: key for argument, _ in self.converters})


def _places(resolver: URLResolver, namespace: str = "", outer: tuple[tuple[str, Any], ...] = ()) -> Iterator[Place]:
    for pattern in resolver.url_patterns:
        converters = (*outer, *pattern.pattern.converters.items())
        if isinstance(pattern, URLResolver):
            within = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _places(pattern, within, converters)
        elif isinstance(pattern, URLPattern) and pattern.name and converters:
            yield Place(f"{namespace}{pattern.name}", tuple(converters))


def _is_of_rows(place: Place) -> bool:
    return all(type(converter) in ABSENT for _, converter in place.converters)


PLACES = {place.name: place for place in _places(get_resolver()) if _is_of_rows(place)}
EACH_PLACE = pytest.mark.parametrize("name", sorted(PLACES))


def keys_of(world: World, who: str, place: Place) -> list[Any]:
    """Every key of the person's rows that fits the address: a conversation's where a run's is expected, too."""
    wanted = uuid.UUID if isinstance(place.converters[0][1], UUIDConverter) else int
    return sorted({key for keys in world.rows[who].values() for key in keys if isinstance(key, wanted)}, key=str)


def absent(place: Place) -> str:
    return place.url({argument: ABSENT[type(converter)] for argument, converter in place.converters})


def answered(client: Client, method: str, url: str, **how: Any) -> tuple[Any, ...]:
    answer: HttpResponse = getattr(client, method)(url, {"decision": "confirm", "digest": "0" * 64, "q": "Hi"}, **how)
    body = b"" if answer.streaming else TOKEN.sub(b"", answer.content)
    headers = {key: value for key, value in answer.items() if key != "Content-Security-Policy"}
    target = headers.pop("Location", "")
    for own in (url, quote(url, safe="")):  # what was asked for may stand on the page
        body, target = body.replace(own.encode(), b"ADDRESS"), target.replace(own, "ADDRESS")
    return answer.status_code, body, target, headers


def everything() -> dict[str, list[Any]]:
    models = [model for app in ("agent", "orders", "billing") for model in apps.get_app_config(app).get_models()]
    return {model.__name__: list(model._base_manager.order_by("pk").values()) for model in models}


def entered(world: World, who: str) -> Client:
    client = Client()
    client.force_login(world.people[who])
    return client


def refused_before(world: World, place: Place) -> Client:
    """Ben's browser, which had its no at this place: the first one of an hour is kept, whichever key it was about."""
    client = entered(world, "ben")
    client.get(absent(place))
    return client


def test_the_walk_meets_the_addresses_of_rows() -> None:
    assert {"agent:conversation", "agent:run", "agent:events", "agent:action", "staff:run"} <= PLACES.keys()


@EACH_PLACE
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("how", [{}, {"headers": JSON}], ids=["page", "json"])
def test_anothers_key_is_answered_as_an_unknown_one(name: str, method: str, how: Any, world: World) -> None:
    place, client = PLACES[name], refused_before(world, PLACES[name])
    before = everything()
    of_nobody = answered(client, method, absent(place), **how)
    assert of_nobody[0] in (403, 404, 405)
    for url in place.with_each(keys_of(world, "anna", place)):
        assert answered(client, method, url, **how) == of_nobody
    assert everything() == before


@EACH_PLACE
def test_anothers_key_is_looked_for_as_an_unknown_one(name: str, world: World) -> None:
    """SECURITY 1: by the same queries, so that the time tells nothing either."""
    place, client = PLACES[name], refused_before(world, PLACES[name])
    counts = {}
    for url in (absent(place), *place.with_each(keys_of(world, "anna", place))):
        with CaptureQueriesContext(connection) as queries:
            client.get(url)
        counts[url] = [re.sub(r"'[^']*'|\b\d+\b", "?", query["sql"]) for query in queries]
    assert [url for url in counts if counts[url] != counts[absent(place)]] == []


@EACH_PLACE
@pytest.mark.parametrize("method", ["get", "post"])
def test_signed_out_every_key_is_answered_alike(name: str, method: str, world: World) -> None:
    """SECURITY 2: whoever has the link alone is sent to sign in, or refused, whether there is a row or not."""
    place = PLACES[name]
    client, before = Client(), everything()
    of_nobody = answered(client, method, absent(place))
    assert of_nobody[0] in (302, 401, 403, 404, 405)
    for url in place.with_each(keys_of(world, "anna", place)):
        assert answered(client, method, url) == of_nobody
    assert everything() == before


def test_the_owner_finds_each_of_them(world: World) -> None:
    """What is above proves something: the same keys open something for her whose they are."""
    client = entered(world, "anna")
    opened = {
        name
        for name, place in PLACES.items()
        if name.startswith("agent:")
        for url in place.with_each(keys_of(world, "anna", place))
        if client.get(url).status_code in (200, 405) and client.get(absent(place)).status_code in (404, 405)
    }
    assert opened == {name for name in PLACES if name.startswith("agent:")}


def test_markers_of_another_stand_on_no_page(world: World) -> None:
    """Every address that takes no key, as Ben: nothing of Anna's is on it."""
    client = entered(world, "ben")
    told: dict[str, list[str]] = {}
    for place in _addresses_without_keys(get_resolver()):
        page = client.get(place)
        words = [] if page.streaming else [mark for mark in world.marks["anna"] if mark in page.text]
        told |= {place: words} if words else {}
    assert told == {}


def _addresses_without_keys(resolver: URLResolver, namespace: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        if pattern.pattern.converters or "(?P" in str(pattern.pattern):
            continue
        if isinstance(pattern, URLResolver):
            within = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _addresses_without_keys(pattern, within)
        elif isinstance(pattern, URLPattern) and pattern.name and "logout" not in pattern.name:
            yield reverse(f"{namespace}{pattern.name}")


def test_the_words_that_would_give_her_away_are_on_her_own_pages(world: World) -> None:
    assert {mark for mark in world.marks["anna"] if mark in entered(world, "anna").get(reverse("agent:home")).text}
    assert worlds.WORD.search(entered(world, "anna").get(reverse("agent:history")).text)
