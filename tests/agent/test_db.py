"""Plain SQL in the place of the ORM's: the rows are the same, whatever the database."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.forms.models import model_to_dict

from agent.db import insert, update_returning
from agent.models import AgentRun, AgentStep, Conversation, Event, Message, ModelTurn

pytestmark = pytest.mark.django_db

ODD = {"a": "\x00 ü \u2028", "b": [1, None, {"c": "'); DROP TABLE agent_event; --"}]}


@pytest.fixture
def run(alice: User) -> AgentRun:
    conversation = Conversation.objects.create(user=alice, title="?", tools=[], provider="demo", model="demo")
    return AgentRun.objects.create(conversation=conversation, user=alice, number=1, prompt="?")


def one_of_each(run: AgentRun, number: int) -> list[Any]:
    """A new row of every model that the loop stores, by a number that keeps it apart from others."""
    turn = ModelTurn.objects.create(run=run, index=number + 100, content=[])
    return [
        Event(conversation=run.conversation, seq=number, kind="step", data={"text": "ü %s"}),
        Message(conversation=run.conversation, run=run, author="agent", text="100 % ü"),
        ModelTurn(run=run, index=number, content=[ODD], stop_reason="tool_use", cost_micro=None, duration_ms=3),
        AgentStep(run=run, turn=turn, sequence=number, call_id=f"call-{number}", tool="x", arguments=ODD),
    ]


@pytest.mark.parametrize("which", range(4), ids=["event", "message", "turn", "step"])
def test_insert_stores_what_the_orm_stores(run: AgentRun, which: int) -> None:
    ours, orms = one_of_each(run, 1)[which], one_of_each(run, 2)[which]
    [stored] = insert([ours])
    orms.save()
    apart = {"id", "seq", "index", "sequence", "call_id", "turn"}
    first, second = (type(ours).objects.get(pk=row.pk) for row in (stored, orms))
    assert stored is ours
    assert model_to_dict(first, exclude=apart) == model_to_dict(second, exclude=apart)
    assert (first._state.adding, abs(stamp(first) - stamp(second)).total_seconds() < 60) == (False, True)


def stamp(row: Any) -> Any:
    return row.started_at if isinstance(row, AgentStep) else row.created_at


def test_insert_gives_each_row_its_own_key_and_nothing_takes_no_statement(
    run: AgentRun, django_assert_num_queries: Any
) -> None:
    rows = [Event(conversation=run.conversation, seq=seq, kind="step", data={"seq": seq}) for seq in (3, 1, 2)]
    with django_assert_num_queries(1):
        insert(rows)
    with django_assert_num_queries(0):
        insert(list[Event]())
    assert [Event.objects.get(pk=row.pk).data for row in rows] == [{"seq": 3}, {"seq": 1}, {"seq": 2}]


def test_update_changes_the_row_that_fits_and_no_other(run: AgentRun) -> None:
    first, second = insert(
        [Event(conversation=run.conversation, seq=seq, kind="step", data={"seq": seq}) for seq in (1, 2)]
    )
    found = update_returning(Event, "seq, kind", where={"id": first.pk, "kind": "step"}, grow={"seq": 7}, kind="card")
    missed = update_returning(Event, "seq", where={"id": first.pk, "kind": "step"}, kind="run")
    rows = list(Event.objects.order_by("pk").values_list("seq", "kind"))
    assert (found, missed, rows) == ((8, "card"), None, [(8, "card"), (second.seq, "step")])
