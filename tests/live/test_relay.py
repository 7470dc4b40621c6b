"""Events between processes: what a worker publishes through Redis arrives, also after Redis went away and came back."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django_eventstream import eventstream

from agent import relay
from agent.models import Conversation
from agent.views import stream
from config.env import redis_arguments
from tests.live.conftest import Listener, Listening
from tests.live.test_stream import say, seqs
from tests.serving import OwnRedis

pytestmark = pytest.mark.django_db


@pytest.fixture
def own_redis(redis_program: str, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnRedis]:
    """Events go through a Redis of this test's own."""
    server = OwnRedis(redis_program, tmp_path)
    server.start()
    monkeypatch.setattr(stream, "BEAT_SECONDS", 60)  # no look at the rows but the one that Redis brings about
    settings.EVENTSTREAM_REDIS = redis_arguments(server.url)
    # django-eventstream makes its client when it is imported, before a test can name another Redis.
    monkeypatch.setattr(eventstream, "redis_client", redis.Redis(**settings.EVENTSTREAM_REDIS))
    yield server
    server.stop()


async def listening_to(own_redis: OwnRedis, listen: Listener, user: User) -> Listening:
    """A stream whose process hears Redis."""
    listening: Listening = await listen(user, lastEventId=0)
    listening.first = asyncio.create_task(listening.next())
    client = redis.Redis(port=own_redis.port)
    while not client.pubsub_numsub(relay.REDIS_CHANNEL)[0][1]:
        await asyncio.sleep(0)
    return listening


async def test_event_travels_through_redis(
    listen: Listener, conversation: Conversation, alice: User, own_redis: OwnRedis
) -> None:
    listening = await listening_to(own_redis, listen, alice)
    await sync_to_async(say)(conversation, "from elsewhere")
    assert seqs([await listening.first]) == [1]


async def test_listener_survives_a_restart_and_misses_nothing(
    listen: Listener, conversation: Conversation, alice: User, own_redis: OwnRedis
) -> None:
    listening = await listening_to(own_redis, listen, alice)
    await sync_to_async(say)(conversation, "before")
    found = [await listening.first]
    await sync_to_async(own_redis.stop)()
    await sync_to_async(say)(conversation, "while it was away")
    await sync_to_async(own_redis.start)()
    found += await listening.take(1)
    await sync_to_async(say)(conversation, "after")
    found += await listening.take(1)
    assert seqs(found) == [1, 2, 3]


async def test_another_programs_message_harms_nobody(
    listen: Listener, conversation: Conversation, alice: User, own_redis: OwnRedis
) -> None:
    listening = await listening_to(own_redis, listen, alice)
    client = redis.Redis(port=own_redis.port)
    for message in ("no json", "[]", "{}", json.dumps({"channel": "x", "event_type": "y", "data": "", "pub_id": "z"})):
        client.publish(relay.REDIS_CHANNEL, message)
    await sync_to_async(say)(conversation, "ours")
    assert seqs([await listening.first]) == [1]
