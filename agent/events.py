"""The log of a conversation: what the browser is shown, in order, stored with what it tells.

A published event is only a knock: the streams read the rows, so one that is late, lost or comes twice harms nobody.
"""

import logging
import time
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django_eventstream import send_event

from agent import away
from agent.db import insert, update_returning
from agent.models import AgentRun, Conversation, Event

logger = logging.getLogger(__name__)

Item = tuple[str, dict[str, Any]]  # kind, data

DELTA = "delta"  # text as it comes; never stored
STORED = "stored"  # the knock
QUIET_SECONDS = 2.0
UNSEEN = 2**53 - 1  # above every number, so that no stream takes it for something that it has shown

_no_deltas_until = 0.0  # time.monotonic()


def channel_of(conversation_id: UUID | str) -> str:
    """The one name of a conversation's stream, for the channel and for the ids in it."""
    return f"conversation-{conversation_id}"


def append(conversation_id: UUID | str, *items: Item) -> list[Event]:
    """Store the events with the next numbers, and publish them on commit.

    The last statement of its transaction, once for all its events: it locks the conversation's row, which keeps
    the numbers without gaps and in the order of the commits, and moves `updated_at`. Raises outside a transaction.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("events.append needs the transaction of what it tells")
    if not items:
        return []
    grow, now = {"last_event": len(items)}, timezone.now()
    row = update_returning(Conversation, "last_event", where={"id": conversation_id}, grow=grow, updated_at=now)
    if row is None:
        raise Conversation.DoesNotExist(f"no conversation {conversation_id}")
    first = row[0] - len(items) + 1
    rows = insert(
        [
            Event(conversation_id=conversation_id, seq=seq, kind=kind, data=data)
            for seq, (kind, data) in enumerate(items, start=first)
        ]
    )
    transaction.on_commit(lambda: publish(rows))
    return rows


def knock(conversation_ids: Iterable[UUID]) -> None:
    """Have the streams of these conversations look again, also whether they may still be read. Never raises."""
    for conversation_id in conversation_ids:
        _send(channel_of(conversation_id), STORED, {"seq": UNSEEN})


def publish(rows: list[Event]) -> None:
    """Knock for the last of the rows, all of one conversation. Never raises: a stream finds them at its next look."""
    _send(channel_of(rows[-1].conversation_id), STORED, {"seq": rows[-1].seq})


def publish_delta(run: AgentRun, *, text: str, attempt: int, turn: int, offset: int) -> None:
    """Show a piece of a turn's text to who listens now. `offset` counts characters from the turn's beginning.

    Never raises, and does not let a run wait for a Redis that is away: the saved text stands in.
    """
    global _no_deltas_until
    if time.monotonic() < _no_deltas_until:
        return
    data = {"run": str(run.pk), "attempt": attempt, "turn": turn, "offset": offset, "text": text}
    if not _send(channel_of(run.conversation_id), DELTA, data):
        _no_deltas_until = time.monotonic() + QUIET_SECONDS


def _send(channel: str, kind: str, data: dict[str, Any]) -> bool:
    redis = getattr(settings, "EVENTSTREAM_REDIS", None)
    server = f"{redis['host']}:{redis['port']}" if redis else ""
    if away.is_away(server):
        return False
    try:
        send_event(channel, kind, data)
    except Exception as error:
        away.note(server, error)
        logger.warning("an event was not published", extra={"channel": channel, "kind": kind, "error": repr(error)})
        return False
    return True
