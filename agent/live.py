"""Rows to what the browser shows: one drawing for the page and for the stream, and the stream's view of the rows."""

import json
import logging
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import override
from django_eventstream.channelmanager import ChannelManagerBase
from django_eventstream.event import Event as Published
from django_eventstream.storage import StorageBase

from agent import actions, policies
from agent.events import DELTA, channel_of
from agent.models import AgentRun, Conversation, Event, PendingAction

__all__ = [
    "ConversationChannels", "Entry", "EventRows", "beginning_of", "encoded", "events_after", "last_number", "let_go",
    "may_read", "readable", "render", "saved_texts", "transcript",
]  # fmt: skip

logger = logging.getLogger(__name__)


class Entry(NamedTuple):
    """An element of the page. A later event with the same key replaces it where it stands."""

    key: str
    kind: str
    html: str
    began: datetime


def key_of(event: Event) -> str:
    """The name of the element that the event draws."""
    data = event.data
    match event.kind:
        case "run":
            return f"run-{data['run']}"
        case "step":  # a call id is unique in its run alone
            return f"step-{data['run']}-{data['call_id']}"
        case "action":
            return f"action-{data['action']}"
        case "card":
            return f"{data['key']}-{data['run']}"
        case "handoff":
            return f"handoff-{data['number']}"
    return f"{event.kind}-{event.seq}"


def render(event: Event) -> dict[str, Any]:
    """What the stream carries for a stored event; its words are in the conversation's language.

    One that cannot be drawn has no html and a line in the log: the others must not wait behind it.
    """
    wire = {"seq": event.seq, "kind": event.kind, "key": key_of(event), "html": _drawn(event)}
    if event.kind == "run":
        wire |= {"run": event.data["run"], "state": event.data["state"]}
    return wire


def transcript(conversation: Conversation, *, since: int = 0, upto: int | None = None) -> list[Entry]:
    """The page: every element once, as its last event has it, where the first of these events put it."""
    rows = conversation.events.filter(seq__gte=since).order_by("seq")
    if upto is not None:
        rows = rows.filter(seq__lte=upto)
    latest: dict[str, Event] = {}
    began: dict[str, datetime] = {}
    for event in rows.iterator():
        event.conversation = conversation
        key = key_of(event)
        latest[key] = event
        began.setdefault(key, event.created_at)
    return [Entry(key, event.kind, _drawn(event), began[key]) for key, event in latest.items()]


def beginning_of(conversation: Conversation, *, messages: int) -> tuple[int, bool]:
    """Where the last so many messages begin, as an event's number, and whether there are earlier ones."""
    said = conversation.events.filter(kind="message").order_by("-seq").values_list("seq", flat=True)
    first = list(said[messages - 1 : messages + 1])
    return (first[0], True) if len(first) == 2 else (0, False)


def encoded(event: Event) -> str:
    """The same as JSON."""
    return json.dumps(render(event), cls=DjangoJSONEncoder)


def events_after(conversation: Conversation, number: int, *, most: int) -> list[Event]:
    """The next events behind that number, in their order."""
    rows = list(conversation.events.filter(seq__gt=number).order_by("seq")[:most])
    for row in rows:
        row.conversation = conversation
    return rows


def last_number(conversation_id: UUID | str) -> int:
    """The number of the newest event; 0 where there is none."""
    return Conversation.objects.filter(pk=conversation_id).values_list("last_event", flat=True).first() or 0


def saved_texts(conversation_ids: Iterable[UUID]) -> dict[UUID, dict[str, Any]]:
    """By conversation the text that is being written there, as one delta from its beginning."""
    rows = AgentRun.objects.filter(conversation_id__in=conversation_ids, state=AgentRun.State.RUNNING)
    return {run.conversation_id: _as_delta(run) for run in rows.exclude(partial_text="")}


def _as_delta(run: AgentRun) -> dict[str, Any]:
    turn = run.turns.count()
    return {"run": str(run.pk), "attempt": run.partial_attempt, "turn": turn, "offset": 0, "text": run.partial_text}


def readable(asked: Sequence[tuple[Any, UUID]]) -> list[Conversation | None]:
    """For each user and conversation the conversation, without what no browser is shown; None: not for this user.

    For its owner, and for staff that may review runs. One that is not there is nobody's, as is any for no user.
    """
    rows = Conversation.objects.only("user_id", "language", "last_event").in_bulk({pk for _, pk in asked})
    return [rows.get(pk) if user is not None and _may_read(user, rows.get(pk)) else None for user, pk in asked]


def may_read(user: Any, conversation_id: UUID) -> bool:
    """Whether it is readable for this one."""
    return readable([(user, conversation_id)]) != [None]


def _may_read(user: Any, conversation: Conversation | None) -> bool:
    if conversation is None or not user.is_active:
        return False
    return conversation.user_id == user.pk or policies.may_review(user)


def _drawn(event: Event) -> str:
    try:
        with override(event.conversation.language):
            return render_to_string(f"agent/events/{event.kind}.html", _context(event)).strip()
    except Exception:
        logger.exception("an event cannot be drawn", extra={"event": event.pk, "kind": event.kind})
        return ""


def _context(event: Event) -> dict[str, Any]:
    context = {"event": event, "data": event.data, "key": key_of(event), "conversation": event.conversation}
    if event.kind == "action":
        action = PendingAction.objects.get(pk=event.data["action"])
        context |= {"action": action, "shown": actions.show(action)}
    return context


def _conversation_in(channel: str) -> str:
    return channel.removeprefix(channel_of(""))


class EventRows(StorageBase):
    """django-eventstream's storage over our rows: what is published carries their numbers. Writes and reads nothing."""

    def append_event(self, channel: str, event_type: str, data: str) -> Published:
        """The row is there already; a piece of text has none, and no number."""
        seq = 0 if event_type == DELTA else json.loads(data)["seq"]
        return Published(channel, event_type, data, id=seq)


class ConversationChannels(ChannelManagerBase):
    """One conversation a stream, named by the address and never by the client; asked at every look at the rows."""

    def get_channels_for_request(self, request: HttpRequest, view_kwargs: dict[str, Any]) -> set[str]:
        return {channel_of(view_kwargs["pk"])}

    def can_read_channel(self, user: Any, channel: str) -> bool:
        return user is not None and may_read(user, UUID(_conversation_in(channel)))

    def is_channel_reliable(self, channel: str) -> bool:
        return True


def let_go() -> None:
    """Close this thread's database connection, unless a transaction of the caller is open on it."""
    if not connection.in_atomic_block:
        connection.close()
