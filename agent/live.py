"""Rows to what the browser shows: one drawing for the page and for the stream, and the stream's view of the rows."""

import json
import logging
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

from agent import actions
from agent.events import DELTA, channel_of
from agent.models import AgentRun, Conversation, Event, PendingAction

__all__ = ["ConversationChannels", "Entry", "EventRows", "may_read", "render", "transcript"]

logger = logging.getLogger(__name__)


class Entry(NamedTuple):
    """An element of the page. A later event with the same key replaces it where it stands."""

    key: str
    kind: str
    html: str


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


def transcript(conversation: Conversation, *, upto: int | None = None) -> list[Entry]:
    """The page: every element once, as its last event has it, where its first event put it."""
    rows = conversation.events.order_by("seq")
    if upto is not None:
        rows = rows.filter(seq__lte=upto)
    latest: dict[str, Event] = {}
    for event in rows.iterator():
        event.conversation = conversation
        latest[key_of(event)] = event
    return [Entry(key, event.kind, _drawn(event)) for key, event in latest.items()]


def saved_text(conversation_id: UUID | str) -> dict[str, Any] | None:
    """The text that is being written, as one delta from its beginning; None where there is none."""
    run = AgentRun.objects.filter(conversation_id=conversation_id, state=AgentRun.State.RUNNING).first()
    if run is None or not run.partial_text:
        return None
    turn = run.turns.count()
    return {"run": str(run.pk), "attempt": run.partial_attempt, "turn": turn, "offset": 0, "text": run.partial_text}


def may_read(user: Any, conversation_id: UUID | str) -> bool:
    """The owner, and staff that may review runs. A conversation that is not there is nobody's."""
    if not user.is_active:
        return False
    rows = Conversation.objects.filter(pk=conversation_id)
    if not (user.is_staff and user.has_perm("agent.view_agentrun")):
        rows = rows.filter(user_id=user.pk)
    return rows.exists()


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
    """django-eventstream's storage over our rows: what was committed is what is replayed. Writes nothing.

    Closes the connection after each read: a stream that holds one for its life exhausts PostgreSQL.
    """

    def append_event(self, channel: str, event_type: str, data: str) -> Published:
        """The row is there already; a piece of text has none, and no number."""
        seq = 0 if event_type == DELTA else json.loads(data)["seq"]
        return Published(channel, event_type, data, id=seq)

    def get_events(self, channel: str, last_id: int, limit: int = 100) -> list[Published]:
        try:
            rows = Event.objects.filter(conversation_id=_conversation_in(channel), seq__gt=last_id)
            return [
                Published(channel, row.kind, json.dumps(render(row), cls=DjangoJSONEncoder), id=row.seq)
                for row in rows.select_related("conversation").order_by("seq")[:limit]
            ]
        finally:
            let_go()

    def get_current_id(self, channel: str) -> int:
        try:
            found = Conversation.objects.filter(pk=_conversation_in(channel))
            return found.values_list("last_event", flat=True).first() or 0
        finally:
            let_go()


class ConversationChannels(ChannelManagerBase):
    """One conversation a stream, named by the address and never by the client; asked at every look at the rows."""

    def get_channels_for_request(self, request: HttpRequest, view_kwargs: dict[str, Any]) -> set[str]:
        return {channel_of(view_kwargs["pk"])}

    def can_read_channel(self, user: Any, channel: str) -> bool:
        return user is not None and may_read(user, _conversation_in(channel))

    def is_channel_reliable(self, channel: str) -> bool:
        return True


def let_go() -> None:
    """Close this thread's database connection, unless a transaction of the caller is open on it."""
    if not connection.in_atomic_block:
        connection.close()
