"""The second signature: above an amount, what a customer confirmed waits for a member of staff.

The same gate once more: one of two POSTs wins, the plan is made again under lock, and what is done is what both saw.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from agent import policies, selectors
from agent.actions import settling
from agent.actions.deciding import CONFIRM, Decision
from agent.actions.executing import carry_out
from agent.actions.planning import plan_under_lock, unexpected
from agent.actions.proposing import has_other_rules, usable_tool
from agent.actions.telling import tell
from agent.actions.witnessing import Witness, user_named
from agent.errors import FactsChanged, NotFound, Refusal
from agent.models import PendingAction
from agent.tools.schema import digest as digest_of

State = PendingAction.State


def cosign(action_id: UUID | str, *, by: Any, decision: str, digest: str) -> Decision:
    """Approve or decline what waits for staff, once; whoever comes second is told what was decided.

    Other facts or rules by now: nothing is done, and the customer is asked anew. Raises NotFound for anybody who may
    not sign it, its own customer among them.
    """
    action = selectors.action_for_staff(action_id)
    if not policies.may_cosign(by, customer_id=action.user_id):
        raise NotFound(_("There is nothing here for this account."))
    with translation.override(action.run.conversation.language if action.run else translation.get_language()):
        done = _approved(action, by=by, digest=digest) if decision == CONFIRM else _decline(action, by=by)
        if done.decided_now and done.action.state == State.EXECUTING:
            settling.settle_at_once(done.action)
    return done


def _approved(action: PendingAction, *, by: Any, digest: str) -> Decision:
    try:
        return _approve(action, by=by, digest=digest)
    except FactsChanged:
        return _back_to_the_customer(action, by=by)
    except Refusal as refusal:
        return _fail(action, by=by, reason=str(refusal))
    except Exception:
        return _fail(action, by=by, reason=unexpected(action))


@transaction.atomic
def _approve(action: PendingAction, *, by: Any, digest: str) -> Decision:
    if not _move(action, to=State.EXECUTED, by=by):
        return _decided_before(action)
    tool = usable_tool(action, user=action.user)
    facts = plan_under_lock(tool, action.arguments, user=action.user)
    is_same = digest_of(tool.name, action.arguments, facts) == digest == action.digest
    if not is_same or has_other_rules(action, tool):
        raise FactsChanged(_("Something changed since you were asked. Nothing was done."))
    carry_out(tool, action, by=Witness(user_named(by)), after="action.approved")
    return Decision(action, decided_now=True)


@transaction.atomic
def _decline(action: PendingAction, *, by: Any) -> Decision:
    if not _move(action, to=State.REJECTED, by=by):
        return _decided_before(action)
    news = "The customer confirmed, but a member of staff did not approve it. Nothing was changed."
    tell(action, news=news, by=Witness(user_named(by)))
    return Decision(action, decided_now=True)


@transaction.atomic
def _fail(action: PendingAction, *, by: Any, reason: str) -> Decision:
    if not _move(action, to=State.FAILED, by=by, reason=reason):
        return _decided_before(action)
    news = f"The customer confirmed, and staff approved, but it was not possible: {reason} Nothing was changed."
    tell(action, news=news, by=Witness(user_named(by)))
    return Decision(action, decided_now=True)


@transaction.atomic
def _back_to_the_customer(action: PendingAction, *, by: Any) -> Decision:
    """It ends as expired: one click of the customer's asks for it anew, with today's facts, for two new signatures."""
    waiting = PendingAction.objects.filter(pk=action.pk, state=State.AWAITING_STAFF)
    ended = {"state": State.EXPIRED, "expires_at": timezone.now() - timedelta(seconds=1)}
    if waiting.update(**ended, cosigned_at=timezone.now()):
        action.refresh_from_db()
        news = (
            "Staff looked at it, but the facts had changed since the customer confirmed. Nothing was changed. The "
            "customer can ask for it again on its page."
        )
        tell(action, news=news, by=Witness(user_named(by)))
    return Decision(selectors.action_for_staff(action.pk), decided_now=False)


def _decided_before(action: PendingAction) -> Decision:
    action.refresh_from_db()
    return Decision(action, decided_now=False)


def _move(action: PendingAction, *, to: str, by: Any, **more: Any) -> bool:
    """Two members of staff, or one and the customer: one moves the row, the other finds nothing to move."""
    changes = {"state": to, "cosigned_at": timezone.now(), "cosigned_by": by, **more}
    moved = PendingAction.objects.filter(pk=action.pk, state=State.AWAITING_STAFF).update(**changes)
    for name, value in changes.items():
        setattr(action, name, value)
    return moved == 1
