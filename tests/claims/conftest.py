"""A conversation in which a refund and a cancellation were done, and two other states were read."""

import json

import pytest
from django.utils import timezone

from agent import claims
from agent.models import AgentStep, ModelTurn, PendingAction
from agent.runs import start

# The orders and their books are those of the agent's own tests.
from tests.agent.conftest import customer, order  # noqa: F401


def action_of(run, tool, summary, **changes):
    now = timezone.now()
    row = {"state": PendingAction.State.EXECUTED, "decided_at": now, "expires_at": now, "result": {}, **changes}
    return PendingAction.objects.create(user=run.user, run=run, tool=tool, digest=summary[:60], summary=summary, **row)


def read_record(run, **result):
    turn, _ = ModelTurn.objects.get_or_create(run=run, index=0, defaults={"content": []})
    number = run.steps.count() + 1
    return AgentStep.objects.create(
        run=run, turn=turn, sequence=number, call_id=f"call_{number}", tool="look", arguments={},
        outcome=AgentStep.Outcome.OK, result=json.dumps(result),
    )  # fmt: skip


@pytest.fixture
def run(alice):
    return start.accept(alice, "Hello")


@pytest.fixture
def busy_run(run):
    """The run of the conversation in which all that was done."""
    sentence = "Refund €42.00 for order DZ-10423 to the card ending 4242"
    action_of(run, "refund_order", sentence, result={"refunded": "42.00 EUR", "left_to_refund": "99.00 EUR"})
    action_of(run, "cancel_order", "Cancel order DZ-10430", result={"order_number": "DZ-10430", "status": "cancelled"})
    read_record(run, order_number="DZ-10440", status="cancelled", can_do_text="It can no longer be refunded.")
    read_record(run, orders=[{"order_number": "DZ-10441", "status": "return requested"}])
    return run


@pytest.fixture
def judge(busy_run):
    return claims.Judge(lambda: claims.facts_for(busy_run))


@pytest.fixture
def judge_elsewhere(busy_run, alice):
    """Of another conversation of the same customer."""
    other = start.accept(alice, "Hello again")
    return claims.Judge(lambda: claims.facts_for(other))
