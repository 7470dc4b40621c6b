"""A ticket for a person. Opening one twice gives the same ticket: nobody is asked to wait in two queues."""

from django.db import IntegrityError, transaction
from django.db.models import Max

from agent import audit, events
from agent.models import Conversation, Handoff

FIRST_NUMBER = 1001


@transaction.atomic
def open_ticket(conversation: Conversation, *, reason: str, summary: str = "", actor: str = "agent") -> Handoff:
    """Give the conversation to staff; the customer is told its number. An open ticket is returned as it is."""
    for _ in range(3):
        ticket = conversation.handoffs.filter(state=Handoff.State.OPEN).first()
        if ticket:
            return ticket
        try:
            with transaction.atomic():
                ticket = _new(conversation, reason=reason, summary=summary)
        except IntegrityError:  # another ticket took the number, or this conversation's place
            continue
        events.append(conversation.pk, ("handoff", {"number": ticket.number, "reason": ticket.reason}))
        audit.record(
            conversation.pk, actor=actor, kind="handoff.opened", subject=str(ticket), payload={"reason": reason}
        )
        return ticket
    raise IntegrityError("no ticket number could be had")


def _new(conversation: Conversation, *, reason: str, summary: str) -> Handoff:
    last = Handoff.objects.aggregate(last=Max("number"))["last"] or FIRST_NUMBER - 1
    return Handoff.objects.create(conversation=conversation, number=last + 1, reason=reason, summary=summary)
