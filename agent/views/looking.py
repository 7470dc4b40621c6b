"""The looks of all open streams at the rows: what many want to know at the same moment is asked together, once.

One look by itself takes five queries and a thread. Five hundred streams that look every ten seconds, or all at once
when Redis is back, would keep every event waiting behind them; so looks that wait are answered in one go, in one
thread, and streams of one conversation that stand at the same place share what is drawn.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextvars import Context
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib.auth import get_user, get_user_model
from django.contrib.sessions.models import Session
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest
from django.utils import timezone
from django_eventstream.utils import sse_encode_event

from agent import live
from agent.events import DELTA, channel_of
from agent.models import Conversation

logger = logging.getLogger(__name__)

AT_ONCE = 50  # looks that are answered together
EVENTS_A_LOOK = 100  # who is further behind looks again, behind the others


class Gone(Exception):
    """This browser may not read the conversation any more."""


@dataclass
class Reader:
    """One browser's place in the log of one conversation."""

    request: HttpRequest
    conversation_id: UUID
    last: int
    sign_in: tuple[str, str] | None = None  # the session's data and the password's hash when they were last checked

    @property
    def channel(self) -> str:
        return channel_of(self.conversation_id)

    def delta(self, data: Any) -> str:
        """A piece of text has no row: it carries the id of the last event that this stream sent."""
        return sse_encode_event(DELTA, data, event_id=f"{self.channel}:{self.last}")


@dataclass(frozen=True)
class Look:
    """What a stream wants to know."""

    reader: Reader
    with_saved_text: bool = False


@dataclass(frozen=True)
class Seen:
    """What there is to say, as text of the stream, up to that number; `more` where there are further ones."""

    text: str
    last: int
    more: bool


class Desk:
    """Where the streams of this process have their looks answered."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Look, asyncio.Future[Seen]]] = []
        self.task: asyncio.Task[None] | None = None

    async def answer(self, look: Look) -> Seen:
        """What is new for the reader. Raises Gone; OperationalError or InterfaceError while the database is away."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Seen] = loop.create_future()
        self.waiting.append((look, answer))
        if self.task is None or self.task.done() or self.task.get_loop() is not loop:
            # In no request's context: the thread of the one that happened to come first ends with it.
            self.task = loop.create_task(self._work(), context=Context())
        return await answer

    async def _work(self) -> None:
        while self.waiting:
            batch, self.waiting = self.waiting[:AT_ONCE], self.waiting[AT_ONCE:]
            found = await _answers([look for look, _ in batch])
            for (look, answer), seen in zip(batch, found, strict=True):
                if answer.done():  # its stream has ended meanwhile
                    continue
                if isinstance(seen, Exception):
                    answer.set_exception(seen)
                else:
                    look.reader.last = seen.last  # not before: in a batch that failed nobody has moved
                    answer.set_result(seen)


desk = Desk()


async def _answers(looks: list[Look]) -> Sequence[Seen | Exception]:
    """One for each look. A look that fails by a mistake of ours harms no other: they are then answered one by one."""
    try:
        return await sync_to_async(answers_to)(looks)
    except (OperationalError, InterfaceError) as error:
        return [error] * len(looks)
    except Exception as error:
        if len(looks) == 1:
            logger.exception("a stream cannot be read", extra={"conversation": str(looks[0].reader.conversation_id)})
            return [error]
        return [answer for look in looks for answer in await _answers([look])]


def answers_to(looks: Sequence[Look]) -> list[Seen | Gone]:
    """For each look what its reader has not seen yet, or Gone; who looks is checked anew."""
    try:
        users = _users_now([look.reader for look in looks])
        ids = [look.reader.conversation_id for look in looks]
        readable = live.readable(list(zip(users, ids, strict=True)))
        wanting = {
            row.pk for look, row in zip(looks, readable, strict=True) if row is not None and look.with_saved_text
        }
        saved = live.saved_texts(wanting) if wanting else {}
        drawn: dict[tuple[UUID, int], Seen] = {}
        return [
            Gone() if row is None else _seen(look, row, saved=saved, drawn=drawn)
            for look, row in zip(looks, readable, strict=True)
        ]
    finally:
        live.let_go()


def _users_now(readers: Sequence[Reader]) -> list[Any]:
    """The account behind each reader's session as it is now; None: signed out, or its password changed.

    Where session and password are still what they were when Django has checked them, its answer would be the same.
    """
    keys = [reader.request.session.session_key for reader in readers]
    lasting = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    data = dict(lasting.values_list("session_key", "session_data"))
    users = get_user_model()._default_manager.in_bulk({reader.request.user.pk for reader in readers})
    return [
        _user_now(reader, users.get(reader.request.user.pk), data=data.get(key or ""))
        for reader, key in zip(readers, keys, strict=True)
    ]


def _user_now(reader: Reader, user: Any, *, data: str | None) -> Any:
    if user is not None and reader.sign_in == (data, user.password):
        return user
    fresh = HttpRequest()
    fresh.session = type(reader.request.session)(reader.request.session.session_key)
    checked: Any = get_user(fresh)
    if checked.pk != reader.request.user.pk:
        return None
    reader.sign_in = (data, checked.password) if data is not None else None
    return checked


def _seen(
    look: Look, conversation: Conversation, *, saved: dict[UUID, Any], drawn: dict[tuple[UUID, int], Seen]
) -> Seen:
    reader = look.reader
    place = (reader.conversation_id, reader.last)
    if place not in drawn:
        drawn[place] = _drawn(conversation, after=reader.last)
    new = drawn[place]
    text = saved.get(reader.conversation_id) if look.with_saved_text and not new.more else None
    if not text:
        return new
    delta = sse_encode_event(DELTA, text, event_id=f"{reader.channel}:{new.last}", json_encode=True)
    return replace(new, text=new.text + delta)


def _drawn(conversation: Conversation, *, after: int) -> Seen:
    """The events behind that number as text of the stream; no query where there are none."""
    if conversation.last_event <= after:
        return Seen("", after, more=False)
    rows = live.events_after(conversation, after, most=EVENTS_A_LOOK)
    channel = channel_of(conversation.pk)
    texts = [sse_encode_event(row.kind, live.encoded(row), event_id=f"{channel}:{row.seq}") for row in rows]
    last = rows[-1].seq if rows else after
    return Seen("".join(texts), last, more=bool(rows) and last < conversation.last_event)
