"""The log: numbers without gaps, stored and published with the commit or not at all."""

import threading
import uuid
from typing import Any

import pytest
import redis
from django.db import connection, transaction
from django_eventstream import eventstream

from agent import events
from agent.models import AgentRun, Conversation, Event


def message(text: str) -> events.Item:
    return "message", {"author": "agent", "text": text, "run": None}


@pytest.mark.django_db(transaction=True)
def test_append_by_many_writers_leaves_no_gap(conversation: Conversation) -> None:
    ready = threading.Barrier(8)
    failures: list[BaseException] = []

    def write(name: int) -> None:
        try:
            ready.wait(timeout=10)
            for turn in range(8):
                with transaction.atomic():
                    events.append(conversation.pk, message(f"{name}.{turn}"), message("and more"))
                    if turn % 4 == 3:
                        transaction.set_rollback(True)
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=[name]) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    conversation.refresh_from_db()
    assert failures == []
    assert list(conversation.events.values_list("seq", flat=True)) == list(range(1, 8 * 6 * 2 + 1))
    assert conversation.last_event == 8 * 6 * 2


@pytest.mark.django_db(transaction=True)
def test_append_outside_a_transaction_stores_nothing(conversation: Conversation) -> None:
    with pytest.raises(transaction.TransactionManagementError):
        events.append(conversation.pk, message("hello"))
    conversation.refresh_from_db()
    assert (conversation.last_event, Event.objects.count()) == (0, 0)


@pytest.mark.django_db
def test_append_to_no_conversation_raises() -> None:
    with pytest.raises(Conversation.DoesNotExist):
        events.append(uuid.uuid4(), message("hello"))
    assert Event.objects.count() == 0


def test_append_of_nothing_moves_nothing(conversation: Conversation) -> None:
    assert events.append(conversation.pk) == []
    conversation.refresh_from_db()
    assert conversation.last_event == 0


def test_append_publishes_once_and_only_on_commit(
    conversation: Conversation, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks() as knocks:
        rows = events.append(conversation.pk, message("one"), message("two"))
    assert ([row.seq for row in rows], len(knocks)) == ([1, 2], 1)


def test_publishing_without_redis_harms_nobody(conversation: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = redis.Redis(host="127.0.0.1", port=1, retry=None)
    monkeypatch.setattr(eventstream, "redis_client", nobody)
    monkeypatch.setattr(events, "_no_deltas_until", 0.0)
    rows = events.append(conversation.pk, message("stored all the same"))
    events.publish(rows)
    events.publish_delta(AgentRun(conversation=conversation), text="x", attempt=1, turn=0, offset=0)
    assert conversation.events.count() == 1
