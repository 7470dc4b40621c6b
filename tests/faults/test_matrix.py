"""Each fault of a model service in each turn of a run: the customer gets the answer, or words with a reference."""

from typing import Any

import pytest

from agent.models import AgentRun, AgentStep, AuditEntry, Message, PendingAction
from tests.faults.conftest import NUMBER, Ask
from tests.providers.test_stand_in import StandIn

pytestmark = pytest.mark.django_db

State = AgentRun.State

QUESTION = "Look at my order, then give me 10 euros back."
ANSWER = "Please confirm the refund on the page."
TURNS: list[list[dict[str, Any]]] = [
    [
        {"type": "thinking", "thinking": "I look first."},
        {"type": "text", "text": "I look it up."},
        {"type": "tool_use", "name": "order_status", "input": {"order_number": NUMBER}},
    ],
    [
        {"type": "text", "text": "I propose it."},
        {"type": "tool_use", "name": "refund_order", "input": {"order_number": NUMBER, "amount": "10.00"}},
    ],
    [{"type": "text", "text": ANSWER}],
]
PASSING: list[dict[str, Any]] = [
    {"status": 529},
    {"status": 429, "retry_after": 1},
    {"status": 500},
    {"disconnect": True},
    {"garbage": True},
    {"cut_stream_after": 3},
    {"end_stream_after": 3},
    {"error_in_stream_after": 3},
]
# What is wrong with the request, or with the key, stays so: it is not asked again.
FINAL: list[dict[str, Any]] = [{"status": 400}, {"status": 401}]
SILENT: dict[str, Any] = {"hang": 30}
EACH_TURN = pytest.mark.parametrize("turn", range(len(TURNS)))


def name_of(fault: dict[str, Any]) -> str:
    return "-".join(str(part) for part in next(iter(fault.items())))


def script(model: StandIn, fault: dict[str, Any], *, turn: int, times: int) -> None:
    """Play the three turns; the fault comes so many times in one of them, and never in a later question."""
    turns = [{"content": content, "faults": [fault] * times * (at == turn)} for at, content in enumerate(TURNS)]
    model.post("/_script", [{"match": "give me 10 euros", "turns": turns}])


def said(run: AgentRun) -> list[str]:
    return list(run.messages.filter(author=Message.Author.AGENT).values_list("text", flat=True))


def assert_nothing_twice(run: AgentRun, called: list[str], *, turns: int) -> None:
    """As far as the run got, each call was made once and has its one result, and there is one proposal."""
    steps = [("order_status", "ok"), ("refund_order", "proposed")][:turns]
    assert list(run.steps.values_list("tool", "outcome")) == steps
    assert called == ["order_status"][:turns]
    proposals = AuditEntry.objects.filter(kind="action.proposed").count()
    assert (PendingAction.objects.count(), proposals) == (int(turns > 1), int(turns > 1))
    assert not AgentStep.objects.filter(outcome=AgentStep.Outcome.STARTED).exists()


def assert_told(run: AgentRun, *, turn: int) -> None:
    """The last thing that the customer reads has a reference to quote, and it is the run's."""
    assert (run.state, run.finished_at is not None, run.partial_text) == (State.FAILED, True, "")
    assert run.reference
    assert f"reference {run.reference}" in said(run)[-1]
    assert "person" in said(run)[-1]
    assert said(run)[:-1] == ["I look it up.", "I propose it."][:turn]


def assert_goes_on(model: StandIn, answered: Ask, run: AgentRun) -> None:
    """The service takes what the run left as a history, and refused nothing before."""
    after = answered("And now?", conversation=run.conversation)
    assert (after.state, [text.startswith("ok") for text in said(after)]) == (State.DONE, [True])
    assert model.get("/_stats")["refused"] == 0


@EACH_TURN
@pytest.mark.parametrize("fault", PASSING, ids=name_of)
def test_fault_that_passes_is_never_seen(
    model: StandIn, answered: Ask, called: list[str], fault: dict[str, Any], turn: int
) -> None:
    script(model, fault, turn=turn, times=1)
    run = answered(QUESTION)
    assert (run.state, run.error_code) == (State.DONE, "")
    assert said(run)[:-1] == ["I look it up.", "I propose it."]
    assert said(run)[-1].startswith(ANSWER)
    assert_nothing_twice(run, called, turns=3)
    assert_goes_on(model, answered, run)


@EACH_TURN
@pytest.mark.parametrize("fault", [*PASSING, *FINAL], ids=name_of)
def test_fault_that_stays_ends_in_words(
    model: StandIn, answered: Ask, called: list[str], fault: dict[str, Any], turn: int
) -> None:
    script(model, fault, turn=turn, times=10)
    run = answered(QUESTION)
    assert_told(run, turn=turn)
    assert_nothing_twice(run, called, turns=turn)
    assert_goes_on(model, answered, run)


@EACH_TURN
@pytest.mark.parametrize("fault", FINAL, ids=name_of)
def test_fault_of_ours_is_not_tried_again(model: StandIn, answered: Ask, fault: dict[str, Any], turn: int) -> None:
    script(model, fault, turn=turn, times=10)
    answered(QUESTION)
    assert [record["turn"] for record in model.get("/_requests")] == list(range(turn + 1))


@EACH_TURN
def test_silence_ends_in_words_at_the_deadline(
    model: StandIn, answered: Ask, called: list[str], settings: Any, turn: int
) -> None:
    settings.AGENT = {**settings.AGENT, "RUN_SECONDS": 2}
    script(model, SILENT, turn=turn, times=10)
    run = answered(QUESTION)
    assert_told(run, turn=turn)
    assert (run.finished_at - run.started_at).total_seconds() < 5
    assert_nothing_twice(run, called, turns=turn)
    assert_goes_on(model, answered, run)
