"""Whom a change of an action is told: the conversation, the card in the chat, the audit."""

from uuid import UUID

from agent import audit, events, inbox
from agent.actions.mailing import mail_proposal, mail_receipt
from agent.models import Message, PendingAction


def tell(action: PendingAction, *, news: str, actor: str) -> None:
    """The conversation learns of it and goes on by itself; the card in the chat changes; what was done is mailed.

    Last in its transaction.
    """
    if action.run is not None:
        text = f"News about the proposal: {action.summary.rstrip('.')}. {news} Reference {action.reference}."
        _, run = inbox.receive(action.run.conversation, author=Message.Author.SYSTEM, text=text)
        inbox.enqueue_on_commit(run)
        show_in_chat(action, inbox.as_shown(run), kind=f"action.{action.state}", actor=actor)
    mail_receipt(action)


def show_in_chat(action: PendingAction, *more: events.Item, kind: str, actor: str) -> None:
    """The card as it is now, and the audit row. Last in its transaction."""
    if action.run is None:
        return
    conversation_id = action.run.conversation_id
    card = ("action", {"action": str(action.pk), "run": str(action.run_id)})
    events.append(conversation_id, card, *more)
    _record(action, conversation_id, kind=kind, actor=actor)


def record_proposal(action: PendingAction, *, conversation_id: UUID) -> None:
    """The audit row of a proposal, and its mail; its event is the run's own. Call it after `events.append`."""
    _record(action, conversation_id, kind="action.proposed", actor="agent")
    mail_proposal(action)


def _record(action: PendingAction, conversation_id: UUID, *, kind: str, actor: str) -> None:
    payload = {"digest": action.digest, "facts": action.facts, "result": action.result, "reason": action.reason}
    audit.record(conversation_id, actor=actor, kind=kind, subject=f"action:{action.pk}", payload=payload)
