"""The customer's history and the staff's review: what they show, how they filter, and what they cost."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agent.models import AgentRun, AgentStep, ModelTurn
from tests.pages.conftest import refund_proposed

HISTORY, RUNS = "/agent/history/", "/staff/runs/"


def queries(client: Client, url: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        assert client.get(url).status_code == 200
    return len(seen)


def more_of(run: AgentRun, *, count: int) -> None:
    """More runs of the same conversation, each with a turn and a call."""
    last = AgentRun.objects.count()
    for number in range(last + 1, last + count + 1):
        made = AgentRun.objects.create(
            conversation=run.conversation, user=run.user, number=number, prompt=f"Question {number}", state="done"
        )
        AgentRun.objects.filter(pk=made.pk).update(created_at=run.created_at + timedelta(seconds=number))
        turn = ModelTurn.objects.create(run=made, index=0, content=[], stop_reason="tool_use")
        AgentStep.objects.create(
            run=made, turn=turn, sequence=1, call_id="c", tool="list_orders", arguments={}, outcome="ok", result="{}"
        )


@pytest.mark.parametrize("url", [HISTORY, RUNS])
def test_a_list_costs_the_same_with_many_rows(url: str, answered: AgentRun, as_alice: Client, as_staff: Client) -> None:
    visitor = as_staff if url == RUNS else as_alice
    visitor.get(url)
    few = queries(visitor, url)
    more_of(answered, count=25)
    assert queries(visitor, url) == few


def test_history_tells_what_was_looked_up_and_proposed(as_alice: Client, proposal: Any) -> None:
    page = as_alice.get(HISTORY).text
    assert "Looking up order DZ-10001" in page
    assert reverse("agent:action", args=[proposal.pk]) in page


def test_history_is_the_customers_own(as_bob: Client, proposal: Any) -> None:
    page = as_bob.get(HISTORY).text
    assert "DZ-10001" not in page
    assert "The assistant has not looked anything up for you yet" in page


def test_history_goes_on_page_by_page(as_alice: Client, answered: AgentRun) -> None:
    more_of(answered, count=40)
    first = as_alice.get(HISTORY)
    older = first.context["older"]
    second = as_alice.get(f"{HISTORY}?{older}")
    seen = [row["step"].pk for page in (first, second) for row in page.context["steps"]]
    assert len(seen) == len(set(seen)) == AgentStep.objects.count()
    assert second.context["older"] == ""


@pytest.mark.parametrize(
    "before",
    [
        "yesterday", "2026-01-01", "2026-01-01T00:00:00Z", "9999-99-99T00:00:00Z~1", "~",
        "0001-01-01T00:00:00+14:00~1", "9999-12-31T23:59:59-14:00~1",
    ],
)  # fmt: skip
def test_a_damaged_page_address_is_400(as_alice: Client, as_staff: Client, before: str) -> None:
    assert as_alice.get(HISTORY, {"before": before}).status_code == 400
    assert as_staff.get(RUNS, {"before": before}).status_code == 400


@pytest.mark.parametrize("pk", ["²", "٣", "9" * 5000, "9" * 30, "-1", "x"])
def test_a_place_that_names_no_row_is_its_time_alone(
    as_alice: Client, as_staff: Client, answered: Any, pk: str
) -> None:
    before = f"2026-01-01T00:00:00Z~{pk}"
    assert as_alice.get(HISTORY, {"before": before}).status_code == 200
    assert as_staff.get(RUNS, {"before": before}).status_code == 200


def test_the_review_lists_every_customers_runs(as_staff: Client, answered: AgentRun) -> None:
    page = as_staff.get(RUNS).text
    assert reverse("staff:run", args=[answered.pk]) in page
    assert "Alice" in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"state": "done"}, True),
        ({"state": "failed"}, False),
        ({"outcome": "proposed"}, True),
        ({"outcome": "error"}, False),
        ({"customer": "ALI"}, True),
        ({"customer": "nobody"}, False),
        ({"customer": "\x00"}, True),
        ({"since": "2020-01-01"}, True),
        ({"until": "2020-01-01"}, False),
        ({"since": "nonsense"}, True),
        ({"state": "nonsense"}, True),
    ],
)
def test_the_review_filters(as_staff: Client, answered: AgentRun, query: dict, found: bool) -> None:
    page = as_staff.get(RUNS, query)
    assert page.status_code == 200
    assert (reverse("staff:run", args=[answered.pk]) in page.text) is found


def test_the_review_pages_keep_the_filter_and_repeat_nothing(as_staff: Client, answered: AgentRun) -> None:
    more_of(answered, count=60)
    first = as_staff.get(RUNS, {"state": "done"})
    assert "state=done" in first.context["older"]
    second = as_staff.get(f"{RUNS}?{first.context['older']}")
    seen = [run.pk for page in (first, second) for run in page.context["runs"]]
    assert len(seen) == len(set(seen)) == 61


def test_the_review_shows_every_turn_and_call(as_staff: Client, answered: AgentRun) -> None:
    page = as_staff.get(reverse("staff:run", args=[answered.pk])).text
    for words in ("Model call 3", "order_status", "refund_order", "DZ-10001", "awaiting_confirmation", "end_turn"):
        assert words in page
    assert page.count("<form") == 1  # only the one that signs out: the review is read-only


def test_hostile_results_stay_text_in_the_review(as_staff: Client, answered: AgentRun) -> None:
    AgentStep.objects.filter(run=answered).update(result='{"note": "<script>alert(1)</script>"}')
    ModelTurn.objects.filter(run=answered).update(content=[{"type": "text", "text": "<img src=x> [x](javascript:1)"}])
    page = as_staff.get(reverse("staff:run", args=[answered.pk])).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert 'href="javascript' not in page


def test_the_review_of_a_run_costs_the_same_with_many_calls(as_staff: Client, alice: Any, answered: AgentRun) -> None:
    url = reverse("staff:run", args=[answered.pk])
    few = queries(as_staff, url)
    turn = answered.turns.first()
    for number in range(10, 30):
        AgentStep.objects.create(
            run=answered, turn=turn, sequence=number, call_id=f"c{number}", tool="x", arguments={}, outcome="ok"
        )
    assert queries(as_staff, url) == few


def test_two_proposals_are_two_lines(as_alice: Client, alice: Any, proposal: Any) -> None:
    refund_proposed(alice, amount="3.00")
    shown = as_alice.get(HISTORY).context  # the newer took the place of the older
    assert (len(shown["waiting"]), len(shown["actions"])) == (1, 1)


def test_the_style_page_draws_every_piece(as_staff: Client) -> None:
    page = as_staff.get(reverse("staff:style"))
    assert page.status_code == 200
    for words in (
        "Received. The answer will start shortly",
        "Review and confirm",
        "Ask for a fresh page",
        "This was not sent",
    ):
        assert words in page.text
