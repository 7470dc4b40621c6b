"""The stream of a conversation: the rows it has not shown yet, then what comes.

Stored events are read from the rows in order, so the stream knows no gap and no repetition, whoever published what
when. Who looks is checked at every read and at least every BEAT_SECONDS: a stream outlives a sign-out, a lost
permission or a closed account by no more than that.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib.auth import get_user
from django.http import HttpRequest, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET
from django_eventstream.event import Event as Published
from django_eventstream.eventrequest import EventRequest
from django_eventstream.eventstream import EventPermissionError, get_events
from django_eventstream.utils import sse_encode_event
from django_eventstream.views import Listener

from agent import live, relay
from agent.events import DELTA, channel_of

BEAT_SECONDS = 10.0
# Some proxies and browsers hold back the first two kilobytes; `retry` is how soon a browser comes back.
OPENING = ":" + " " * 2048 + "\nretry: 2000\nevent: stream-open\ndata:\n\n"
BEAT = ": still here\n\n"
HEADERS = {"Cache-Control": "no-cache, no-transform, no-store, private", "X-Accel-Buffering": "no"}


@require_GET
def events(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """text/event-stream for the owner and reviewing staff. Signed out 401, anybody else 404, before it begins."""
    if not request.user.is_authenticated:
        return JsonResponse({"error": _("You are signed out. Sign in again to see new messages.")}, status=401)
    if not live.may_read(request.user, pk):
        return JsonResponse({"error": _("There is no such conversation.")}, status=404)
    channel = channel_of(pk)
    try:
        last = position(request, channel=channel)
    except ValueError:
        return JsonResponse({"error": _("lastEventId is not one of this stream's ids.")}, status=400)
    now = live.EventRows().get_current_id(channel)
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


@dataclass
class Reader:
    """One browser's place in the log of one conversation."""

    request: HttpRequest
    conversation_id: UUID
    last: int

    @property
    def channel(self) -> str:
        return channel_of(self.conversation_id)

    def read(self, *, with_saved_text: bool = False) -> str:
        """What is new, as text of the stream. Raises Gone."""
        try:
            user = _user_now(self.request)
            text = self._new_rows(user)
            saved = live.saved_text(self.conversation_id) if with_saved_text else None
            return text + (sse_encode_event(DELTA, saved, event_id=self.id, json_encode=True) if saved else "")
        except EventPermissionError as error:
            raise Gone from error
        finally:
            live.let_go()

    @property
    def id(self) -> str:
        return f"{self.channel}:{self.last}"

    def delta(self, data: Any) -> str:
        """A piece of text has no row: it carries the id of the last event that this stream sent."""
        return sse_encode_event(DELTA, data, event_id=self.id)

    def _new_rows(self, user: Any) -> str:
        asked = EventRequest()
        asked.channels, asked.user, asked.is_next = {self.channel}, user, False
        text, more = "", True
        while more:
            asked.channel_last_ids = {self.channel: self.last}
            found = get_events(asked)
            for event in found.channel_items[self.channel]:
                self.last = event.id
                text += sse_encode_event(event.type, event.data, event_id=self.id)
            more = bool(found.channel_more)
        return text


def _user_now(request: HttpRequest) -> Any:
    """The account behind the request's session as it is now. Raises Gone: signed out, deactivated, password changed."""
    fresh = HttpRequest()
    fresh.session = type(request.session)(request.session.session_key)
    user = get_user(fresh)
    if user.pk != request.user.pk:
        raise Gone
    return user


async def speak(reader: Reader) -> AsyncIterator[str]:
    """Listen first, then read: what is stored in between is read already, or knocks."""
    listener = Listener()
    listener.channels = {reader.channel}
    listener.assign_loop()
    relay.manager.add_listener(listener)
    relay.ensure_listening()
    try:
        yield OPENING
        waiting = Waiting(look=True)
        while not waiting.ended:
            async for text in _told(reader, waiting):
                yield text
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


class Gone(Exception):
    """This browser may not read the conversation any more."""


@dataclass
class Waiting:
    """What came since the last look; `look` asks for the rows whatever came, and for the text that was saved."""

    items: list[Published] = field(default_factory=list)
    look: bool = False
    ended: bool = False


async def _told(reader: Reader, waiting: Waiting) -> AsyncIterator[str]:
    """The texts for what waits, in the order in which it came. Raises Gone."""
    read = sync_to_async(reader.read)
    for event in waiting.items:
        if event.type == DELTA:
            yield reader.delta(event.data)
        elif event.id > reader.last:
            yield await read()
    if waiting.look:
        yield await read(with_saved_text=True)


def _taken(listener: Listener) -> Waiting:
    """Everything that waits for the listener, which waits for more from here on."""
    with relay.manager.lock:
        items = [item for queue in listener.channel_items.values() for item in queue]
        waiting = Waiting(items, look=listener.overflow, ended=bool(listener.error))
        listener.channel_items, listener.overflow = {}, False
        listener.aevent.clear()
    return waiting
