"""A proposal and its receipt by mail, each once: to the account's own confirmed address, and to no other.

The proposal's mail only leads to the page, where its customer has to be signed in. It holds no action, so that
whoever opens it before the customer (a scanner, a preview) sets nothing off; and it names no address and no items.
"""

from django.utils import translation
from django.utils.translation import gettext as _

from agent import outbox
from agent.actions.showing import address, show
from agent.conf import setting
from agent.models import PendingAction


def mail_proposal(action: PendingAction) -> None:
    """In the transaction of the proposal. One that is made again, or reused, is not mailed again."""
    if action.state == PendingAction.State.PENDING:
        with translation.override(_language(action)):
            _mail(action, "proposal", subject=_("For your confirmation: %(title)s"))


def mail_receipt(action: PendingAction) -> None:
    """In the transaction in which it was done."""
    if action.state == PendingAction.State.EXECUTED:
        with translation.override(_language(action)):
            _mail(action, "receipt", subject=_("Receipt: %(title)s"))


def _language(action: PendingAction) -> str | None:
    return action.run.conversation.language if action.run else translation.get_language()


def _mail(action: PendingAction, name: str, *, subject: str) -> None:
    to = outbox.own_address(action.user) if setting("ACTION_MAILS") and outbox.is_on() else None
    if to is None:
        return
    shown = show(action)
    context = {"action": action, "shown": shown, "shop": setting("SHOP_NAME"), "url": address(action)}
    letter = outbox.letter(name, context, subject=subject % {"title": shown.title})
    conversation = action.run.conversation if action.run else None
    outbox.write(letter, key=f"action:{action.pk}:{name}", to=to, conversation=conversation)
