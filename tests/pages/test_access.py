"""Every address of the agent, as nobody, as a stranger, and as a customer who is no reviewer."""

import uuid
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import get_resolver, reverse

from agent import chat_urls, staff_urls
from tests.pages.conftest import JSON, signed_in

CUSTOMER_NAMES = sorted(f"agent:{pattern.name}" for pattern in chat_urls.urlpatterns)
STAFF_NAMES = sorted(f"staff:{pattern.name}" for pattern in staff_urls.urlpatterns)
POST_ONLY = {"agent:start", "agent:stop", "agent:person", "agent:person_new"}
GET_ONLY = {"agent:home", "agent:conversation", "agent:events", "agent:run", "agent:history"}
# The stream is the runtime's own: it answers 401 before it begins, and never redirects.
NO_PAGE = {"agent:events"}
# For those who give the second signature, not for every reviewer: tests/pages/test_cosign.py reads them.
FOR_COSIGNERS = {"staff:action", "staff:actions"}


def takes_id(name: str) -> bool:
    namespace, short = name.split(":")
    patterns = chat_urls.urlpatterns if namespace == "agent" else staff_urls.urlpatterns
    return any(pattern.name == short and "<uuid:pk>" in str(pattern.pattern) for pattern in patterns)


def address(name: str, pk: Any) -> str:
    return reverse(name, args=[pk] if takes_id(name) else [])


@pytest.fixture
def ids(answered: Any, proposal: Any) -> dict[str, Any]:
    """Alice's own rows, by the address that leads to them."""
    conversation = answered.conversation_id
    return {
        "agent:conversation": conversation, "agent:person": conversation, "agent:events": conversation,
        "agent:run": answered.pk, "agent:stop": answered.pk, "agent:action": proposal.pk, "staff:run": answered.pk,
        "staff:action": proposal.pk,
    }  # fmt: skip


def rows() -> dict[str, list[Any]]:
    """Everything the agent and the shop hold."""
    models = [model for app in ("agent", "orders", "billing") for model in apps.get_app_config(app).get_models()]
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}


def test_the_walk_meets_every_address() -> None:
    named = get_resolver().namespace_dict
    assert {"agent", "staff"} <= named.keys()
    assert len(CUSTOMER_NAMES) >= 10
    assert len(STAFF_NAMES) >= 3


@pytest.mark.parametrize("name", [*CUSTOMER_NAMES, *STAFF_NAMES])
def test_signed_out_leads_to_the_sign_in(name: str, ids: dict, client: Client) -> None:
    url = address(name, ids.get(name))
    before = rows()
    answer = client.post(url) if name in POST_ONLY else client.get(url)
    if name in NO_PAGE:
        assert answer.status_code == 401
    else:
        assert (answer.status_code, answer.url.split("?")[0]) == (302, reverse("account_login"))
        assert "no-store" in answer["Cache-Control"]
    assert rows() == before


@pytest.mark.parametrize("name", [*CUSTOMER_NAMES, *STAFF_NAMES])
def test_signed_out_is_401_for_a_program(name: str, ids: dict, client: Client) -> None:
    url = address(name, ids.get(name))
    answer = client.post(url, headers=JSON) if name in POST_ONLY else client.get(url, headers=JSON)
    assert answer.status_code == 401
    assert answer.json()["error"]


@pytest.mark.parametrize("name", [name for name in CUSTOMER_NAMES if takes_id(name)])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_strangers_row_looks_like_no_row(name: str, method: str, ids: dict, as_bob: Client) -> None:
    before = rows()
    theirs = getattr(as_bob, method)(address(name, ids[name]), {"decision": "confirm"}, headers=JSON)
    absent = getattr(as_bob, method)(address(name, uuid.uuid4()), {"decision": "confirm"}, headers=JSON)
    wrong_method = name in (GET_ONLY if method == "post" else POST_ONLY)
    assert (theirs.status_code, theirs.content) == (absent.status_code, absent.content)
    assert theirs.status_code == (405 if wrong_method else 404)
    assert rows() == before


@pytest.mark.parametrize("name", STAFF_NAMES)
def test_the_review_is_for_reviewers(name: str, ids: dict, as_alice: Client, as_bob: Client) -> None:
    url = address(name, ids.get(name))
    assert (as_alice.get(url).status_code, as_bob.get(url).status_code) == (403, 403)
    assert as_alice.get(url, headers=JSON).json()["error"]


def test_staff_without_the_permission_review_nothing(bob: Any, answered: Any) -> None:
    bob.is_staff = True
    bob.save()
    assert signed_in(bob).get(reverse("staff:runs")).status_code == 403


@pytest.mark.parametrize(
    "name", [name for name in (*CUSTOMER_NAMES, *STAFF_NAMES) if name not in NO_PAGE | FOR_COSIGNERS]
)
@pytest.mark.parametrize("method", ["get", "head"])
def test_reading_changes_nothing(name: str, method: str, ids: dict, as_alice: Client, as_staff: Client) -> None:
    before = rows()
    visitor = as_staff if name in STAFF_NAMES else as_alice
    answer = getattr(visitor, method)(address(name, ids.get(name)))
    assert answer.status_code == (405 if name in POST_ONLY else 200)
    after = rows()
    if (name, method) == ("agent:action", "get"):  # decides nothing, and keeps that it was shown
        for record in ("AuditEntry", "ActionTrace"):
            assert len(after.pop(record)) == len(before.pop(record)) + 1
    assert after == before


@pytest.mark.parametrize(
    "name", ["agent:start", "agent:stop", "agent:person", "agent:person_new", "agent:action", "agent:programs"]
)
def test_a_post_without_its_token_changes_nothing(name: str, ids: dict, alice: Any) -> None:
    before = rows()
    answer = signed_in(alice, enforce_csrf_checks=True).post(
        address(name, ids.get(name)), {"q": "Hello", "decision": "confirm"}
    )
    assert answer.status_code == 403
    assert "too old" in answer.text
    assert rows() == before


@pytest.mark.parametrize(
    "name", ["agent:home", "agent:run", "agent:action", "agent:history", "staff:runs", "staff:run"]
)
def test_nothing_keeps_or_frames_a_page(name: str, ids: dict, as_alice: Client, as_staff: Client) -> None:
    visitor = as_staff if name in STAFF_NAMES else as_alice
    answer = visitor.get(address(name, ids.get(name)))
    assert {"no-store", "private"} <= {part.strip() for part in answer["Cache-Control"].split(",")}
    assert answer["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
    assert (answer["Referrer-Policy"], answer["X-Robots-Tag"]) == ("same-origin", "noindex")


def test_the_sign_in_leads_back(client: Client, alice: Any, ids: dict) -> None:
    url = reverse("agent:action", args=[ids["agent:action"]])
    sign_in = client.get(url).url
    assert client.post(sign_in, {"login": "alice", "password": "correct horse battery"}).url == url


@pytest.mark.parametrize("status", [403, 404])
def test_errors_speak_in_sentences(status: int, as_alice: Client) -> None:
    url = reverse("staff:runs") if status == 403 else "/nowhere/"
    answer = as_alice.get(url)
    assert answer.status_code == status
    assert "Back to the chat" in answer.text
