"""The customer's activity: what waits and can be withdrawn, receipts, what was read and changed, and a copy to keep."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agent.models import PendingAction
from billing.models import Refund
from tests.pages.conftest import JSON, ORDER, refund_proposed

HISTORY, DOWNLOAD = "/agent/history/", "/agent/history/download/"
State = PendingAction.State


def decide(client: Client, action: PendingAction, decision: str) -> Any:
    return client.post(f"/agent/actions/{action.pk}/", {"decision": decision, "digest": action.digest})


def test_an_empty_history_says_so(as_alice: Client) -> None:
    page = as_alice.get(HISTORY).text
    for words in ("Nothing waits for you.", "Nothing was changed or declined yet", "has not looked anything up"):
        assert words in page


def test_what_waits_has_its_link_and_can_be_withdrawn(as_alice: Client, proposal: PendingAction) -> None:
    page = as_alice.get(HISTORY).text
    assert "Review and confirm" in page
    assert f'name="digest" value="{proposal.digest}"' in page
    decide(as_alice, proposal, "reject")  # what the button sends
    proposal.refresh_from_db()
    assert (proposal.state, Refund.objects.count()) == (State.REJECTED, 0)
    after = as_alice.get(HISTORY).text
    assert "Nothing waits for you." in after
    assert proposal.reference in after


def test_what_is_overdue_waits_no_more(as_alice: Client, proposal: PendingAction) -> None:
    PendingAction.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    page = as_alice.get(HISTORY).text
    assert "Nothing waits for you." in page
    assert "Review and confirm" not in page


def test_what_waits_for_staff_can_be_withdrawn(as_alice: Client, alice: User, order: Any, settings: Any) -> None:
    settings.AGENT = {**settings.AGENT, "COSIGN": {"refund_order": {"EUR": 2000}}}
    action = refund_proposed(alice, amount="30.00")
    decide(as_alice, action, "confirm")
    assert "Withdraw: Refund €30.00" in as_alice.get(HISTORY).text
    decide(as_alice, action, "reject")
    action.refresh_from_db()
    assert (action.state, Refund.objects.count()) == (State.REJECTED, 0)


def test_what_was_done_has_its_receipt(as_alice: Client, proposal: PendingAction) -> None:
    decide(as_alice, proposal, "confirm")
    page = as_alice.get(HISTORY).text
    assert f"Receipt <bdi>{proposal.reference}</bdi>" in page
    assert f"/agent/actions/{proposal.pk}/" in page


@pytest.mark.parametrize(("url", "headers"), [(DOWNLOAD, {}), (HISTORY, JSON)])
def test_the_copy_holds_what_was_read_and_changed(
    as_alice: Client, proposal: PendingAction, url: str, headers: dict[str, str]
) -> None:
    decide(as_alice, proposal, "confirm")
    copy = as_alice.get(url, headers=headers).json()
    assert [(row["id"], row["state"]) for row in copy["proposals"]] == [(str(proposal.pk), "executed")]
    assert [(call["kind"], call["tool"]) for call in copy["calls"]] == [
        ("change", "refund_order"), ("read", "order_status"),
    ]  # fmt: skip
    assert copy["calls"][1]["arguments"] == {"order_number": ORDER}
    assert all(call["at"] and call["conversation"] for call in copy["calls"])


def test_the_download_is_a_file_that_nobody_keeps(as_alice: Client, proposal: PendingAction) -> None:
    answer = as_alice.get(DOWNLOAD)
    assert answer["Content-Disposition"].startswith('attachment; filename="history-')
    assert "no-store" in answer["Cache-Control"]


def test_the_copy_is_the_customers_own(as_bob: Client, proposal: PendingAction) -> None:
    copy = as_bob.get(DOWNLOAD).json()
    assert (copy["account"], copy["proposals"], copy["calls"]) == ("bob", [], [])


def test_looking_at_it_changes_nothing(as_alice: Client, proposal: PendingAction) -> None:
    for url in (HISTORY, DOWNLOAD):
        as_alice.get(url)
    proposal.refresh_from_db()
    assert (proposal.state, Refund.objects.count()) == (State.PENDING, 0)


HEAVY = ('."system_prompt"', '."tools"', '"agent_agentstep"."result",')


@pytest.mark.parametrize("page", ["agent:history", "agent:history_download", "agent:home"])
def test_no_list_reads_what_models_were_sent(
    as_alice: Client, proposal: PendingAction, page: str, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(15) as sent:
        assert as_alice.get(reverse(page)).status_code == 200
    read = " ".join(query["sql"] for query in sent.captured_queries)
    assert [column for column in HEAVY if column in read] == []
