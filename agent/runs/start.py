"""A customer's words become a message and a run, in one transaction; the queue only hears of it."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agent import accounts, events, inbox
from agent.conf import setting
from agent.errors import BadQuestion
from agent.fields import storable
from agent.models import AgentRun, Conversation, Message
from agent.runs import words
from agent.runs.prompt import prefix_for


@transaction.atomic
def ask(user: Any, text: str, conversation: Conversation | None = None, language: str = "en") -> AgentRun:
    """Store a question and enqueue the run that will answer it. Raises BadQuestion with a sentence."""
    run = accept(user, text, conversation=conversation, language=language)
    inbox.enqueue_on_commit(run)
    return run


@transaction.atomic
def accept(user: Any, text: str, *, conversation: Conversation | None = None, language: str = "en") -> AgentRun:
    """The same without telling the queue, for a caller who works on the run itself."""
    text = checked(text)
    is_new = conversation is None
    conversation = conversation or open_conversation(user, title=text, language=language)
    message, run = inbox.receive(conversation, author=Message.Author.CUSTOMER, text=text, is_new=is_new)
    events.append(conversation.pk, inbox.as_said(message), inbox.as_shown(run))
    return run


def checked(text: str) -> str:
    """The question as it will be kept. Raises BadQuestion where it is empty or too long."""
    text = storable(text).replace("\r\n", "\n").strip()
    most = setting("MAX_QUESTION_CHARS")
    if not text:
        raise BadQuestion(_("Write a question first."))
    if len(text) > most:
        raise BadQuestion(
            _("Your message has %(count)s characters; at most %(most)s fit. Shorten it, or send it in parts.")
            % {"count": len(text), "most": most}
        )
    return text


@transaction.atomic(savepoint=False)
def open_conversation(user: Any, *, title: str, language: str = "en") -> Conversation:
    """A new correspondence, with today's prompt, tools, provider and model frozen on it.

    Raises NotFound where the person was forgotten meanwhile.
    """
    accounts.keep_open(user)
    prefix = prefix_for(user)
    return Conversation.objects.create(
        user=user,
        title=" ".join(title.split())[:80],
        language=language,
        system_prompt=prefix.system_prompt,
        tools=prefix.tools,
        prefix_hash=prefix.hash,
        provider=setting("PROVIDER"),
        model=setting("MODEL"),
    )


def request_stop(run: AgentRun, *, by: Any) -> None:
    """Ask the run to stop; it ends at its next look, within a second. A run that still waits ends here."""
    now = timezone.now()
    fields = {"stop_requested_at": now, "stop_requested_by": by}
    with transaction.atomic():
        rows = AgentRun.objects.filter(pk=run.pk)
        ended = {"state": AgentRun.State.STOPPED, "finished_at": now, "error_code": "stopped"}
        if rows.filter(state=AgentRun.State.QUEUED).update(**fields, **ended):
            _tell_stopped(run)
        else:
            rows.filter(state=AgentRun.State.RUNNING, stop_requested_at__isnull=True).update(**fields)


def _tell_stopped(run: AgentRun) -> None:
    run.refresh_from_db()
    events.append(run.conversation_id, *inbox.say(run, str(words.STOPPED)), inbox.as_shown(run))
