"""Between the processes: what a worker publishes through Redis reaches the streams of this one.

Stands in for django-eventstream's own listener, which ends for good with the first Redis restart. Ours comes back,
and has every stream look at the rows again: nothing that was published meanwhile is missed.
"""

import asyncio
import json
import logging
from typing import Any

from django.conf import settings
from django_eventstream import views
from django_eventstream.event import Event as Published
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

REDIS_CHANNEL = "events_channel"  # django-eventstream's; it has only this one
AGAIN_SECONDS = 0.5
SILENT_SECONDS = 15.0  # then Redis is asked whether it is still there
MOST_WAITING = 200  # pieces of text that wait for a slow reader

manager = views.get_listener_manager()
manager.redis_listener = None  # or it would start its own beside ours
views.MAX_PENDING = MOST_WAITING

_task: asyncio.Task[None] | None = None


def ensure_listening() -> None:
    """Start this process's listener where there is a Redis; call it in the event loop, as often as you like."""
    global _task
    if not hasattr(settings, "EVENTSTREAM_REDIS"):
        return
    loop = asyncio.get_running_loop()
    if _task is None or _task.done() or _task.get_loop() is not loop:
        _task = loop.create_task(_listen_for_ever())


def look_again(*, end: bool = False) -> None:
    """Have every stream of this process read its rows, or end. Safe from any thread."""
    with manager.lock:
        for listener in {item for group in manager.listeners_by_channel.values() for item in group}:
            listener.overflow = True
            listener.error = "closing" if end else listener.error
            listener.wake_threadsafe()


def open_streams(user_id: Any) -> int:
    """How many streams of that user this process has open."""
    with manager.lock:
        open_ = {listener for group in manager.listeners_by_channel.values() for listener in group}
    return sum(listener.user_id == user_id for listener in open_)


async def _listen_for_ever() -> None:
    while True:
        try:
            await _listen()
        except (RedisError, OSError) as error:
            logger.warning("live events wait for Redis", extra={"error": repr(error)})
        await asyncio.sleep(AGAIN_SECONDS)


async def _listen() -> None:
    """Until the connection breaks. A new connection each time: redis-py's own would come back without a word."""
    async with Redis(**_arguments()) as client, client.pubsub() as pubsub:
        async with asyncio.timeout(SILENT_SECONDS):  # one that hangs takes a connection, and says nothing on it
            await pubsub.subscribe(REDIS_CHANNEL)
        look_again()
        asked = False
        while True:
            message = await pubsub.get_message(timeout=SILENT_SECONDS)
            if message is not None:
                asked = False
                _pass_on(message)
            elif asked:
                raise RedisConnectionError("no answer")
            else:
                await pubsub.ping()
                asked = True


def _arguments() -> dict[str, Any]:
    once = Retry(NoBackoff(), 0)
    return {**settings.EVENTSTREAM_REDIS, "socket_timeout": None, "socket_keepalive": True, "retry": once}


def _pass_on(message: dict[str, Any]) -> None:
    if message["type"] != "message":
        return
    try:
        sent = json.loads(message["data"])
        event = Published(sent["channel"], sent["event_type"], sent["data"], id=int(sent["pub_id"] or 0))
    except (ValueError, KeyError, TypeError) as error:
        logger.warning("another program's message on our channel", extra={"error": repr(error)})
        return
    manager.add_to_queues(event.channel, event)
