"""The customer's decision, carried out once."""

import logging
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agent import policies, selectors
from agent.actions import settling
from agent.actions.executing import carry_out
from agent.actions.expiring import expire
from agent.actions.planning import plan, plan_under_lock, unexpected
from agent.actions.proposing import has_other_rules, usable_tool
from agent.actions.showing import Shown, is_overdue, show
from agent.actions.superseding import close
from agent.actions.telling import show_in_chat, tell
from agent.actions.witnessing import HOST, Witness, user_named
from agent.errors import FactsChanged, Refusal, RulesChanged, SignInAgain
from agent.models import PendingAction
from agent.tools import registry
from agent.tools.schema import digest as digest_of

logger = logging.getLogger(__name__)

State = PendingAction.State
CONFIRM, REJECT = "confirm", "reject"
CONFIRMED = "action.confirmed"  # in the audit: the yes itself, before what came of it
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


def decide(
    action_id: UUID | str,
    *,
    user: Any,
    decision: str,
    digest: str,
    signed_in_at: datetime | None = None,
    by: Witness | None = None,
) -> Decision:
    """Carry out the customer's decision, once; whoever comes second is told what was decided.

    Other facts than those the digest stands for: nothing happens, the row holds the new facts, and `before` in
    the answer the old ones. What is due outside is sent before this returns, after the commit: the action is then
    executed or failed where the answer is known, executing or unknown where it is not. Raises NotFound for anybody
    but the owner, and SignInAgain where the amount asks for a sign-in newer than `signed_in_at`.
    """
    action = selectors.action_of(user, action_id)
    by = by or Witness(user_named(user))
    if is_overdue(action):
        expire(action)
    if decision == REJECT and action.state in (State.PENDING, State.AWAITING_STAFF):
        return _reject(action, user=user, by=by)
    if action.state != State.PENDING:
        return Decision(action, decided_now=False)
    done = _confirmed(action, user=user, digest=digest, signed_in_at=signed_in_at, by=by)
    if done.decided_now and done.action.state == State.EXECUTING:
        return replace(done, action=settling.settle_at_once(done.action))
    return done


def asks_for_sign_in(action: PendingAction, *, signed_in_at: datetime | None) -> bool:
    """Whether confirming the facts on the row needs a newer sign-in. For the page: `decide` looks for itself."""
    tool = registry.all_tools().get(action.tool)
    if action.state != State.PENDING or tool is None or policies.is_fresh(signed_in_at):
        return False
    try:
        return policies.needs_fresh_sign_in(tool, action.facts)
    except Exception:  # facts of an older version of the tool; the decision plans anew
        logger.exception("the amount of an action cannot be read", extra={"action": str(action.pk)})
        return False


def _confirmed(
    action: PendingAction, *, user: Any, digest: str, signed_in_at: datetime | None, by: Witness
) -> Decision:
    try:
        return _confirm(action, user=user, digest=digest, signed_in_at=signed_in_at, by=by)
    except SignInAgain:
        raise
    except FactsChanged as change:
        return _ask_again(action, user=user, by=by, other_rules=isinstance(change, RulesChanged))
    except Refusal as refusal:
        return _fail(action, user=user, by=by, reason=str(refusal))
    except Exception:
        return _fail(action, user=user, by=by, reason=unexpected(action))


@transaction.atomic
def _confirm(action: PendingAction, *, user: Any, digest: str, signed_in_at: datetime | None, by: Witness) -> Decision:
    """Effect, state, news and audit commit together, or none of them. So does the note of what is due outside."""
    if not _move(action, to=State.EXECUTED, by=user):
        return Decision(selectors.action_of(user, action.pk), decided_now=False)
    tool = usable_tool(action, user=user)
    facts = plan_under_lock(tool, action.arguments, user=user)
    if digest_of(tool.name, action.arguments, facts) != digest or digest != action.digest:
        raise FactsChanged(_("Something changed since you were asked. Nothing was done."))
    if has_other_rules(action, tool):
        raise RulesChanged(_("Something changed since you were asked. Nothing was done."))
    if policies.needs_fresh_sign_in(tool, facts) and not policies.is_fresh(signed_in_at):
        raise SignInAgain(_("For this amount we ask you to sign in again first. Nothing has been changed yet."))
    if policies.needs_staff(tool, facts):
        action.state = State.AWAITING_STAFF
        action.save(update_fields=["state"])
        tell(action, news=WAITS, by=by, after=CONFIRMED)
    else:
        carry_out(tool, action, by=by, after=CONFIRMED)
    return Decision(action, decided_now=True)


@transaction.atomic
def _reject(action: PendingAction, *, user: Any, by: Witness) -> Decision:
    if not _move(action, to=State.REJECTED, by=user, out_of=(State.PENDING, State.AWAITING_STAFF)):
        return Decision(selectors.action_of(user, action.pk), decided_now=False)
    tell(action, news="The customer declined. Nothing was changed.", by=by)
    return Decision(action, decided_now=True)


@transaction.atomic
def _fail(action: PendingAction, *, user: Any, by: Witness, reason: str) -> Decision:
    if not _move(action, to=State.FAILED, by=user):
        return Decision(selectors.action_of(user, action.pk), decided_now=False)
    action.reason = reason
    action.save(update_fields=["reason"])
    news = f"The customer confirmed, but it was not possible: {reason} Nothing was changed."
    tell(action, news=news, by=by, after=CONFIRMED)
    return Decision(action, decided_now=True)


def _ask_again(action: PendingAction, *, user: Any, by: Witness, other_rules: bool) -> Decision:
    """Put today's facts and versions on the row and show them beside those the customer had seen."""
    before = show(action)
    try:
        tool = usable_tool(action, user=user)
        facts = plan(tool, action.arguments, user=user)
        fresh = digest_of(tool.name, action.arguments, facts)
        with transaction.atomic():
            summary = show(action, facts=facts).sentence
            open_still = PendingAction.objects.filter(pk=action.pk, state=State.PENDING)
            versions = {"tool_hash": tool.schema_hash, "policy_hash": policies.version(tool)}
            if not open_still.update(facts=facts, digest=fresh, summary=summary, **versions):
                return Decision(selectors.action_of(user, action.pk), decided_now=False)
            show_in_chat(action, kind="action.changed", by=HOST)
    except Refusal as refusal:
        return _fail(action, user=user, by=by, reason=str(refusal))
    except IntegrityError:  # the same action with today's facts is open already: that one is asked
        close(action)
    except Exception:
        return _fail(action, user=user, by=by, reason=unexpected(action))
    return Decision(selectors.action_of(user, action.pk), decided_now=False, before=before, other_rules=other_rules)


def _move(action: PendingAction, *, to: str, by: Any, out_of: tuple[str, ...] = (State.PENDING,)) -> bool:
    """Two clicks arrive together: one moves the row, the other finds nothing to move."""
    now = timezone.now()
    moved = PendingAction.objects.filter(pk=action.pk, state__in=out_of).update(state=to, decided_at=now, decided_by=by)
    action.state, action.decided_at, action.decided_by = to, now, by
    return moved == 1
