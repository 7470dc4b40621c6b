"""The end of what nobody confirmed in time."""

from django.db import transaction
from django.utils import timezone

from agent.actions.telling import show_in_chat
from agent.models import PendingAction

State = PendingAction.State


def is_overdue(action: PendingAction) -> bool:
    """Open in the table, but past its time: it can no longer be confirmed."""
    return action.state == State.PENDING and action.expires_at <= timezone.now()


@transaction.atomic
def expire(action: PendingAction) -> None:
    """Close it and change its card; one that was decided meanwhile stays as it was. The row is read again."""
    if PendingAction.objects.filter(pk=action.pk, state=State.PENDING).update(state=State.EXPIRED):
        show_in_chat(action, kind="action.expired", actor="host")
    action.refresh_from_db()


def expire_overdue() -> int:
    """Move what nobody confirmed in time; the cards in the chat follow. Returns how many. Safe to repeat."""
    overdue = PendingAction.objects.filter(state=State.PENDING, expires_at__lte=timezone.now())
    rows = list(overdue.select_related("run__conversation")[:100])
    for action in rows:
        expire(action)
    return len(rows)
