"""A person is forgotten, or a class of data goes, while somebody is at work on these very rows."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from agent import events, personal_data
from agent.access import personal
from agent.db import insert
from agent.errors import NotFound
from agent.models import AgentRun, AgentStep, Conversation, Message, ModelTurn, PendingAction, PersonalToken
from agent.personal_data.erasing import Receipt
from agent.runs import direct, leases, run_agent_for_user
from agent.runs.start import ask
from agent.testing import ScriptedClient, text
from tests.two_at_once import beside, need_postgresql

DESK = direct.Client(id="https://desk.example/client", name="Desk")

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def postgresql(db: None) -> None:
    need_postgresql()


def test_person_is_forgotten_while_a_turn_is_kept(alice: User) -> None:
    run = ask(alice, "Where is my order?")
    lease = leases.claim(run.pk)
    with beside(lambda: personal_data.erase(alice, apply=True)) as other:
        lease.fence(partial_text="")
        insert([ModelTurn(run=run, index=0, content=[])])
        events.append(run.conversation_id, ("run", {"run": str(run.pk), "state": "running", "reference": ""}))
    assert [type(each) for each in other.told] == [Receipt]
    assert (AgentRun.objects.count(), ModelTurn.objects.count(), Conversation.objects.count()) == (0, 0, 0)


def test_person_is_forgotten_while_they_decide(alice: User) -> None:
    run = run_agent_for_user("Hello", user=alice, client=ScriptedClient([text("Hello.")]))
    about: dict[str, Any] = {"user": alice, "run": run, "tool": "t", "summary": "s", "expires_at": timezone.now()}
    for digest in "abc":
        PendingAction.objects.create(**about, digest=digest)
    with beside(lambda: personal_data.erase(alice, apply=True)) as other:
        PendingAction.objects.filter(digest="b").update(state="rejected", decided_at=timezone.now())
        other.comes()
        insert([Message(conversation_id=run.conversation_id, run=run, author="system", text="declined")])
        events.append(run.conversation_id, ("run", {"run": str(run.pk), "state": "done", "reference": ""}))
    assert [type(each) for each in other.told] == [Receipt]
    assert (PendingAction.objects.count(), Message.objects.count()) == (0, 0)


def test_person_is_forgotten_while_something_is_proposed(alice: User) -> None:
    """Each waits for what the other holds only as long as a reference to the account is no reason to wait."""
    run = ask(alice, "Where is my order?")
    lease = leases.claim(run.pk)
    about: dict[str, Any] = {"user": alice, "run": run, "tool": "t", "summary": "s", "expires_at": timezone.now()}
    with beside(lambda: personal_data.erase(alice, apply=True)) as other:
        lease.fence(partial_text="")
        other.comes()
        PendingAction.objects.create(**about, digest="a")
    assert [type(each) for each in other.told] == [Receipt]
    assert (AgentRun.objects.count(), PendingAction.objects.count()) == (0, 0)


BEGINNINGS: dict[str, Callable[[User], object]] = {
    "a conversation": lambda user: ask(user, "Where is my order?"),
    "a program's call": lambda user: direct.call(user, "list_orders", {}, client=DESK, offered=["list_orders"]),
    "a token": lambda user: personal.make_token(user, name="Alice's desk", scopes=["read"], days=7),
}


@pytest.mark.parametrize("what", BEGINNINGS)
def test_what_begins_while_a_person_is_forgotten_does_not_outlive_it(alice: User, what: str) -> None:
    with beside(lambda: BEGINNINGS[what](alice)) as other:
        personal_data.erase(alice, apply=True)
    assert [type(each) for each in other.told] == [NotFound]
    assert left() == (0, 0, 0, 0)


@pytest.mark.parametrize("what", BEGINNINGS)
def test_what_began_before_a_person_is_forgotten_goes_with_them(alice: User, what: str) -> None:
    with beside(lambda: personal_data.erase(alice, apply=True)) as other:
        BEGINNINGS[what](alice)
    assert [type(each) for each in other.told] == [Receipt]
    assert left() == (0, 0, 0, 0)


def left() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Conversation, AgentRun, AgentStep, PersonalToken))


def test_conversation_in_which_somebody_goes_on_at_this_moment_stays(alice: User) -> None:
    run = run_agent_for_user("Hello", user=alice, client=ScriptedClient([text("Hello.")]))
    Conversation.objects.update(updated_at=timezone.now() - timedelta(days=800))
    with beside(personal_data.apply) as other:
        ask(alice, "One more thing", conversation=run.conversation)
    assert other.told == [dict.fromkeys(personal_data.CLASSES, 0)]
    assert (Conversation.objects.count(), AgentRun.objects.count()) == (1, 2)
    assert AgentRun.objects.get(pk=run.pk).prompt == "Hello"
