"""The end of everything that waits for a customer who is leaving."""

from typing import Any

from django.utils import timezone

from agent.actions.telling import show_in_chat
from agent.actions.witnessing import HOST
from agent.models import PendingAction

State = PendingAction.State


def decline_open(user: Any) -> int:
    """Decline what waits for the customer or for staff, in the caller's transaction, with its audit rows.

    No news goes to a model. What a payment provider has been asked for stays as it is. Returns how many.
    """
    waiting = PendingAction.objects.filter(user_id=user.pk, state__in=(State.PENDING, State.AWAITING_STAFF))
    count = 0
    for action in waiting.select_related("run"):
        now = timezone.now()
        if waiting.filter(pk=action.pk).update(state=State.REJECTED, decided_at=now):
            action.state, action.decided_at = State.REJECTED, now
            show_in_chat(action, kind="action.rejected", by=HOST)
            count += 1
    return count


def unsettled_of(user: Any) -> int:
    """How many of the customer's actions are under way outside: their money may be moving now."""
    return PendingAction.objects.filter(user_id=user.pk, state__in=PendingAction.UNSETTLED).count()
