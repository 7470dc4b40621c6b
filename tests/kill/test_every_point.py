"""A three-turn run with one proposal, dead at every point: the next worker ends it as if nothing had been."""

import re
import threading
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from agent import db
from agent.models import AgentRun, AuditEntry, Conversation, Event, Handoff, PendingAction
from agent.providers.anthropic import AnthropicProvider
from agent.runs import leases, loop, start
from agent.testing import ScriptedClient, text, tool_use
from tests.agent.conftest import paid_order
from tests.kill.points import Points, die_by_exception, watched

pytestmark = pytest.mark.django_db(transaction=True)

SCRIPT = [
    [
        tool_use("order_status", order_number="DZ-10001", id="toolu_1"),
        tool_use("hand_off", reason="policy", summary="A refund was asked for.", id="toolu_2"),
    ],
    [tool_use("refund_order", order_number="DZ-10001", amount="10.00", id="toolu_3")],
    [text("Please confirm the refund.")],
]
WATCHED = {"a commit", "a publication", "a model call", "a tool call"}  # alone, the customer has nothing that waits
IDS = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|T-[0-9]+")


class Stateless:
    """A model that answers by what it is sent, so that the one who is asked again answers the same."""

    def __init__(self) -> None:
        self.messages = self

    def create(self, **request: Any) -> Any:
        turn = sum(message["role"] == "assistant" for message in request["messages"])
        return ScriptedClient({"content": SCRIPT[turn]}).create(**request)


def play(customer, *, die_at: int) -> tuple[AgentRun, list[str]]:
    """One run from the question to its end, by a worker that dies at the point and one that does not."""
    run = start.accept(customer, "Look, then give me 10 euros of DZ-10001 back.")
    provider = AnthropicProvider(client=Stateless(), stream=False)
    passed = in_a_worker_of_its_own(run, provider, die_at=die_at)
    if die_at:
        AgentRun.objects.filter(pk=run.pk, state=AgentRun.State.RUNNING).update(lease_until=timezone.now())
        work(run, provider)
    run.refresh_from_db()
    return run, passed


def in_a_worker_of_its_own(run: AgentRun, provider: Any, *, die_at: int) -> list[str]:
    """A thread with its own connection, which ends with it in whatever state it is, as a dead worker's does."""
    passed: list[str] = []

    def worker() -> None:
        points = Points(die_at=die_at, die=die_by_exception)
        try:
            with watched(points, provider=provider):
                work(run, provider)
        except BaseException:
            # Once it is dead, what Django says of the connection that it left is nobody's business.
            if len(points.passed) < die_at or not die_at:
                raise
        finally:
            passed.extend(points.passed)
            connection.ensure_connection()
            connection.connection.close()

    thread = threading.Thread(target=worker)
    thread.start()
    thread.join(timeout=30)
    return passed


def work(run: AgentRun, provider: Any) -> None:
    lease = leases.claim(run.pk)
    if lease is not None:
        loop.carry_out(lease, provider=provider)


def story(run: AgentRun) -> dict[str, Any]:
    """What is left of a run, without what must differ."""
    steps = run.steps.values_list("sequence", "call_id", "tool", "outcome", "result")
    shown = Event.objects.filter(conversation=run.conversation).exclude(data__state="running")
    return {
        "state": run.state,
        "steps": [(*step[:4], IDS.sub("ID", step[4])) for step in steps],
        "turns": list(run.turns.values_list("index", "stop_reason")),
        "said": list(run.messages.values_list("author", "text")),
        "actions": list(run.actions.values_list("tool", "state", "summary")),
        "tickets": Handoff.objects.filter(conversation=run.conversation).count(),
        "audit": list(AuditEntry.objects.filter(conversation_id=run.conversation_id).values_list("kind", flat=True)),
        "events": [(kind, IDS.sub("ID", str(data.get("state")))) for kind, data in shown.values_list("kind", "data")],
    }


def test_run_that_died_anywhere_ends_like_the_one_that_did_not(alice, capsys):
    paid_order(alice, number="DZ-10001")
    run, points = play(alice, die_at=0)
    expected = story(run)
    assert (expected["state"], len(expected["actions"]), expected["tickets"]) == ("done", 1, 1)
    for number, name in enumerate(points, start=1):
        PendingAction.objects.all().delete()
        run, passed = play(alice, die_at=number)
        assert passed == points[:number], "it lived on"
        assert story(run) == expected, f"dead at point {number}: {name}"
    with capsys.disabled():
        print(f"\n{len(points)} points of death, each survived")
    assert {name.removeprefix("before ") for name in points[::2] if name.startswith("before")} == WATCHED
    # On PostgreSQL what a tool reads is a transaction of its own.
    assert len(points) >= (42 if connection.vendor == "postgresql" else 38)


def test_events_stay_without_gaps_at_every_point(alice):
    paid_order(alice, number="DZ-10001")
    _, points = play(alice, die_at=0)
    for number in range(1, len(points) + 1, 3):
        run, _ = play(alice, die_at=number)
        numbers = list(Event.objects.filter(conversation=run.conversation).values_list("seq", flat=True))
        assert numbers == list(range(1, len(numbers) + 1))


def test_plain_sql_is_a_point_too(alice):
    conversation = start.accept(alice, "Hello").conversation
    points = Points(die=die_by_exception)
    with watched(points, provider=AnthropicProvider(client=Stateless(), stream=False)):
        db.insert([event(conversation, seq=11)])
        with transaction.atomic():
            db.insert([event(conversation, seq=12)])
    kinds = ["a single write", "a commit"]
    assert points.passed == [f"{when} {kind}" for kind in kinds for when in ("before", "after")]


def event(conversation: Conversation, *, seq: int) -> Event:
    return Event(conversation=conversation, seq=seq, kind="message", data={})
