"""The stream: who may listen, what is replayed, what comes live, and when it ends."""

import asyncio
import json
import uuid
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.test import Client, TestCase
from django.urls import reverse

from agent import events, relay
from agent.models import AgentRun, Conversation
from agent.views import stream
from tests.live.conftest import Listener, conversation_of

pytestmark = pytest.mark.django_db


def say(conversation: Conversation, *texts: str) -> None:
    """Store and publish, also inside a test's own transaction, which never commits."""
    with TestCase.captureOnCommitCallbacks(execute=True), transaction.atomic():
        said = [("message", {"author": "agent", "text": text, "run": None}) for text in texts]
        events.append(conversation.pk, *said)


def seqs(found: list[dict[str, str]]) -> list[int]:
    return [json.loads(event["data"])["seq"] for event in found]


@pytest.fixture
def three(conversation: Conversation) -> Conversation:
    say(conversation, "one", "two", "three")
    return conversation


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The look at the rows that comes by itself comes soon."""
    monkeypatch.setattr(stream, "BEAT_SECONDS", 0.05)


# --- Who may listen -------------------------------------------------------------------------------------------------


def url_of(conversation: Conversation) -> str:
    return reverse("agent:events", args=[conversation.pk])


def test_signed_out_gets_401_before_the_stream(client: Client, conversation: Conversation) -> None:
    answer = client.get(url_of(conversation))
    assert (answer.status_code, answer.streaming) == (401, False)


def test_stranger_and_nobody_get_the_same_404(client: Client, conversation: Conversation, bob: User) -> None:
    """SECURITY 3."""
    client.force_login(bob)
    strange, absent = client.get(url_of(conversation)), client.get(reverse("agent:events", args=[uuid.uuid4()]))
    assert (strange.status_code, absent.status_code) == (404, 404)
    assert strange.content == absent.content


def test_staff_without_the_permission_are_strangers(client: Client, conversation: Conversation, staff: User) -> None:
    staff.user_permissions.clear()
    client.force_login(staff)
    assert client.get(url_of(conversation)).status_code == 404


@pytest.mark.parametrize("given", ["garbage", "conversation-x:1", ":1", "-1", "1:abc", "error", "1" * 40, "٣"])
def test_malformed_place_gets_a_sentence(client: Client, conversation: Conversation, alice: User, given: str) -> None:
    client.force_login(alice)
    answer = client.get(url_of(conversation), {"lastEventId": given})
    assert (answer.status_code, "lastEventId" in answer.json()["error"]) == (400, True)


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_stream_is_only_read(client: Client, conversation: Conversation, alice: User, method: str) -> None:
    client.force_login(alice)
    assert getattr(client, method)(url_of(conversation)).status_code == 405


@pytest.mark.parametrize("who", ["alice", "staff"])
async def test_owner_and_reviewers_are_let_in(listen: Listener, three: Any, alice: User, staff: User, who: str) -> None:
    listening = await listen({"alice": alice, "staff": staff}[who], lastEventId=0)
    headers = listening.response.headers
    assert seqs(await listening.take(3)) == [1, 2, 3]
    assert (listening.response["Content-Type"], headers["X-Accel-Buffering"]) == ("text/event-stream", "no")
    assert headers["Cache-Control"].startswith("no-cache, no-transform")


# --- What is replayed -----------------------------------------------------------------------------------------------


async def test_replay_begins_after_the_last_event(listen: Listener, three: Conversation, alice: User) -> None:
    listening = await listen(alice, lastEventId=f"conversation-{three.pk}:1")
    found = await listening.take(2)
    assert [event["id"] for event in found] == [f"conversation-{three.pk}:{seq}" for seq in (2, 3)]
    assert [event["event"] for event in found] == ["message", "message"]


async def test_browsers_own_place_wins_over_the_address(listen: Listener, three: Conversation, alice: User) -> None:
    listening = await listen(alice, lastEventId=0, header=f"conversation-{three.pk}:2")
    assert seqs(await listening.take(1)) == [3]


async def test_senseless_header_falls_back_to_the_address(listen: Listener, three: Any, alice: User) -> None:
    listening = await listen(alice, lastEventId=2, header=f"conversation-{three.pk}:abc")
    assert seqs(await listening.take(1)) == [3]


async def test_place_in_another_conversation_gives_nothing_of_it(listen: Listener, three: Any, alice: User) -> None:
    """SECURITY 3: the name of the channel is made of the address, never of what the client says."""
    other = await sync_to_async(conversation_of)(alice)
    listening = await listen(alice, of=other, lastEventId=f"conversation-{three.pk}:0")
    await sync_to_async(say)(other, "mine")
    assert seqs(await listening.take(1)) == [1]


async def test_long_replay_is_whole_and_in_order(listen: Listener, conversation: Any, alice: User) -> None:
    await sync_to_async(say)(conversation, *(f"message {number}" for number in range(250)))
    listening = await listen(alice, lastEventId=0)
    assert seqs(await listening.take(250)) == list(range(1, 251))


async def test_place_beyond_the_end_hears_what_comes(listen: Listener, three: Conversation, alice: User) -> None:
    listening = await listen(alice, lastEventId=99)
    await sync_to_async(say)(three, "four")
    assert seqs(await listening.take(1)) == [4]


# --- What comes live ------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
async def test_stored_events_come_once_and_in_order_from_many_writers(
    listen: Listener, conversation: Conversation, alice: User
) -> None:
    def say_and_leave(*texts: str) -> None:
        try:
            say(conversation, *texts)
        finally:
            connection.close()

    listening = await listen(alice, lastEventId=0)
    write = sync_to_async(say_and_leave, thread_sensitive=False)
    writing = asyncio.gather(*(write(f"{number} a", f"{number} b") for number in range(10)))
    found = await listening.take(20)
    await writing
    assert seqs(found) == list(range(1, 21))


async def test_event_whose_knock_was_lost_comes_all_the_same(
    listen: Listener, conversation: Conversation, alice: User, quick_looks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    listening = await listen(alice, lastEventId=0)
    monkeypatch.setattr(relay.manager, "add_to_queues", lambda channel, event: None)
    await sync_to_async(say)(conversation, "not heard")
    assert seqs(await listening.take(1)) == [1]


@pytest.fixture
def run(three: Conversation, alice: User) -> AgentRun:
    return AgentRun.objects.create(
        conversation=three, user=alice, number=1, prompt="?", state=AgentRun.State.RUNNING, attempt=2, partial_attempt=2
    )


async def opened(listen: Listener, run: AgentRun, user: User) -> Any:
    """A stream that has caught up."""
    listening = await listen(user, lastEventId=2)
    await listening.take(1)
    return listening


async def test_text_carries_the_id_of_the_last_stored_event(listen: Listener, run: AgentRun, alice: User) -> None:
    listening = await opened(listen, run, alice)
    events.publish_delta(run, text="Your order", attempt=2, turn=0, offset=0)
    [found] = await listening.take(1)
    assert (found["event"], found["id"]) == ("delta", f"conversation-{run.conversation_id}:3")
    assert json.loads(found["data"]) == {
        "run": str(run.pk), "attempt": 2, "turn": 0, "offset": 0, "text": "Your order",
    }  # fmt: skip


async def test_saved_text_fills_the_gap_of_who_comes_late(listen: Listener, run: AgentRun, alice: User) -> None:
    run.partial_text = "Your order is"
    await run.asave()
    listening = await listen(alice, lastEventId=3)
    [found] = await listening.take(1)
    assert json.loads(found["data"]) == {
        "run": str(run.pk), "attempt": 2, "turn": 0, "offset": 0, "text": "Your order is",
    }  # fmt: skip


async def test_text_and_events_keep_their_order(listen: Listener, run: AgentRun, alice: User) -> None:
    listening = await opened(listen, run, alice)
    events.publish_delta(run, text="a", attempt=2, turn=0, offset=0)
    await sync_to_async(say)(run.conversation, "four")
    events.publish_delta(run, text="b", attempt=2, turn=1, offset=0)
    found = await listening.take(3)
    assert [event["event"] for event in found] == ["delta", "message", "delta"]
    assert [event["id"].rpartition(":")[2] for event in found] == ["3", "4", "4"]


@pytest.mark.parametrize("nasty", ["a\nb", "a\r\nb", "a\rb", "data: x\n\nevent: run\nid: 9", "a\u2028b\u0085c\x0bd"])
async def test_text_never_breaks_out_of_its_event(listen: Listener, run: Any, alice: User, nasty: str) -> None:
    """SECURITY 4."""
    listening = await opened(listen, run, alice)
    events.publish_delta(run, text=nasty, attempt=2, turn=0, offset=0)
    events.publish_delta(run, text="after", attempt=2, turn=0, offset=len(nasty))
    found = await listening.take(2)
    assert [json.loads(event["data"])["text"] for event in found] == [nasty, "after"]


async def test_burst_of_text_arrives_whole(listen: Listener, run: AgentRun, alice: User) -> None:
    listening = await opened(listen, run, alice)
    for number in range(150):
        events.publish_delta(run, text="x", attempt=2, turn=0, offset=number)
    found = await listening.take(150)
    assert [json.loads(event["data"])["offset"] for event in found] == list(range(150))


# --- When it ends ---------------------------------------------------------------------------------------------------


async def test_stream_ends_after_the_sign_out(listen: Listener, three: Any, alice: User, quick_looks: None) -> None:
    """SECURITY 3."""
    listening = await listen(alice, lastEventId=0)
    await listening.take(3)
    await Session.objects.all().adelete()
    assert await listening.next() is None


async def test_stream_ends_when_the_account_is_closed(
    listen: Listener, three: Any, alice: User, quick_looks: None
) -> None:
    listening = await listen(alice, lastEventId=0)
    await listening.take(3)
    await User.objects.filter(pk=alice.pk).aupdate(is_active=False)
    assert await listening.next() is None


async def test_nothing_is_shown_after_the_permission_is_gone(listen: Listener, three: Any, staff: User) -> None:
    listening = await listen(staff, lastEventId=0)
    await listening.take(3)
    await sync_to_async(staff.user_permissions.clear)()
    await sync_to_async(say)(three, "not for you")
    assert await listening.next() is None


async def test_streams_end_when_the_server_does(listen: Listener, three: Any, alice: User) -> None:
    listening = await listen(alice, lastEventId=0)
    await listening.take(3)
    relay.look_again(end=True)
    assert await listening.next() is None
    assert not relay.manager.listeners_by_channel
