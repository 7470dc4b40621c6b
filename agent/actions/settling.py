"""What was confirmed and is due outside: asked for after the commit, and found out where no answer came.

An action is executing or unknown until the outside has said what became of it. Nothing here decides that by itself,
and nothing is asked for twice: the tool's hook `outside` sees to that, by the action's id.
"""

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from agent import handoffs
from agent.actions.telling import tell
from agent.actions.witnessing import HOST
from agent.models import Handoff, PendingAction
from agent.rounds import Round
from agent.tools import Settlement, registry

logger = logging.getLogger(__name__)

State = PendingAction.State

FIRST_CHECK = timedelta(seconds=30)  # longer than the confirming process waits for an answer
LAST_CHECK = timedelta(minutes=15)
STAFF_AFTER = timedelta(days=1)
AT_ONCE = 20  # actions a round
STATES = {"done": State.EXECUTED, "failed": State.FAILED, "underway": State.EXECUTING, "unknown": State.UNKNOWN}
NEWS = {
    State.EXECUTED: "The customer confirmed, and it was done.",
    State.FAILED: "The customer confirmed, but it could not be carried out. The customer was told: {reason}",
    State.EXECUTING: "The customer confirmed. It was passed on and is under way, but it is not done yet: do not say "
    "that it is done. You are told when it is.",
    State.UNKNOWN: "The customer confirmed, but no answer has come yet whether it was done. It is being checked. Say "
    "neither that it was done nor that it failed, and do not propose it again. You are told when it is known.",
}


def begin(action: PendingAction) -> None:
    """From executed to executing, in the transaction of the confirmation: nobody has seen the other state."""
    action.state, action.check_at = State.EXECUTING, timezone.now() + FIRST_CHECK
    action.save(update_fields=["state", "check_at"])


def settle_at_once(action: PendingAction) -> PendingAction:
    """Ask for what is due, right after its commit, and return the action as it stands then.

    Never raises: what goes wrong here leaves the action executing, and `reconcile` goes on with it.
    """
    try:
        _settle(action, is_first=True)
    except Exception:
        logger.exception("what is due outside could not be asked for yet", extra={"action": str(action.pk)})
    action.refresh_from_db()
    return action


def reconcile() -> int:
    """Find out what became of everything that is executing or unknown. Returns how many ended. Safe anywhere, often.

    It waits for the outside: not for a thread that has leases to keep.
    """
    count = 0
    for action in _due().select_related("run__conversation", "user").order_by("check_at")[:AT_ONCE]:
        if not _claim(action):
            continue
        try:
            count += _settle(action)
        except Exception:
            logger.exception("an action could not be reconciled", extra={"action": str(action.pk)})
            _call_staff_if_late(action)
    return count


def _due() -> QuerySet[PendingAction]:
    return PendingAction.objects.filter(state__in=PendingAction.UNSETTLED, check_at__lte=timezone.now())


def _claim(action: PendingAction) -> bool:
    """Several workers see the same row: whoever moves its next check asks now."""
    mine = PendingAction.objects.filter(pk=action.pk, state__in=PendingAction.UNSETTLED, check_at=action.check_at)
    return mine.update(check_at=_next_check(action)) == 1


def _next_check(action: PendingAction) -> datetime:
    """Soon at first, ever more slowly; an answer of days, or of staff, is still noticed."""
    now = timezone.now()
    age = now - (action.decided_at or now)
    return now + min(max(FIRST_CHECK, age / 2), LAST_CHECK)


def _settle(action: PendingAction, *, is_first: bool = False) -> bool:
    """Ask, and keep the answer. True where the action has ended."""
    with translation.override(_language(action)):
        settlement = _asked(action)
        _keep(action, settlement, is_first=is_first)
    return settlement.state in ("done", "failed")


def _call_staff_if_late(action: PendingAction) -> None:
    """Nobody is left waiting for a fault that stays: after a day a person takes over, and the asking goes on."""
    if action.decided_at is not None and action.decided_at < timezone.now() - STAFF_AFTER:
        with translation.override(_language(action)):
            _keep(action, Settlement("unknown", needs_person=True), is_first=False)


def _language(action: PendingAction) -> str | None:
    return action.run.conversation.language if action.run else translation.get_language()


def _asked(action: PendingAction) -> Settlement:
    tool = registry.all_tools().get(action.tool)
    if tool is None or tool.outside is None:
        logger.error("nobody can say what became of an action: its tool is gone", extra={"tool": action.tool})
        return Settlement("unknown", needs_person=True)
    return tool.outside.settle(str(action.pk), user=action.user)


@transaction.atomic
def _keep(action: PendingAction, settlement: Settlement, *, is_first: bool) -> None:
    """Move the row; tell what is new, once, whoever comes second."""
    to = STATES[settlement.state]
    reason = settlement.words
    if settlement.needs_person and not reason:
        reason = _("It could not be found out automatically. A member of staff is looking into it.")
    is_open = to in PendingAction.UNSETTLED
    unsettled = PendingAction.objects.filter(pk=action.pk, state__in=PendingAction.UNSETTLED)
    changes = {"state": to, "reason": reason, "check_at": _next_check(action) if is_open else None}
    moved = unsettled.exclude(state=to, reason=reason).update(**changes)
    is_under_way_since_now = is_first and to == State.EXECUTING and unsettled.exists()
    if not moved and not is_under_way_since_now:
        return
    action.state, action.reason = to, reason
    tell(action, news=NEWS[to].format(reason=reason), by=HOST)
    if settlement.needs_person and action.run is not None:
        summary = f"{action.summary}: {reason}"
        handoffs.open_ticket(action.run.conversation, reason=Handoff.Reason.CANNOT, summary=summary, actor="host")


reconciler = Round("reconciler", is_due=lambda: _due().exists(), work=reconcile)


def reconcile_soon() -> None:
    """The keeper's duty: let what is due be found out beside it."""
    reconciler.call()
