"""Programs that make themselves known: what is taken, what is replaced, what is refused, and how many."""

import json
from datetime import timedelta
from typing import Any

import pytest
from allauth.idp.oidc.models import Client as Known
from allauth.idp.oidc.models import Token
from django.conf import settings as site
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.access.program import CALLBACK, Program, register

pytestmark = pytest.mark.django_db

GOOD = [
    "https://app.example/back", "https://app.example:8443/back?x=1", "http://127.0.0.1/cb", "http://[::1]:8123/",
    "http://localhost:33418/callback", "cursor://anysphere.cursor-retrieval/oauth/callback", "com.example.app:/cb",
]  # fmt: skip
BAD = [
    "http://app.example/back", "http://127.0.0.1.evil.example/", "http://localhost.evil.example/",
    "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://user@app.example/",
    "https://user:pw@app.example/", "https://",
    "https://app.example/#x", "https://*.example/", "https://app.example/ x", "https://app.example/;x",
    "//app.example/", "/back", "", "https://app.example:99999/", "https://[::1", "https://app.example\r\nX: y/",
    "https://ex\u00e4mple/",
    "HTTPS://app.example'/", "ftp://app.example/", "x:y", "https://-a.example/", "https://app.example/" + "a" * 500,
]  # fmt: skip


def test_program_is_told_what_it_is_here() -> None:
    answer = register(
        CALLBACK, token_endpoint_auth_method="client_secret_basic", scope="openid admin", grant_types=None
    )
    assert answer.status_code == 201
    told = answer.json()
    known = Known.objects.get(pk=told.pop("client_id"))
    assert told.pop("client_id_issued_at") == int(known.created_at.timestamp())
    assert told == {
        "client_name": "Probe", "redirect_uris": [CALLBACK], "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"], "token_endpoint_auth_method": "none", "scope": "read propose",
    }  # fmt: skip
    assert known.type == Known.Type.PUBLIC


@pytest.mark.parametrize("uri", GOOD)
def test_address_of_a_program_is_taken(uri: str) -> None:
    assert register(uri).status_code == 201


@pytest.mark.parametrize("uri", BAD)
def test_address_that_a_browser_should_not_be_sent_to_is_refused(uri: str) -> None:
    answer = register(CALLBACK, redirect_uris=[CALLBACK, uri])
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_redirect_uri")
    assert not Known.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"null", b"{", b"[" * 100_000, b"\xff", b'{"redirect_uris": "https://a.example/"}',
        b'{"redirect_uris": []}', b'{"redirect_uris": [1]}', b'{"redirect_uris": [null]}', b"{}",
        json.dumps({"redirect_uris": [CALLBACK] * 11}).encode(),
        json.dumps({"redirect_uris": [CALLBACK], "grant_types": ["client_credentials"]}).encode(),
        json.dumps({"redirect_uris": [CALLBACK], "response_types": ["token"]}).encode(),
        json.dumps({"redirect_uris": [CALLBACK], "response_types": "code"}).encode(),
    ],
    ids=lambda body: body[:60].decode("latin-1"),
)  # fmt: skip
def test_description_that_is_none_is_refused(body: bytes) -> None:
    answer = Client().post("/oauth/register", body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["error"] in ("invalid_client_metadata", "invalid_redirect_uri")
    assert not Known.objects.exists()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Probe\u202e\n one", "Probe one"),
        ("", "app.example"),
        (7, "app.example"),
        ("x" * 200, "x" * 60),
        ("\0", "app.example"),
    ],
    ids=str,
)
def test_name_is_one_that_can_be_shown(name: Any, kept: str) -> None:
    assert register("https://app.example/", client_name=name).json()["client_name"] == kept


def test_name_is_text_and_no_markup_on_the_page(as_alice: Client) -> None:
    page = as_alice.get(Program(client_name="<img src=x onerror=y>").address())
    assert "<img" not in page.text
    assert "&lt;img" in page.text


def test_localhost_takes_any_port_and_nothing_else(as_alice: Client) -> None:
    program = Program(callback="http://localhost/callback")
    for uri, status in (
        ("http://localhost:51234/callback", 200), ("http://localhost/callback", 200),
        ("http://localhost:51234/other", 400), ("https://localhost:51234/callback", 400),
        ("http://localhost:51234@evil.example/callback", 400), ("http://localhost.evil.example/callback", 400),
    ):  # fmt: skip
        assert as_alice.get(program.address(redirect_uri=uri)).status_code == status, uri
    assert Known.objects.get().get_redirect_uris() == ["http://localhost/callback"]


def test_one_address_may_not_register_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(site.AGENT, "REGISTRATIONS_A_MINUTE", 2)
    assert [register().status_code for _ in range(3)] == [201, 201, 429]
    assert Known.objects.count() == 2


def test_all_addresses_together_may_not_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(site.AGENT, "REGISTRATIONS_A_MINUTE", 1)
    body = json.dumps({"redirect_uris": [CALLBACK]})
    codes = [
        Client(REMOTE_ADDR=f"10.0.0.{n}").post("/oauth/register", body, content_type="application/json").status_code
        for n in range(6)
    ]
    assert codes == [201] * 5 + [429]


def test_registration_that_nobody_used_is_dropped(alice: User, as_alice: Client) -> None:
    used, unused = Program(), Program()
    used.tokens(as_alice)
    by_the_shop = Known.objects.create(name="Ours", secret="!")
    Known.objects.update(created_at=timezone.now() - timedelta(days=2))
    fresh = Program()
    register()
    assert set(Known.objects.values_list("pk", flat=True)) >= {used.client_id, fresh.client_id, by_the_shop.pk}
    assert not Known.objects.filter(pk=unused.client_id).exists()
    assert Token.objects.filter(user=alice).exists()


@pytest.mark.parametrize("who", ["documents", "listed"])
def test_shop_can_keep_the_door_shut(monkeypatch: pytest.MonkeyPatch, who: str) -> None:
    monkeypatch.setitem(site.AGENT, "MCP_CLIENTS", who)
    assert register().status_code == 403
    metadata = Client().get("/.well-known/oauth-authorization-server").json()
    assert "registration_endpoint" not in metadata
    assert metadata["client_id_metadata_document_supported"] is (who == "documents")
    assert not Known.objects.exists()


def test_shop_can_list_a_program(as_alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program()
    monkeypatch.setitem(site.AGENT, "MCP_CLIENTS", "listed")
    assert program.tokens(as_alice)["access_token"]


def test_program_with_a_secret_is_not_let_in(as_alice: Client) -> None:
    program = Program()
    Known.objects.update(type=Known.Type.CONFIDENTIAL)
    assert as_alice.get(program.address()).status_code == 400
