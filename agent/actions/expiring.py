"""The end of what nobody confirmed in time, and more time for whoever asks before that."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from agent.actions.showing import state_of
from agent.actions.telling import show_in_chat
from agent.actions.witnessing import HOST, Witness
from agent.conf import setting
from agent.models import PendingAction

State = PendingAction.State

MOST_PERIODS = 4  # from the proposal on; then the facts are looked up anew, by a fresh page
WORTH_ASKING = timedelta(seconds=30)


@transaction.atomic
def expire(action: PendingAction) -> None:
    """Close it and change its card; one that was decided meanwhile stays as it was. The row is read again."""
    if PendingAction.objects.filter(pk=action.pk, state=State.PENDING).update(state=State.EXPIRED):
        show_in_chat(action, kind="action.expired", by=HOST)
    action.refresh_from_db()


def may_extend(action: PendingAction) -> bool:
    """Whether an open proposal can still be given more time."""
    return state_of(action) == State.PENDING and _last_end(action) - action.expires_at >= WORTH_ASKING


@transaction.atomic
def extend(action: PendingAction, *, by: Witness) -> bool:
    """Leave it open for longer, with the facts it has: the confirmation compares them all the same.

    False, and nothing happens, where it is not open any more or has had all its time. The caller knows whose it is.
    """
    end = min(timezone.now() + _period(), _last_end(action))
    still = PendingAction.objects.filter(pk=action.pk, state=State.PENDING, expires_at=action.expires_at)
    # Two clicks arrive together: the second one finds another end.
    if not may_extend(action) or end <= action.expires_at or not still.update(expires_at=end):
        return False
    action.expires_at = end
    show_in_chat(action, kind="action.extended", by=by)
    return True


def longest_time() -> timedelta:
    """How long a proposal can wait at most, with all the time that its customer may ask for."""
    return MOST_PERIODS * _period()


def _period() -> timedelta:
    return timedelta(minutes=setting("CONFIRM_MINUTES"))


def _last_end(action: PendingAction) -> datetime:
    return action.created_at + longest_time()


def expire_overdue() -> int:
    """Move what nobody confirmed in time; the cards in the chat follow. Returns how many. Safe to repeat."""
    overdue = PendingAction.objects.filter(state=State.PENDING, expires_at__lte=timezone.now())
    rows = list(overdue.select_related("run__conversation")[:100])
    for action in rows:
        expire(action)
    return len(rows)
