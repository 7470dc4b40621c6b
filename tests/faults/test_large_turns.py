"""A model that sends megabytes: what is stored, shown and sent back has a bound, and the customer reads words."""

import json
from typing import Any

import pytest

from agent.models import Event, Message
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from tests.faults.conftest import NUMBER, Ask
from tests.faults.test_matrix import assert_goes_on, said
from tests.providers.test_stand_in import StandIn

pytestmark = pytest.mark.django_db

HUGE = "9" * 5_000_000
LARGE = "9" * 300_000  # where it is streamed: in pieces of a few characters
BOUND = 200_000
STATUS: dict[str, Any] = {"type": "tool_use", "name": "order_status", "input": {"order_number": NUMBER}}
TOO_LARGE: dict[str, Any] = {**STATUS, "input": {"order_number": LARGE}}
ANSWER: list[dict[str, Any]] = [{"type": "text", "text": "It is paid."}]


def scripted(model: StandIn, *turns: list[dict[str, Any]]) -> None:
    model.post("/_script", [{"match": "Where is it?", "turns": list(turns)}])


def kept(run: Any) -> int:
    """Characters of all that is stored of the run."""
    rows = [
        *run.turns.values_list("content", flat=True),
        *run.steps.values_list("arguments", "result"),
        *Message.objects.filter(run=run).values_list("text", flat=True),
        *Event.objects.filter(conversation=run.conversation).values_list("data", flat=True),
        run.partial_text,
    ]
    return sum(len(json.dumps(row)) for row in rows)


@pytest.mark.parametrize("given", [{"order_number": HUGE}, {"more": [HUGE, HUGE]}, {HUGE: 1}])
def test_arguments_are_replaced_and_their_call_is_refused(customer: Any, given: dict[str, Any]) -> None:
    client = ScriptedClient([tool_use("order_status", **given)], [text("I could not look it up.")])
    run = run_agent_for_user("Where is it?", user=customer, client=client)
    step = run.steps.get()
    result = {"error": "invalid arguments: longer than 20000 characters"}
    assert (step.outcome, json.loads(step.result), list(step.arguments)) == ("invalid", result, ["too_large"])
    assert (run.state, said(run), kept(run) < BOUND) == ("done", ["I could not look it up."], True)


def test_service_takes_the_turn_back_with_its_thinking(model: StandIn, answered: Ask, called: list[str]) -> None:
    thinking = {"type": "thinking", "thinking": "I look twice."}
    scripted(model, [thinking, {"type": "text", "text": "I look."}, TOO_LARGE, STATUS], [thinking, STATUS], ANSWER)
    run = answered("Where is it?")
    assert list(run.steps.values_list("outcome", flat=True)) == ["invalid", "ok", "ok"]
    assert (run.state, said(run), called) == ("done", ["I look.", "It is paid."], ["order_status"] * 2)
    assert kept(run) < BOUND
    assert_goes_on(model, answered, run)


def test_text_is_cut_and_said_to_be(model: StandIn, answered: Ask) -> None:
    scripted(model, [{"type": "text", "text": LARGE}])
    run = answered("Where is it?")
    assert (run.state, run.error_code, kept(run) < BOUND) == ("failed", "max_tokens", True)
    assert said(run)[0].startswith("999")
    assert run.reference in said(run)[0][-300:]
    assert_goes_on(model, answered, run)


def test_what_cannot_be_cut_ends_in_words(model: StandIn, answered: Ask) -> None:
    scripted(model, [{"type": "thinking", "thinking": LARGE}, *ANSWER])
    run = answered("Where is it?")
    assert (run.state, run.error_code, run.turns.count(), kept(run) < BOUND) == ("failed", "bad_turn", 0, True)
    assert run.reference in said(run)[0]
    assert_goes_on(model, answered, run)
