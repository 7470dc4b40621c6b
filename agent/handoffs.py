"""A ticket for a person. Opening one twice gives the same ticket: nobody is asked to wait in two queues."""

from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import translation

from agent import audit, events, outbox
from agent.conf import setting
from agent.models import Conversation, Handoff
from agent.untrusted import clean_text


@transaction.atomic
def open_ticket(conversation: Conversation, *, reason: str, summary: str = "", actor: str = "agent") -> Handoff:
    """Give the conversation to staff; the customer is told its number. An open ticket is returned as it is."""
    open_ones = conversation.handoffs.filter(state=Handoff.State.OPEN)
    known = open_ones.first()
    if known:
        return known
    try:
        with transaction.atomic():
            ticket = Handoff.objects.create(conversation=conversation, reason=reason, summary=summary)
    except IntegrityError:  # somebody else opened one for this conversation at this moment
        return open_ones.get()
    _tell_staff(ticket)
    told = {"number": ticket.number, "reason": ticket.reason, "answer": answer_hours()}
    events.append(conversation.pk, ("handoff", told))
    audit.record(conversation.pk, actor=actor, kind="handoff.opened", subject=str(ticket), payload={"reason": reason})
    return ticket


def answer_hours() -> str:
    """When the customer may expect a person's answer, in the active language; empty where the shop promises nothing."""
    return str(setting("ANSWER_HOURS"))


def _tell_staff(ticket: Handoff) -> None:
    """A mail to the shop's own address, in the shop's language, where there is one; it leaves after the commit."""
    to = setting("STAFF_EMAIL")
    if not to or not outbox.is_on():
        return
    conversation = ticket.conversation
    with translation.override(settings.LANGUAGE_CODE):
        context = {
            "ticket": ticket,
            "summary": clean_text(ticket.summary, 1000),
            "language": conversation.language,
            "answer": answer_hours(),
            "url": settings.PUBLIC_URL.rstrip("/") + reverse("staff:runs"),
        }
        letter = outbox.letter("handoff", context, subject=f"{ticket}: {ticket.get_reason_display()}")
    outbox.write(letter, key=f"handoff:{ticket.pk}", to=to, conversation=conversation)
