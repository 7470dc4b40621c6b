"""Looks that wait are answered together: with as many queries as one, once for those who stand at the same place."""

import asyncio
import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client

from agent import live, relay
from agent.models import Conversation
from agent.views import looking, stream
from tests.live.conftest import Listener, conversation_of
from tests.live.test_stream import say, seqs

pytestmark = pytest.mark.django_db


def reader_of(user: User, conversation: Conversation, *, last: int = 0) -> looking.Reader:
    client = Client()
    client.force_login(user)
    request = client.get("/healthz").wsgi_request
    request.session, request.user = client.session, user
    return looking.Reader(request, conversation.pk, last)


def seen_by(*readers: looking.Reader) -> list[Any]:
    return looking.answers_to([looking.Look(reader, with_saved_text=True) for reader in readers])


@pytest.fixture
def readers(conversation: Conversation, alice: User) -> list[looking.Reader]:
    """Ten streams of as many customers, all at the end of their conversations, looked at once before."""
    customers = [User.objects.create_user(f"customer-{number}") for number in range(10)]
    found = [reader_of(user, conversation_of(user)) for user in customers]
    seen_by(*found)
    return found


def test_ten_looks_take_as_many_queries_as_one(
    readers: list[looking.Reader], django_assert_num_queries: Any, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(4) as one:
        seen_by(readers[0])
    with django_assert_num_queries(len(one)):
        seen_by(*readers)


def test_readers_at_the_same_place_share_what_is_drawn(
    conversation: Conversation, alice: User, staff: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(conversation, "one", "two")
    drawn: list[int] = []
    monkeypatch.setattr(live, "encoded", lambda row: drawn.append(row.seq) or json.dumps({"seq": row.seq}))
    found = seen_by(
        reader_of(alice, conversation), reader_of(staff, conversation), reader_of(alice, conversation, last=1)
    )
    assert (drawn, found[0].text, found[2].text in found[0].text) == ([1, 2, 2], found[1].text, True)


def test_one_who_may_not_read_is_told_so_and_the_others_are_served(
    conversation: Conversation, alice: User, bob: User
) -> None:
    say(conversation, "for Alice")
    stranger, owner = reader_of(bob, conversation), reader_of(alice, conversation)
    found = seen_by(stranger, owner)
    assert (type(found[0]), stranger.last, "for Alice" in found[1].text) == (looking.Gone, 0, True)


def test_changed_password_ends_the_stream_of_a_sign_in_that_was_checked(readers: list[looking.Reader]) -> None:
    assert readers[0].sign_in is not None
    user = User.objects.get(pk=readers[0].request.user.pk)
    user.set_password("another one")
    user.save()
    assert [type(found) for found in seen_by(*readers[:2])] == [looking.Gone, looking.Seen]


def test_a_session_that_now_belongs_to_another_ends_the_stream(readers: list[looking.Reader], bob: User) -> None:
    session = readers[0].request.session
    session["_auth_user_id"] = str(bob.pk)
    session.save()
    assert [type(found) for found in seen_by(*readers[:2])] == [looking.Gone, looking.Seen]


async def test_look_that_fails_by_a_mistake_of_ours_harms_no_other(
    listen: Listener, conversation: Conversation, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    poisoned = await sync_to_async(conversation_of)(alice)
    for each in (conversation, poisoned):
        await sync_to_async(say)(each, "hello")
    whole = live.events_after

    def failing(row: Conversation, number: int, *, most: int) -> Any:
        if row.pk == poisoned.pk:
            raise RuntimeError("a mistake")
        return whole(row, number, most=most)

    monkeypatch.setattr(live, "events_after", failing)
    good, bad = await listen(alice, lastEventId=0), await listen(alice, of=poisoned, lastEventId=0)
    found = await asyncio.gather(good.next(), bad.next(), return_exceptions=True)
    assert (seqs([found[0]]), type(found[1])) == ([1], RuntimeError)


async def test_open_stream_goes_on_when_the_database_is_back(
    listen: Listener, conversation: Conversation, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "AGAIN_SECONDS", 0.01)
    listening = await listen(alice, lastEventId=0)
    await sync_to_async(say)(conversation, "before")
    found = await listening.take(1)
    answers, away = looking.answers_to, iter([True, True])

    def away_twice(looks: Any) -> Any:
        if next(away, False):
            raise OperationalError("the server closed the connection")
        return answers(looks)

    monkeypatch.setattr(looking, "answers_to", away_twice)
    await sync_to_async(say)(conversation, "while it was away")
    found += await listening.take(1)
    assert (seqs(found), next(away, "looked twice")) == ([1, 2], "looked twice")


async def test_streams_of_one_customer_are_limited_and_those_of_others_are_not(
    listen: Listener, conversation: Conversation, alice: User, bob: User, settings: Any
) -> None:
    """SECURITY 39."""
    settings.AGENT = {**settings.AGENT, "STREAMS_AT_ONCE": 2}
    await sync_to_async(say)(conversation, "hello")
    opened = [await listen(alice, lastEventId=0) for _ in range(2)]
    for each in opened:
        await each.take(1)
    refused = await listen(alice, lastEventId=0)
    other = await sync_to_async(conversation_of)(bob)
    assert (refused.status_code, refused["Retry-After"], "error" in refused.json()) == (429, "30", True)
    assert (await listen(bob, of=other, lastEventId=0)).response.status_code == 200
    relay.look_again(end=True)
    assert [await each.next() for each in opened] == [None, None]
    assert (await listen(alice, lastEventId=0)).response.status_code == 200
