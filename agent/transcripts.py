"""A conversation by mail, for its customer to keep: to the account's own confirmed address, and to no other.

Nobody names an address, neither the model nor a page. One an hour: what holds that is the mails' unique key.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from agent import actions, outbox
from agent.conf import setting
from agent.errors import Refusal
from agent.models import Conversation, Message, PendingAction

PAUSE = timedelta(hours=1)
LAST_MESSAGES = 500
SHOWN = (Message.Author.CUSTOMER, Message.Author.AGENT, Message.Author.STAFF)


def mail_transcript(conversation: Conversation, *, user: Any) -> str:
    """Write the mail, in the caller's transaction; returns the address. Raises Refusal with a kind reason."""
    if not outbox.is_on():
        raise Refusal(_("This shop does not send e-mail at the moment. The conversation stays in your history."))
    address = outbox.own_address(user)
    if address is None:
        raise Refusal(
            _("There is no confirmed e-mail address in your account. Confirm one first; then I can send it there.")
        )
    before = conversation.mails.filter(key__startswith=f"transcript:{conversation.pk}:")
    last = before.order_by("-pk").first()
    # The number is the next one: of two that come at once only one can have it.
    number = int(last.key.rpartition(":")[2]) + 1 if last else 1
    is_early = last is not None and last.created_at > timezone.now() - PAUSE
    key = f"transcript:{conversation.pk}:{number}"
    if is_early or not outbox.write(_letter(conversation), key=key, to=address, conversation=conversation):
        raise Refusal(
            _("This conversation was sent to you less than an hour ago. Look into your mailbox, or ask again later.")
        )
    return address


def _letter(conversation: Conversation) -> outbox.Letter:
    with translation.override(conversation.language):
        subject = _("Your conversation with %(shop)s") % {"shop": setting("SHOP_NAME")}
        return outbox.letter("transcript", contents(conversation), subject=subject)


def contents(conversation: Conversation) -> dict[str, Any]:
    """What was said and what was proposed, in the order of time, for the templates. Nothing that only staff see."""
    said = conversation.messages.filter(author__in=SHOWN).order_by("-id")[: LAST_MESSAGES + 1]
    messages = list(said)[:LAST_MESSAGES]
    proposals = PendingAction.objects.filter(run__conversation=conversation).order_by("-created_at")[:LAST_MESSAGES]
    entries = [_said(message) for message in messages] + [_proposed(action) for action in proposals]
    return {
        "conversation": conversation,
        "shop": setting("SHOP_NAME"),
        "entries": sorted(entries, key=lambda entry: entry["at"]),
        "is_cut": len(said) > LAST_MESSAGES,
        "tickets": [str(ticket) for ticket in conversation.handoffs.order_by("pk")],
        "url": settings.PUBLIC_URL.rstrip("/") + _page_of(conversation),
    }


def _page_of(conversation: Conversation) -> str:
    if conversation.is_chat:
        return reverse("agent:conversation", args=[conversation.pk])
    return reverse("agent:history")


def _said(message: Message) -> dict[str, Any]:
    who: dict[str, str] = {
        Message.Author.CUSTOMER: _("You"),
        Message.Author.AGENT: _("Assistant (AI)"),
        Message.Author.STAFF: _("Support team"),
    }
    return _entry(message.created_at, who=who[message.author], text=message.text, author=str(message.author))


def _proposed(action: PendingAction) -> dict[str, Any]:
    state = _("expired") if actions.is_overdue(action) else action.get_state_display()
    return _entry(
        action.created_at,
        who=_("Proposal"),
        text=actions.describe_action(action),
        author="proposal",
        state=state,
        decided_at=action.decided_at,
        reference=action.reference,
    )


def _entry(at: datetime, **what: Any) -> dict[str, Any]:
    return {"at": at, **what}
