"""A message becomes a run: the queued one that will answer it, or a new one.

The row is the outbox. The broker only makes it quicker: what it loses, the sweep enqueues again.
"""

import logging
from typing import Any
from uuid import UUID

from celery import current_app
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from kombu.exceptions import OperationalError

from agent import away
from agent.db import insert
from agent.models import AgentRun, Conversation, Message

logger = logging.getLogger(__name__)

TASK = "agent.tasks.run_agent_task"


def receive(conversation: Conversation, *, author: str, text: str, is_new: bool = False) -> tuple[Message, AgentRun]:
    """Store what was said and the run that will answer it. Call it inside a transaction.

    Messages that arrive while a run works wait together for the next one. Who calls enqueues, on commit. `is_new`:
    the same transaction has opened the conversation, so nobody else can have queued a run of it.
    """
    run = _new_run(conversation, number=1, prompt=text) if is_new else _queued_run(conversation, prompt=text)
    [message] = insert([Message(conversation=conversation, run=run, author=author, text=text)])
    return message, run


def enqueue_on_commit(run: AgentRun) -> None:
    """Tell the broker once the run's row can be seen by a worker."""
    transaction.on_commit(lambda: enqueue(run.pk))


def wake(user_id: int) -> None:
    """Enqueue what waited for a run of this customer to end, in its conversation or in another."""
    waiting = AgentRun.objects.filter(user_id=user_id, state=AgentRun.State.QUEUED).order_by("created_at")
    for run_id in waiting.values_list("pk", flat=True):
        enqueue(run_id)


def say(run: AgentRun, text: str) -> list[tuple[str, dict[str, Any]]]:
    """The assistant's words on their row, and the event that shows them; nothing where nothing is said."""
    if not text:
        return []
    author = Message.Author.AGENT
    [said] = insert([Message(conversation_id=run.conversation_id, run=run, author=author, text=text)])
    return [as_said(said)]


def as_said(message: Message) -> tuple[str, dict[str, Any]]:
    """The event that shows a message."""
    return "message", {"author": message.author, "text": message.text, "run": str(message.run_id)}


def as_shown(run: AgentRun) -> tuple[str, dict[str, Any]]:
    """The event that tells the browser how the run stands."""
    return "run", {"run": str(run.pk), "state": run.state, "reference": run.reference}


def _queued_run(conversation: Conversation, *, prompt: str) -> AgentRun:
    for _ in range(3):
        queued = AgentRun.objects.filter(conversation=conversation, state=AgentRun.State.QUEUED)
        # A worker may claim it just now: whoever moves the row first decides whether this message is still in time.
        run = queued.first()
        if run and queued.filter(pk=run.pk).update(enqueued_at=timezone.now()):
            return run
        try:
            with transaction.atomic():
                last = AgentRun.objects.filter(conversation=conversation).aggregate(last=Max("number"))["last"] or 0
                return _new_run(conversation, number=last + 1, prompt=prompt)
        except IntegrityError:
            logger.info("another message queued a run first", extra={"conversation": str(conversation.pk)})
    raise IntegrityError("a queued run came and went three times")


def _new_run(conversation: Conversation, *, number: int, prompt: str) -> AgentRun:
    return AgentRun.objects.create(
        conversation=conversation,
        user_id=conversation.user_id,
        number=number,
        prompt=prompt,
        enqueued_at=timezone.now(),
    )


def enqueue(run_id: UUID | Any) -> bool:
    """Tell the broker; False where it cannot be reached. The run waits for the sweep then, nothing is lost."""
    broker = away.server_of(current_app.conf.broker_url)
    if away.is_away(broker):
        return False
    try:
        current_app.send_task(TASK, args=[str(run_id)], ignore_result=True)
    except (OperationalError, OSError) as error:
        away.note(broker, error)
        logger.warning("the broker cannot be reached; the sweep will enqueue the run", extra={"run": str(run_id)})
        return False
    return True
