"""The stream of a conversation: the rows it has not shown yet, then what comes.

Stored events are read from the rows in order, so the stream knows no gap and no repetition, whoever published what
when. Who looks is checked at every read and at least every BEAT_SECONDS: a stream outlives a sign-out, a lost
permission or a closed account by no more than that.
"""

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from uuid import UUID

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET
from django_eventstream.event import Event as Published
from django_eventstream.views import Listener

from agent import live, relay
from agent.conf import setting
from agent.events import DELTA, channel_of
from agent.views.looking import Gone, Look, Reader, desk

logger = logging.getLogger(__name__)

BEAT_SECONDS = 10.0
AGAIN_SECONDS = 1.0  # until a stream looks again whose database was away
FULL_SECONDS = 30  # until a customer who has too many streams open may ask for another
# Some proxies and browsers hold back the first two kilobytes; `retry` is how soon a browser comes back.
OPENING = ":" + " " * 2048 + "\nretry: 2000\nevent: stream-open\ndata:\n\n"
BEAT = ": still here\n\n"
HEADERS = {"Cache-Control": "no-cache, no-transform, no-store, private", "X-Accel-Buffering": "no"}


@require_GET
def events(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """text/event-stream for the owner and reviewing staff. Signed out 401, anybody else 404, before it begins.

    Too many at once are 429: the page asks how its run stands instead, and tries again.
    """
    if not request.user.is_authenticated:
        return JsonResponse({"error": _("You are signed out. Sign in again to see new messages.")}, status=401)
    [conversation] = live.readable([(request.user, pk)])
    if conversation is None:
        return JsonResponse({"error": _("There is no such conversation.")}, status=404)
    channel = channel_of(pk)
    try:
        last = position(request, channel=channel)
    except ValueError:
        return JsonResponse({"error": _("lastEventId is not one of this stream's ids.")}, status=400)
    if relay.open_streams(request.user.pk) >= setting("STREAMS_AT_ONCE"):
        sentence = _("You have too many conversations open. Close some of their windows.")
        return JsonResponse({"error": sentence}, status=429, headers={"Retry-After": FULL_SECONDS})
    if conversation.user_id != request.user.pk:
        logger.info("staff looked at a row", extra={"looked_at": f"conversation:{pk}", "reviewer": request.user.pk})
    now = live.last_number(pk)
    reader = Reader(request, pk, last=now if last is None else min(last, now))
    live.let_go()  # the thread waits as long as the stream; its connection must not
    return StreamingHttpResponse(speak(reader), content_type="text/event-stream", headers=HEADERS)


def position(request: HttpRequest, *, channel: str) -> int | None:
    """The number of the last event that the browser has; None where it names none of this stream.

    The browser's own header wins when it makes sense. Raises ValueError for a lastEventId that does not.
    """
    header = request.headers.get("Last-Event-ID", "")
    given = header if _ID.fullmatch(header) else request.GET.get("lastEventId", "")
    if not given:
        return None
    found = _ID.fullmatch(given)
    if not found:
        raise ValueError("no id of a stream")
    return int(found["seq"]) if found["channel"] in (None, channel) else None


_ID = re.compile(r"(?:(?P<channel>conversation-[0-9a-f-]{36}):)?(?P<seq>[0-9]{1,15})", re.ASCII)


async def speak(reader: Reader) -> AsyncIterator[str]:
    """Listen first, then read: what is stored in between is read already, or knocks.

    A database that is away is asked again every second; the stream stays open and goes on where it was.
    """
    listener = Listener()
    listener.channels, listener.user_id = {reader.channel}, reader.request.user.pk
    listener.assign_loop()
    relay.manager.add_listener(listener)
    relay.ensure_listening()
    try:
        yield OPENING
        waiting = Waiting(look=True)
        while not waiting.ended:
            try:
                async for text in _told(reader, waiting):
                    yield text
            except (OperationalError, InterfaceError) as error:
                logger.warning("a stream waits for the database", extra={"error": repr(error)})
                yield BEAT
                await asyncio.sleep(AGAIN_SECONDS)
                waiting = _taken(listener, look=True)
                continue
            try:
                await asyncio.wait_for(listener.aevent.wait(), BEAT_SECONDS)
                waiting = _taken(listener)
            except TimeoutError:
                yield BEAT
                waiting = Waiting(look=True)
    except Gone:
        return
    finally:
        relay.manager.remove_listener(listener)


@dataclass
class Waiting:
    """What came since the last look; `look` asks for the rows whatever came, and for the text that was saved."""

    items: list[Published] = field(default_factory=list)
    look: bool = False
    ended: bool = False


async def _told(reader: Reader, waiting: Waiting) -> AsyncIterator[str]:
    """The texts for what waits, in the order in which it came. Raises Gone."""
    for event in waiting.items:
        if event.type == DELTA:
            yield reader.delta(event.data)
        elif event.id > reader.last:
            async for text in _read(Look(reader)):
                yield text
    if waiting.look:
        async for text in _read(Look(reader, with_saved_text=True)):
            yield text


async def _read(look: Look) -> AsyncIterator[str]:
    more = True
    while more:
        seen = await desk.answer(look)
        more = seen.more
        yield seen.text


def _taken(listener: Listener, *, look: bool = False) -> Waiting:
    """Everything that waits for the listener, which waits for more from here on."""
    with relay.manager.lock:
        items = [item for queue in listener.channel_items.values() for item in queue]
        waiting = Waiting(items, look=look or listener.overflow, ended=bool(listener.error))
        listener.channel_items, listener.overflow = {}, False
        listener.aevent.clear()
    return waiting
