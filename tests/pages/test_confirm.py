"""The document: every state, its status code, and that nothing happens but by its own button."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agent.models import PendingAction
from billing import services as books
from billing.models import Refund
from tests.pages.conftest import JSON, ORDER, refund_proposed

State = PendingAction.State


def address(action: PendingAction) -> str:
    return f"/agent/actions/{action.pk}/"


def confirm(client: Client, action: PendingAction, **more: Any) -> Any:
    return client.post(address(action), {"decision": "confirm", "digest": action.digest}, **more)


def expire(action: PendingAction) -> None:
    PendingAction.objects.filter(pk=action.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def pay_back(order: Any, *, minor: int) -> None:
    """The shop refunds something by another way meanwhile."""
    books.refund(order.account, amount_minor=minor)


def test_the_document_says_what_would_be_done(as_alice: Client, proposal: PendingAction) -> None:
    page = as_alice.get(address(proposal))
    assert page.status_code == 200
    for words in ("Refund €10.00", "Nothing has been changed yet", ORDER, proposal.digest, "Don't refund"):
        assert words in page.text or words.replace("'", "&#x27;") in page.text
    assert Refund.objects.count() == 0


def test_the_document_as_json(as_alice: Client, proposal: PendingAction) -> None:
    data = as_alice.get(address(proposal), headers=JSON).json()
    assert {"id", "state", "title", "lines", "digest", "expires_at", "result"} <= data.keys()
    assert (data["id"], data["state"], data["digest"], data["result"]) == (
        str(proposal.pk), "pending", proposal.digest, None,
    )  # fmt: skip
    assert {"label": "Order", "value": ORDER} in data["lines"]


def test_confirming_leads_to_the_receipt(as_alice: Client, proposal: PendingAction) -> None:
    answer = confirm(as_alice, proposal)
    assert (answer.status_code, answer.url) == (302, address(proposal))
    receipt = as_alice.get(answer.url)
    assert receipt.status_code == 200
    assert proposal.reference in receipt.text
    assert Refund.objects.count() == 1


def test_confirming_as_json_is_200(as_alice: Client, proposal: PendingAction) -> None:
    answer = confirm(as_alice, proposal, headers=JSON)
    assert (answer.status_code, answer.json()["state"]) == (200, "executed")
    assert answer.json()["result"]


@pytest.mark.parametrize("second", ["confirm", "reject"])
def test_deciding_again_shows_the_receipt_and_does_nothing(
    as_alice: Client, proposal: PendingAction, second: str
) -> None:
    confirm(as_alice, proposal)
    again = as_alice.post(address(proposal), {"decision": second, "digest": proposal.digest})
    assert again.status_code == 200
    assert "You confirmed this, and it was done" in again.text
    assert Refund.objects.count() == 1


def test_declining_changes_nothing(as_alice: Client, proposal: PendingAction) -> None:
    answer = as_alice.post(address(proposal), {"decision": "reject", "digest": proposal.digest}, follow=True)
    assert "You declined this" in answer.text
    assert Refund.objects.count() == 0


@pytest.mark.parametrize("method", ["get", "post"])
def test_an_expired_page_is_gone_and_says_why(as_alice: Client, proposal: PendingAction, method: str) -> None:
    expire(proposal)
    page = as_alice.get(address(proposal)) if method == "get" else confirm(as_alice, proposal)
    assert page.status_code == 410
    assert "This page has expired" in page.text
    assert "Ask for a fresh page" in page.text
    assert as_alice.get(address(proposal), headers=JSON).json()["state"] == "expired"
    assert Refund.objects.count() == 0


def test_one_click_renews_an_expired_page(as_alice: Client, proposal: PendingAction) -> None:
    expire(proposal)
    answer = as_alice.post(address(proposal), {"decision": "renew"})
    fresh = PendingAction.objects.get(renews=proposal)
    assert (answer.status_code, answer.url) == (302, address(fresh))
    assert "Nothing has been changed yet" in as_alice.get(answer.url).text


def test_what_is_still_open_is_not_renewed(as_alice: Client, proposal: PendingAction) -> None:
    answer = as_alice.post(address(proposal), {"decision": "renew"})
    assert answer.status_code == 409
    assert PendingAction.objects.count() == 1


def test_a_wrong_digest_does_nothing_and_asks_again(as_alice: Client, proposal: PendingAction) -> None:
    page = as_alice.post(address(proposal), {"decision": "confirm", "digest": "0" * 64})
    data = as_alice.post(address(proposal), {"decision": "confirm"}, headers=JSON)
    assert (page.status_code, data.status_code) == (409, 409)
    assert "There is a problem" in page.text
    assert "<title>Error: " in page.text
    assert data.json()["digest"] == proposal.digest
    assert Refund.objects.count() == 0


def test_other_facts_are_shown_beside_the_old_ones(as_alice: Client, proposal: PendingAction, order: Any) -> None:
    pay_back(order, minor=500)
    page = confirm(as_alice, proposal)
    assert page.status_code == 409
    assert "<del>" in page.text
    assert "<ins>" in page.text
    assert Refund.objects.count() == 1
    proposal.refresh_from_db()
    assert proposal.digest in page.text


def test_what_became_impossible_says_why(as_alice: Client, proposal: PendingAction, order: Any) -> None:
    pay_back(order, minor=6000)
    answer = confirm(as_alice, proposal, follow=True)
    proposal.refresh_from_db()
    assert (answer.status_code, proposal.state) == (200, State.FAILED)
    assert "you were not charged" in answer.text
    assert proposal.reason
    assert Refund.objects.count() == 1


@pytest.mark.parametrize("decision", ["", "CONFIRM", "delete", "\x00"])
def test_an_unknown_decision_is_400(as_alice: Client, proposal: PendingAction, decision: str) -> None:
    page = as_alice.post(address(proposal), {"decision": decision, "digest": proposal.digest})
    data = as_alice.post(address(proposal), {"decision": decision}, headers=JSON)
    assert (page.status_code, data.status_code) == (400, 400)
    assert "Nothing was changed" in data.json()["error"]
    assert Refund.objects.count() == 0


def test_too_many_decisions_say_when_to_try_again(as_alice: Client, proposal: PendingAction, settings: Any) -> None:
    """SECURITY 39."""
    settings.AGENT = {**settings.AGENT, "CONFIRMS_A_MINUTE": 0}
    answer = confirm(as_alice, proposal, headers=JSON)
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0
    assert Refund.objects.count() == 0


def test_a_replaced_page_leads_to_the_newer_one(as_alice: Client, proposal: PendingAction) -> None:
    expire(proposal)
    as_alice.post(address(proposal), {"decision": "renew"})
    PendingAction.objects.filter(pk=proposal.pk).update(state=State.SUPERSEDED)
    fresh = PendingAction.objects.get(renews=proposal)
    assert address(fresh) in as_alice.get(address(proposal)).text


def test_what_the_customer_wrote_is_not_marked(as_alice: Client, proposal: PendingAction) -> None:
    page = as_alice.get(address(proposal)).text
    assert "You did not" not in page
    assert as_alice.get(address(proposal), headers=JSON).json()["sources"] == {"order_number": "said", "amount": "said"}


def test_what_the_customer_did_not_write_is_marked(as_alice: Client, proposal: PendingAction) -> None:
    sources = {"order_number": "record", "amount": "neither", "payment_method": "neither"}
    PendingAction.objects.update(sources=sources)
    page = as_alice.get(address(proposal)).text
    assert page.count("You did not write this in the chat. It is from the shop&#x27;s records.") == 1
    assert page.count("You did not mention this in the chat. The assistant filled it in") == 2
    assert "<strong>Payment method:</strong>" in page  # it has no line of its own


def test_what_has_no_name_is_marked_too(as_alice: Client, proposal: PendingAction) -> None:
    PendingAction.objects.update(sources={"skus": "neither"})
    assert "Some of this you did not mention in the chat" in as_alice.get(address(proposal)).text


def test_a_superseded_page_leads_to_the_newer_one(as_alice: Client, alice: Any, proposal: PendingAction) -> None:
    newer = refund_proposed(alice, amount="20.00")
    page = as_alice.get(address(proposal))
    assert page.status_code == 200
    assert "A newer proposal has taken the place of this one" in page.text
    assert address(newer) in page.text
    assert "decision" not in page.text


def test_other_rules_are_asked_anew_in_words(as_alice: Client, proposal: PendingAction, settings: Any) -> None:
    settings.AGENT = {**settings.AGENT, "CONFIRM_MINUTES": 5}
    page = confirm(as_alice, proposal)
    assert page.status_code == 409
    assert "The shop&#x27;s rules for this changed" in page.text
    assert Refund.objects.count() == 0


def test_hostile_words_stay_text_on_the_document(as_alice: Client, proposal: PendingAction) -> None:
    nasty = "<img src=x onerror=alert(1)>\u202e"
    PendingAction.objects.filter(pk=proposal.pk).update(state=State.FAILED, decided_at=timezone.now(), reason=nasty)
    page = as_alice.get(address(proposal)).text
    assert "<img" not in page
    assert "&lt;img" in page
