"""The queue of the second signature: who sees it, what it shows, and that one POST decides."""

import html
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from agent.models import PendingAction
from billing.models import Refund
from tests.pages.conftest import asked_by, refund_proposed, signed_in

State = PendingAction.State
QUEUE = "/staff/actions/"


@pytest.fixture
def waiting(alice: User, order: Any, as_alice: Client, settings: Any) -> PendingAction:
    """What Alice confirmed and staff have not approved."""
    settings.AGENT = {**settings.AGENT, "COSIGN": {"refund_order": {"EUR": 2000}}}
    action = refund_proposed(alice, amount="30.00")
    as_alice.post(f"/agent/actions/{action.pk}/", {"decision": "confirm", "digest": action.digest})
    action.refresh_from_db()
    return action


@pytest.fixture
def as_signer(staff: User) -> Client:
    staff.user_permissions.add(Permission.objects.get(codename="cosign_action"))
    return signed_in(User.objects.get(pk=staff.pk))


def post(client: Client, action: PendingAction, decision: str) -> Any:
    return client.post(f"{QUEUE}{action.pk}/", {"decision": decision, "digest": action.digest})


def test_the_queue_is_empty_in_words(as_signer: Client) -> None:
    assert "Nothing waits for approval." in as_signer.get(QUEUE).text


def test_the_queue_lists_what_waits(as_signer: Client, waiting: PendingAction) -> None:
    page = as_signer.get(QUEUE).text
    assert waiting.summary in page
    assert f"{QUEUE}{waiting.pk}/" in page


def test_the_page_shows_the_facts_and_the_run(as_signer: Client, waiting: PendingAction) -> None:
    page = as_signer.get(f"{QUEUE}{waiting.pk}/").text
    for words in (waiting.digest, "4242", f"/staff/runs/{waiting.run_id}/", "Approve: Refund €30.00"):
        assert words in page
    assert Refund.objects.count() == 0


def test_the_page_says_who_prepared_it(as_signer: Client, waiting: PendingAction) -> None:
    page = as_signer.get(f"{QUEUE}{waiting.pk}/").text
    assert "Prepared by the assistant at the customer's request, " in html.unescape(page)
    assert "calls itself" not in page


def test_the_page_names_the_program_that_asked(
    alice: User, order: Any, as_alice: Client, as_signer: Client, settings: Any
) -> None:
    settings.AGENT = {**settings.AGENT, "COSIGN": {"refund_order": {"EUR": 2000}}}
    action = asked_by(alice, "Desk <b>“1”</b>", amount="30.00")
    as_alice.post(f"/agent/actions/{action.pk}/", {"decision": "confirm", "digest": action.digest})
    page = as_signer.get(f"{QUEUE}{action.pk}/").text
    assert "a program that the customer connected and that calls itself “<bdi>Desk &lt;b&gt;1&lt;/b&gt;</bdi>”" in page
    assert "Prepared by the assistant" not in page


def test_approving_does_it_and_the_customer_has_the_receipt(
    as_signer: Client, as_alice: Client, waiting: PendingAction
) -> None:
    assert post(as_signer, waiting, "confirm").status_code == 302
    assert Refund.objects.get().amount_minor == 3000
    assert "Approved by a member of staff on" in as_alice.get(f"/agent/actions/{waiting.pk}/").text
    assert post(as_signer, waiting, "reject").status_code == 302
    assert Refund.objects.count() == 1


def test_declining_tells_the_customer(as_signer: Client, as_alice: Client, waiting: PendingAction) -> None:
    post(as_signer, waiting, "reject")
    page = as_alice.get(f"/agent/actions/{waiting.pk}/")
    assert "a member of staff did not approve it. Nothing was changed" in page.text
    assert Refund.objects.count() == 0


def test_the_customers_page_says_that_it_waits(as_alice: Client, waiting: PendingAction) -> None:
    page = as_alice.get(f"/agent/actions/{waiting.pk}/").text
    assert "a member of staff has to approve it too. Nothing has been changed yet" in page
    assert 'value="reject"' in page
    assert 'value="confirm"' not in page


@pytest.mark.parametrize("method", ["get", "post"])
def test_others_are_kept_out(as_bob: Client, as_staff: Client, waiting: PendingAction, method: str) -> None:
    for client in (as_bob, as_staff):
        assert client.get(QUEUE).status_code == 403
        assert getattr(client, method)(f"{QUEUE}{waiting.pk}/").status_code == 403
    assert Refund.objects.count() == 0


def test_a_form_without_its_token_does_nothing(staff: User, as_signer: Client, waiting: PendingAction) -> None:
    strict = signed_in(staff, enforce_csrf_checks=True)
    assert post(strict, waiting, "confirm").status_code == 403
    assert Refund.objects.count() == 0


def test_an_unknown_decision_is_400(as_signer: Client, waiting: PendingAction) -> None:
    assert post(as_signer, waiting, "maybe").status_code == 400
    assert Refund.objects.count() == 0
