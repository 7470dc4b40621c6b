"""Whom a change of an action is told: the conversation, the card in the chat, the audit."""

from uuid import UUID

from agent import events, inbox
from agent.actions.mailing import mail_proposal, mail_receipt
from agent.actions.witnessing import AGENT, Witness, record
from agent.models import Message, PendingAction
from agent.untrusted import harmless_text


def tell(action: PendingAction, *, news: str, by: Witness, after: str = "") -> None:
    """The conversation learns of it and goes on by itself; the card in the chat changes; what was done is mailed.

    Where another program asked, no model is woken: the program looks, and the customer reads it in their history.
    Last in its transaction.
    """
    kind = f"action.{action.state}"
    if action.run is None or not action.run.conversation.is_chat:
        show_in_chat(action, kind=kind, by=by, after=after)
    else:
        # A message of the host's own, with words of others in it: an address, a product, a provider's reason.
        summary, told = (" ".join(harmless_text(words).split()) for words in (action.summary, news))
        text = f"News about the proposal: {summary.rstrip('.')}. {told} Reference {action.reference}."
        _, run = inbox.receive(action.run.conversation, author=Message.Author.SYSTEM, text=text)
        inbox.enqueue_on_commit(run)
        show_in_chat(action, inbox.as_shown(run), kind=kind, by=by, after=after)
    mail_receipt(action)


def show_in_chat(action: PendingAction, *more: events.Item, kind: str, by: Witness, after: str = "") -> None:
    """The card as it is now, and the audit row. Last in its transaction.

    `after`: what was decided, where that is not what became of it; a row of its own, before the other.
    """
    if action.run is not None:
        card = ("action", {"action": str(action.pk), "run": str(action.run_id)})
        events.append(action.run.conversation_id, card, *more)
    if after:
        record(action, kind=after, by=by)
    record(action, kind=kind, by=by)


def record_proposal(action: PendingAction, *, conversation_id: UUID) -> None:
    """The audit row of a proposal, and its mail; its event is the run's own. Call it after `events.append`."""
    record(action, kind="action.proposed", by=AGENT, conversation_id=conversation_id)
    mail_proposal(action)
