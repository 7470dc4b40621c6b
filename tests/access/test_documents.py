"""Programs known by the address of a document: fetched over TLS from a public address, and believed about itself."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.idp.oidc.models import Client as Known
from django.conf import settings as site
from django.test import Client

from agent.access import verify
from agent.untrusted.connecting import Internet
from tests.access.program import CALLBACK, Program
from tests.untrusted.tls_server import PageServer, Reply, moved

URL = "https://shop.example/client.json"
JSON = {"Content-Type": "application/json"}


def document(**changes: Any) -> Reply:
    about = {"client_id": URL, "client_name": "Desk", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
    return Reply(json.dumps({**about, **changes}).encode(), headers=JSON)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[PageServer]:
    with PageServer() as running:
        monkeypatch.setattr("agent.untrusted.fetch.Internet", running.internet)
        running.pages["/client.json"] = document()
        yield running


def asked(browser: Client, client_id: str = URL) -> Any:
    return browser.get(Program(client_id=client_id).address())


def test_program_needs_no_registration(server: PageServer, as_alice: Client) -> None:
    page = asked(as_alice)
    assert page.status_code == 200
    assert "Connect Desk?" in page.text
    assert URL in page.text
    assert "chose its name itself" not in page.text
    caller = verify(Program(client_id=URL).tokens(as_alice)["access_token"])
    assert (caller.client_id, caller.client_name) == (URL, "Desk")
    assert len(server.requests) == 1  # it is kept for an hour
    assert "Accept: application/json" in server.requests[0]
    assert "Cookie" not in server.requests[0]


def test_program_that_two_customers_let_in_at_once_is_one(
    server: PageServer, as_alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def beside_another() -> Internet:
        Known.objects.create(pk=URL, name="Desk, a moment ago")
        return server.internet()

    monkeypatch.setattr("agent.untrusted.fetch.Internet", beside_another)
    assert asked(as_alice).status_code == 200
    assert list(Known.objects.values_list("pk", "name")) == [(URL, "Desk")]


def test_document_is_looked_at_again_after_an_hour(server: PageServer, as_alice: Client) -> None:
    asked(as_alice)
    server.pages["/client.json"] = document(client_name="Desk 2", redirect_uris=["https://shop.example/back"])
    _aged(3700)
    assert asked(as_alice).status_code == 400  # the old address is the program's no more
    known = Known.objects.get()
    assert (known.name, known.get_redirect_uris()) == ("Desk 2", ["https://shop.example/back"])


@pytest.mark.parametrize(("age", "status"), [(3700, 200), (25 * 3600, 400)])
def test_document_that_is_away_is_believed_for_a_day(
    server: PageServer, as_alice: Client, age: int, status: int
) -> None:
    asked(as_alice)
    server.pages["/client.json"] = Reply(b"", status=500)
    _aged(age)
    assert asked(as_alice).status_code == status


@pytest.mark.parametrize(
    "reply",
    [
        document(client_id="https://shop.example/other.json"), document(client_id=None), document(redirect_uris=[]),
        document(redirect_uris=["http://evil.example/"]), document(token_endpoint_auth_method="private_key_jwt"),
        document(grant_types=["client_credentials"]), moved("https://shop.example/elsewhere.json"),
        Reply(b"[]", headers=JSON), Reply(b"{", headers=JSON), Reply(b"[" * 15_000, headers=JSON),
        Reply(json.dumps({"client_id": URL, "x": "y" * 20_000}).encode(), headers=JSON),
        Reply(b"{}", headers={"Content-Type": "text/html"}), Reply(b"", status=404),
    ],
    ids=lambda reply: f"{reply.status} {reply.body[:40]!r}",
)  # fmt: skip
def test_document_that_is_not_good_makes_no_program(server: PageServer, as_alice: Client, reply: Reply) -> None:
    server.pages["/client.json"] = reply
    answer = asked(as_alice)
    assert answer.status_code == 400
    assert "Location" not in answer
    assert not Known.objects.exists()


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example", "https://shop.example/", "https://shop.example/a/../client.json",
        "https://shop.example/client.json?x=1", "https://shop.example/client.json#x", "https://u@shop.example/client.json",
        "https://SHOP.example/client.json", "https://127.0.0.1/client.json", "https://[::1]/client.json",
        "https://shop.example:8443/client.json", "https://localhost/client.json", "https://2130706433/client.json",
        "https://shop.example/" + "a" * 100,
    ],
)  # fmt: skip
def test_address_that_is_none_is_not_fetched(server: PageServer, as_alice: Client, url: str) -> None:
    assert asked(as_alice, url).status_code == 400
    assert server.connected == []


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"])
def test_document_inside_the_shops_network_is_not_fetched(
    server: PageServer, as_alice: Client, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr("agent.untrusted.fetch.Internet", lambda: server.internet([address]))
    assert asked(as_alice).status_code == 400
    assert server.connected == []


def test_nobody_who_is_signed_out_makes_the_site_fetch(db: None, server: PageServer, client: Client) -> None:
    assert asked(client).status_code == 302
    Program(client_id=URL).redeem("x" * 30)
    assert server.connected == []


def test_one_customer_may_not_make_it_fetch_without_end(server: PageServer, as_alice: Client, monkeypatch) -> None:
    monkeypatch.setitem(site.AGENT, "PAGES_A_MINUTE", 2)
    answers = [asked(as_alice, f"https://shop.example/{n}.json").status_code for n in range(3)]
    assert answers == [400, 400, 429]
    assert len(server.requests) == 2


def test_shop_can_turn_documents_off(server: PageServer, as_alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(site.AGENT, "MCP_CLIENTS", "listed")
    assert asked(as_alice).status_code == 400
    assert server.connected == []


def _aged(seconds: int) -> None:
    known = Known.objects.get()
    known.data["updated_at"] = int(time.time()) - seconds
    known.save()
