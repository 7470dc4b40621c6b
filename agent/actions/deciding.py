"""The customer's decision, carried out once."""

import logging
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agent import policies, selectors
from agent.actions import settling
from agent.actions.executing import carry_out
from agent.actions.expiring import expire, is_overdue
from agent.actions.proposing import has_other_rules, plan, usable_tool
from agent.actions.showing import Shown, show
from agent.actions.telling import show_in_chat, tell
from agent.errors import FactsChanged, Refusal, RulesChanged, new_reference
from agent.models import PendingAction
from agent.tools import registry
from agent.tools.schema import digest as digest_of

logger = logging.getLogger(__name__)

State = PendingAction.State
CONFIRM, REJECT = "confirm", "reject"
WAITS = (
    "The customer confirmed. Above this amount a member of staff has to approve it too, and none has yet: nothing was "
    "changed so far. Say that it waits for staff. You are told when they have decided."
)


@dataclass(frozen=True)
class Decision:
    """What became of a decision. `before` is what was shown when something had changed: nothing was done then.

    `other_rules`: what changed is the shop's tool or policy, not the facts.
    """

    action: PendingAction
    decided_now: bool
    before: Shown | None = None
    other_rules: bool = False


def decide(action_id: UUID | str, *, user: Any, decision: str, digest: str) -> Decision:
    """Carry out the customer's decision, once; whoever comes second is told what was decided.

    Other facts than those the digest stands for: nothing happens, the row holds the new facts, and `before` in
    the answer the old ones. What is due outside is sent before this returns, after the commit: the action is then
    executed or failed where the answer is known, executing or unknown where it is not. Raises NotFound for anybody
    but the owner.
    """
    action = selectors.action_of(user, action_id)
    if is_overdue(action):
        expire(action)
    if decision == REJECT and action.state in (State.PENDING, State.AWAITING_STAFF):
        return _reject(action, user=user)
    if action.state != State.PENDING:
        return Decision(action, decided_now=False)
    done = _confirmed(action, user=user, digest=digest)
    if done.decided_now and done.action.state == State.EXECUTING:
        return replace(done, action=settling.settle_at_once(done.action))
    return done


def _confirmed(action: PendingAction, *, user: Any, digest: str) -> Decision:
    try:
        return _confirm(action, user=user, digest=digest)
    except FactsChanged as change:
        return _ask_again(action, user=user, other_rules=isinstance(change, RulesChanged))
    except Refusal as refusal:
        return _fail(action, user=user, reason=str(refusal))
    except Exception:
        reference = new_reference()
        logger.exception("action failed", extra={"action": str(action.pk), "reference": reference})
        reason = _("It could not be done, and nothing was changed. Quote reference %(reference)s to a person.")
        return _fail(action, user=user, reason=reason % {"reference": reference})


@transaction.atomic
def _confirm(action: PendingAction, *, user: Any, digest: str) -> Decision:
    """Effect, state, news and audit commit together, or none of them. So does the note of what is due outside."""
    if not _move(action, to=State.EXECUTED, by=user):
        return Decision(selectors.action_of(user, action.pk), decided_now=False)
    tool = usable_tool(action, user=user)
    tool.lock(action.arguments, user=user)  # type: ignore[misc]  # a check refuses a gated write without it
    facts = plan(tool, action.arguments, user=user)
    if digest_of(tool.name, action.arguments, facts) != digest or digest != action.digest:
        raise FactsChanged(_("Something changed since you were asked. Nothing was done."))
    if has_other_rules(action, tool):
        raise RulesChanged(_("Something changed since you were asked. Nothing was done."))
    if policies.needs_staff(tool, facts):
        action.state = State.AWAITING_STAFF
        action.save(update_fields=["state"])
        tell(action, news=WAITS, actor=f"user:{user.pk}")
    else:
        carry_out(tool, action, actor=f"user:{user.pk}")
    return Decision(action, decided_now=True)


@transaction.atomic
def _reject(action: PendingAction, *, user: Any) -> Decision:
    if not _move(action, to=State.REJECTED, by=user, out_of=(State.PENDING, State.AWAITING_STAFF)):
        return Decision(selectors.action_of(user, action.pk), decided_now=False)
    tell(action, news="The customer declined. Nothing was changed.", actor=f"user:{user.pk}")
    return Decision(action, decided_now=True)


@transaction.atomic
def _fail(action: PendingAction, *, user: Any, reason: str) -> Decision:
    if not _move(action, to=State.FAILED, by=user):
        return Decision(selectors.action_of(user, action.pk), decided_now=False)
    action.reason = reason
    action.save(update_fields=["reason"])
    news = f"The customer confirmed, but it was not possible: {reason} Nothing was changed."
    tell(action, news=news, actor=f"user:{user.pk}")
    return Decision(action, decided_now=True)


def _ask_again(action: PendingAction, *, user: Any, other_rules: bool) -> Decision:
    """Put today's facts and versions on the row and show them beside those the customer had seen."""
    before = show(action)
    tool = registry.all_tools()[action.tool]
    try:
        facts = plan(tool, action.arguments, user=user)
        fresh = digest_of(tool.name, action.arguments, facts)
        with transaction.atomic():
            summary = show(action, facts=facts).sentence
            open_still = PendingAction.objects.filter(pk=action.pk, state=State.PENDING)
            versions = {"tool_hash": tool.schema_hash, "policy_hash": policies.version(tool)}
            if not open_still.update(facts=facts, digest=fresh, summary=summary, **versions):
                return Decision(selectors.action_of(user, action.pk), decided_now=False)
            show_in_chat(action, kind="action.changed", actor="host")
    except Refusal as refusal:
        return _fail(action, user=user, reason=str(refusal))
    except IntegrityError:  # the same action with today's facts is open already: that one is asked
        PendingAction.objects.filter(pk=action.pk, state=State.PENDING).update(state=State.SUPERSEDED)
    return Decision(selectors.action_of(user, action.pk), decided_now=False, before=before, other_rules=other_rules)


def _move(action: PendingAction, *, to: str, by: Any, out_of: tuple[str, ...] = (State.PENDING,)) -> bool:
    """Two clicks arrive together: one moves the row, the other finds nothing to move."""
    now = timezone.now()
    moved = PendingAction.objects.filter(pk=action.pk, state__in=out_of).update(state=to, decided_at=now, decided_by=by)
    action.state, action.decided_at, action.decided_by = to, now, by
    return moved == 1
