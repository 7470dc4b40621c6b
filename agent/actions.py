"""The gate: propose, show, decide, execute, expire. The only place from which a gated write is carried out.

The model proposes; the row holds what would be done. Its customer sees exactly that, and the confirmation
executes exactly that, once: the digest binds tool, arguments and facts, and the plan is made again under lock.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from agent import audit, events, flags, inbox, policies, selectors
from agent.conf import setting
from agent.errors import FactsChanged, NotFound, Refusal, ToolArgumentError, new_reference
from agent.models import AgentRun, Message, PendingAction
from agent.tools import Description, Tool, registry
from agent.tools.schema import digest as digest_of

logger = logging.getLogger(__name__)

State = PendingAction.State
CONFIRM, REJECT = "confirm", "reject"


@dataclass(frozen=True)
class Shown:
    """What a page, a card or a mail says of an action; made from its facts alone."""

    title: str
    sentence: str
    lines: tuple[tuple[str, str], ...]
    warning: str
    decline: str


@dataclass(frozen=True)
class Decision:
    """What became of a decision. `before` is what was shown when the facts had changed: nothing was done then."""

    action: PendingAction
    decided_now: bool
    before: Shown | None = None


def is_overdue(action: PendingAction) -> bool:
    """Open in the table, but past its time: it can no longer be confirmed."""
    return action.state == State.PENDING and action.expires_at <= timezone.now()


def address(action: PendingAction) -> str:
    """The absolute address of the confirmation page. It is no credential: only the owner, signed in, sees it."""
    return settings.PUBLIC_URL.rstrip("/") + reverse("agent:action", args=[action.pk])


def describe_action(action: PendingAction) -> str:
    """One human sentence from the stored facts, in the active language."""
    return show(action).sentence


def show(action: PendingAction, *, facts: dict[str, Any] | None = None) -> Shown:
    """The action in words, in the active language. A tool that is gone leaves the sentence that was first shown."""
    tool = registry.all_tools().get(action.tool)
    if tool is None or tool.describe is None:
        return Shown(title=action.summary, sentence=action.summary, lines=(), warning="", decline=_("Don't do this"))
    words: Description = tool.describe(action.facts if facts is None else facts)
    lines = tuple((str(label), str(value)) for label, value in words.lines)
    return Shown(words.title, words.sentence, lines, words.warning, words.decline or _("Don't do this"))


# Proposing -------------------------------------------------------------------------------------------------


def plan(tool: Tool, arguments: dict[str, Any], *, user: Any) -> dict[str, Any]:
    """The facts of a write that was asked for. Reads only. Raises Refusal with the shop's reason."""
    if tool.plan is None or tool.describe is None:
        raise TypeError(f"{tool.name} is gated but has no plan or no words")
    return tool.plan(arguments, user=user)


@transaction.atomic
def propose(run: AgentRun, tool: Tool, *, arguments: dict[str, Any], facts: dict[str, Any]) -> PendingAction:
    """Keep the plan as a row that only its customer can release. An equal one that is still open is returned."""
    digest = digest_of(tool.name, arguments, facts)
    equal = PendingAction.objects.filter(user_id=run.user_id, tool=tool.name, digest=digest, state=State.PENDING)
    equal.filter(expires_at__lte=timezone.now()).update(state=State.EXPIRED)
    try:
        with transaction.atomic():
            return equal.first() or _new(run, tool, arguments=arguments, facts=facts, digest=digest)
    except IntegrityError:  # another run of this customer proposed the same at this moment
        return equal.get()


def _new(
    run: AgentRun | None, tool: Tool, *, arguments: dict, facts: dict, digest: str, **fields: Any
) -> PendingAction:
    words = tool.describe(facts) if tool.describe else None
    fields.setdefault("user_id", run.user_id if run else None)
    return PendingAction.objects.create(
        run=run,
        tool=tool.name,
        arguments=arguments,
        facts=facts,
        digest=digest,
        summary=words.sentence if words else tool.name,
        expires_at=timezone.now() + timedelta(minutes=setting("CONFIRM_MINUTES")),
        tool_hash=tool.schema_hash,
        prompt_hash=run.conversation.prefix_hash if run else "",
        **fields,
    )


# Deciding --------------------------------------------------------------------------------------------------


def decide(action_id: UUID | str, *, user: Any, decision: str, digest: str) -> Decision:
    """Carry out the customer's decision, once; whoever comes second is told what was decided.

    Other facts than those the digest stands for: nothing happens, the row holds the new facts, and `before` in
    the answer the old ones. Raises NotFound for anybody but the owner.
    """
    action = selectors.action_of(user, action_id)
    if action.state != State.PENDING:
        return Decision(action, decided_now=False)
    if is_overdue(action):
        return _expire(action)
    if decision == REJECT:
        return _reject(action, user=user)
    try:
        return _confirm(action, user=user, digest=digest)
    except FactsChanged:
        return _ask_again(action, user=user)
    except Refusal as refusal:
        return _fail(action, user=user, reason=str(refusal))
    except Exception:
        reference = new_reference()
        logger.exception("action failed", extra={"action": str(action.pk), "reference": reference})
        reason = _("It could not be done, and nothing was changed. Quote reference %(reference)s to a person.")
        return _fail(action, user=user, reason=reason % {"reference": reference})


@transaction.atomic
def _confirm(action: PendingAction, *, user: Any, digest: str) -> Decision:
    """Effect, state, news and audit commit together, or none of them."""
    if not _move(action, to=State.EXECUTED, by=user):
        return Decision(selectors.action_of(user, action.pk), decided_now=False)
    tool = _usable_tool(action, user=user)
    tool.lock(action.arguments, user=user)  # type: ignore[misc]  # a check refuses a gated write without it
    facts = plan(tool, action.arguments, user=user)
    if digest_of(tool.name, action.arguments, facts) != digest or digest != action.digest:
        raise FactsChanged(_("Something changed since you were asked. Nothing was done."))
    action.result = tool.bound(user=user).call(action.arguments)
    action.save(update_fields=["result"])
    _tell(action, user=user, news="The customer confirmed, and it was done.")
    return Decision(action, decided_now=True)


@transaction.atomic
def _reject(action: PendingAction, *, user: Any) -> Decision:
    if not _move(action, to=State.REJECTED, by=user):
        return Decision(selectors.action_of(user, action.pk), decided_now=False)
    _tell(action, user=user, news="The customer declined. Nothing was changed.")
    return Decision(action, decided_now=True)


@transaction.atomic
def _fail(action: PendingAction, *, user: Any, reason: str) -> Decision:
    if not _move(action, to=State.FAILED, by=user):
        return Decision(selectors.action_of(user, action.pk), decided_now=False)
    action.reason = reason
    action.save(update_fields=["reason"])
    _tell(action, user=user, news=f"The customer confirmed, but it was not possible: {reason} Nothing was changed.")
    return Decision(action, decided_now=True)


@transaction.atomic
def _expire(action: PendingAction) -> Decision:
    if PendingAction.objects.filter(pk=action.pk, state=State.PENDING).update(state=State.EXPIRED):
        _show_in_chat(action, kind="action.expired", actor="host")
    action.refresh_from_db()
    return Decision(action, decided_now=False)


def _ask_again(action: PendingAction, *, user: Any) -> Decision:
    """Put today's facts on the row and show them beside those the customer had seen."""
    before = show(action)
    tool = registry.all_tools()[action.tool]
    try:
        facts = plan(tool, action.arguments, user=user)
        fresh = digest_of(tool.name, action.arguments, facts)
        with transaction.atomic():
            summary = show(action, facts=facts).sentence
            open_still = PendingAction.objects.filter(pk=action.pk, state=State.PENDING)
            if not open_still.update(facts=facts, digest=fresh, summary=summary):
                return Decision(selectors.action_of(user, action.pk), decided_now=False)
            _show_in_chat(action, kind="action.changed", actor="host")
    except Refusal as refusal:
        return _fail(action, user=user, reason=str(refusal))
    except IntegrityError:  # the same action with today's facts is open already: that one is asked
        PendingAction.objects.filter(pk=action.pk, state=State.PENDING).update(state=State.SUPERSEDED)
    return Decision(selectors.action_of(user, action.pk), decided_now=False, before=before)


def _move(action: PendingAction, *, to: str, by: Any) -> bool:
    """Two clicks arrive together: one moves the row, the other finds nothing to move."""
    now = timezone.now()
    moved = PendingAction.objects.filter(pk=action.pk, state=State.PENDING).update(
        state=to, decided_at=now, decided_by=by
    )
    action.state, action.decided_at, action.decided_by = to, now, by
    return moved == 1


def _usable_tool(action: PendingAction, *, user: Any) -> Tool:
    """Raises Refusal where the tool was switched off, taken away or changed since the proposal."""
    tool = registry.all_tools().get(action.tool)
    if tool is None or not policies.may_use(user, tool) or not flags.tool_is_on(tool.name, writes=True):
        raise Refusal(_("This is switched off at the moment. Nothing was changed. A person can help you."))
    try:
        tool.parse(action.arguments)
    except ToolArgumentError:
        raise Refusal(_("The shop's rules for this changed. Nothing was changed. Ask for it again.")) from None
    return tool


# Renewing and expiring -------------------------------------------------------------------------------------


def renew(action: PendingAction, *, user: Any) -> PendingAction:
    """A fresh row for an expired one, with today's facts. Twice gives the same row. Raises Refusal, NotFound."""
    if action.user_id != user.pk:
        raise NotFound(_("There is nothing here for this account."))
    if is_overdue(action):
        _expire(action)
    if action.state != State.EXPIRED:
        raise Refusal(
            _("Only an expired request can be renewed. This one is: %(state)s.") % {"state": action.get_state_display()}
        )
    tool = _usable_tool(action, user=user)
    facts = plan(tool, action.arguments, user=user)
    with transaction.atomic():
        fresh = _renewed(action, tool, facts=facts)
        _show_in_chat(fresh, kind="action.renewed", actor=f"user:{user.pk}")
    return fresh


def _renewed(action: PendingAction, tool: Tool, *, facts: dict[str, Any]) -> PendingAction:
    digest = digest_of(tool.name, action.arguments, facts)
    equal = PendingAction.objects.filter(user_id=action.user_id, tool=tool.name, digest=digest, state=State.PENDING)
    try:
        with transaction.atomic():
            return equal.first() or _new(
                action.run, tool, arguments=action.arguments, facts=facts, digest=digest,
                user_id=action.user_id, renews=action,
            )  # fmt: skip
    except IntegrityError:
        return equal.get()


def expire_overdue() -> int:
    """Move what nobody confirmed in time; the cards in the chat follow. Returns how many. Safe to repeat."""
    overdue = PendingAction.objects.filter(state=State.PENDING, expires_at__lte=timezone.now())
    rows = list(overdue.select_related("run__conversation")[:100])
    for action in rows:
        _expire(action)
    return len(rows)


# Telling ---------------------------------------------------------------------------------------------------


def _tell(action: PendingAction, *, user: Any, news: str) -> None:
    """The conversation learns of the decision and goes on by itself; the card in the chat changes."""
    if action.run is not None:
        text = f"News about the proposal: {action.summary} {news} Reference {action.reference}."
        _, run = inbox.receive(action.run.conversation, author=Message.Author.SYSTEM, text=text)
        inbox.enqueue_on_commit(run)
        _show_in_chat(action, inbox.as_shown(run), kind=f"action.{action.state}", actor=f"user:{user.pk}")


def _show_in_chat(action: PendingAction, *more: events.Item, kind: str, actor: str) -> None:
    if action.run is None:
        return
    conversation_id = action.run.conversation_id
    card = ("action", {"action": str(action.pk), "run": str(action.run_id)})
    events.append(conversation_id, card, *more)
    _record(action, conversation_id, kind=kind, actor=actor)


def record_proposal(action: PendingAction, *, conversation_id: UUID) -> None:
    """The audit row of a proposal; its event is the run's own. Call it after `events.append`."""
    _record(action, conversation_id, kind="action.proposed", actor="agent")


def _record(action: PendingAction, conversation_id: UUID, *, kind: str, actor: str) -> None:
    payload = {"digest": action.digest, "facts": action.facts, "result": action.result, "reason": action.reason}
    audit.record(conversation_id, actor=actor, kind=kind, subject=f"action:{action.pk}", payload=payload)
