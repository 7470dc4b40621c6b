"""From a model's call to a row that waits for its customer, and to a fresh one when that has expired."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from agent import flags, policies
from agent.actions import sources, superseding
from agent.actions.expiring import expire
from agent.actions.mailing import mail_proposal
from agent.actions.planning import plan, unexpected
from agent.actions.showing import is_overdue
from agent.actions.telling import show_in_chat
from agent.actions.witnessing import Witness, user_named
from agent.conf import setting
from agent.errors import NotFound, Refusal, ToolArgumentError
from agent.models import AgentRun, PendingAction
from agent.tools import Tool, registry
from agent.tools.schema import digest as digest_of

State = PendingAction.State


@transaction.atomic
def propose(run: AgentRun, tool: Tool, *, arguments: dict[str, Any], facts: dict[str, Any]) -> PendingAction:
    """Keep the plan as a row that only its customer can release. An equal one that is still open is returned.

    An older open one about the same takes its leave. Raises Refusal while the same was confirmed and is not known to
    be done (asking twice must not do it twice), where an argument comes only from a text by others, and where too many
    wait for this customer already.
    """
    traced = sources.trace(run, tool, arguments)
    same = PendingAction.objects.filter(user_id=run.user_id, tool=tool.name, arguments=arguments)
    if same.filter(state=State.AWAITING_STAFF).exists():
        raise Refusal(
            _("You confirmed this already, and it waits for a member of staff. It is not done a second time.")
        )
    if same.filter(state__in=PendingAction.UNSETTLED).exists():
        raise Refusal(_("You confirmed this already, and it is still being checked. It is not done a second time."))
    digest = digest_of(tool.name, arguments, facts)
    equal = PendingAction.objects.filter(user_id=run.user_id, tool=tool.name, digest=digest, state=State.PENDING)
    equal.filter(expires_at__lte=timezone.now()).update(state=State.EXPIRED)
    return _only(equal, lambda: _new(run, tool, arguments=arguments, facts=facts, digest=digest, sources=traced))


def _only(equal: QuerySet[PendingAction], make: Callable[[], PendingAction]) -> PendingAction:
    """The equal row that is open, or a new one; also where another process makes one at this moment."""
    try:
        with transaction.atomic():
            return equal.first() or make()
    except IntegrityError:  # the same was proposed by another run, or something else about the same
        return equal.first() or make()


def _new(
    run: AgentRun | None, tool: Tool, *, arguments: dict, facts: dict, digest: str, **fields: Any
) -> PendingAction:
    words = tool.describe(facts) if tool.describe else None
    user_id = fields.setdefault("user_id", run.user_id if run else None)
    subject = tool.subject(arguments)[:120] if tool.subject else ""
    superseding.make_room(user_id, run=run, tool=tool, subject=subject)
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
        policy_hash=policies.version(tool),
        subject=subject,
        **fields,
    )


def usable_tool(action: PendingAction, *, user: Any) -> Tool:
    """Raises Refusal where the tool was switched off or taken away, or takes no such arguments any more."""
    tool = registry.all_tools().get(action.tool)
    if tool is None or not policies.may_use(user, tool) or not flags.tool_is_on(tool.name, writes=True):
        raise Refusal(_("This is switched off at the moment. Nothing was changed. A person can help you."))
    try:
        tool.parse(action.arguments)
    except ToolArgumentError:
        raise Refusal(_("The shop's rules for this changed. Nothing was changed. Ask for it again.")) from None
    return tool


def has_other_rules(action: PendingAction, tool: Tool) -> bool:
    """Whether the tool or the policy is another version than when the customer was asked."""
    return (action.tool_hash, action.policy_hash) != (tool.schema_hash, policies.version(tool))


def renew(action: PendingAction, *, user: Any, by: Witness | None = None) -> PendingAction:
    """A fresh row for an expired one, with today's facts. Twice gives the same row. Raises Refusal, NotFound."""
    if action.user_id != user.pk:
        raise NotFound(_("There is nothing here for this account."))
    if is_overdue(action):
        expire(action)
    if action.state != State.EXPIRED:
        raise Refusal(
            _("Only an expired request can be renewed. This one is: %(state)s.") % {"state": action.get_state_display()}
        )
    try:
        return _renew(action, user=user, by=by or Witness(user_named(user)))
    except Refusal:
        raise
    except Exception:
        raise Refusal(unexpected(action)) from None


def _renew(action: PendingAction, *, user: Any, by: Witness) -> PendingAction:
    tool = usable_tool(action, user=user)
    facts = plan(tool, action.arguments, user=user)
    with transaction.atomic():
        fresh = _renewed(action, tool, facts=facts)
        show_in_chat(fresh, kind="action.renewed", by=by)
        mail_proposal(fresh)
    return fresh


def _renewed(action: PendingAction, tool: Tool, *, facts: dict[str, Any]) -> PendingAction:
    digest = digest_of(tool.name, action.arguments, facts)
    equal = PendingAction.objects.filter(user_id=action.user_id, tool=tool.name, digest=digest, state=State.PENDING)
    return _only(
        equal,
        lambda: _new(
            action.run, tool, arguments=action.arguments, facts=facts, digest=digest,
            user_id=action.user_id, renews=action, sources=action.sources,
        ),
    )  # fmt: skip
