"""One call, one result. The one path of every tool call, whoever asks; deny by default:

known -> switched on -> offered to this user -> arguments checked against the published schema -> limits ->
a read runs, a gated write is planned and proposed -> the result is shaped and capped -> its row.
"""

import json
import logging
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agent import actions, events, flags, policies
from agent.conf import setting
from agent.db import update_returning
from agent.errors import Refusal, ToolArgumentError, new_reference
from agent.fields import storable
from agent.models import AgentRun, AgentStep, ModelTurn, PendingAction
from agent.rowsecurity import only_rows_of
from agent.tools import Card, Tool, registry
from agent.untrusted import harmless

logger = logging.getLogger(__name__)

Outcome = AgentStep.Outcome

Shown = tuple[str, dict[str, Any]]  # kind and data of an event

KEPT = ["result", "result_size", "outcome", "reference", "action_id", "duration_ms", "finished_at"]  # of a step
AWAITING = "Tell the customer this needs their confirmation."
AWAITING_BY_LINK = (
    "Nothing was changed yet. Only the customer can confirm this, signed in to the shop in their own browser, at "
    "confirm_url. Show them the link; do not open it for them."
)


@dataclass(frozen=True)
class Answer:
    """What a call came to. `effect` is what has to happen in the transaction that keeps the answer."""

    outcome: str
    result: str = "null"  # JSON text: what cannot be kept has to fail while the call alone can fail
    card: Card | None = None
    reference: str = ""
    action: PendingAction | None = None
    duration_ms: int = 0
    effect: Callable[[], "Answer"] | None = None


def start(
    run: AgentRun, *, sequence: int, call_id: str, name: object, arguments: Any, turn: ModelTurn | None = None
) -> AgentStep:
    """The row of a call before it is run, not stored yet. Without a turn no model asked for it."""
    tool = registry.all_tools().get(name) if isinstance(name, str) else None
    return AgentStep(
        run=run,
        turn=turn,
        sequence=sequence,
        call_id=call_id,
        tool=storable(str(name))[:128],
        schema_hash=tool.schema_hash if tool else "",
        arguments=arguments,
    )


def decide(run: AgentRun, step: AgentStep, *, offered: Collection[str]) -> Answer:
    """Find out what a call comes to, outside any transaction. `offered` are the names of the tools that may be asked.

    Raises only where the database is away.
    """
    started = time.monotonic()
    answer = _guarded(step, lambda: _answered(run, step, offered))
    return replace(answer, duration_ms=int((time.monotonic() - started) * 1000))


def keep_all(run: AgentRun, answers: Iterable[tuple[AgentStep, Answer]]) -> None:
    """Let the effects happen and keep all results, in the caller's transaction; its last statements."""
    shown: list[Shown] = []
    proposed: list[PendingAction] = []
    for step, answer in answers:
        shown += keep(step, _effected(step, answer))
        proposed += [step.action] if step.action else []
    events.append(run.conversation_id, *shown)
    for action in proposed:
        actions.record_proposal(action, conversation_id=run.conversation_id)


def label(tool_name: str, arguments: Any) -> str:
    """What the customer reads while a call runs, in plain words; only checked arguments are quoted."""
    tool = registry.all_tools().get(tool_name)
    if tool is None or not tool.progress:
        return _("Working on it")
    try:
        return str(tool.progress) % tool.parse(arguments)
    except (ToolArgumentError, KeyError, TypeError, ValueError):
        return _("Working on it")


def as_shown(step: AgentStep) -> dict[str, Any]:
    """The data of a progress line."""
    return {
        "run": str(step.run_id),
        "call_id": step.call_id,
        "state": step.outcome,
        "label": label(step.tool, step.arguments),
        "milliseconds": step.duration_ms,
    }


# Deciding what a call comes to -----------------------------------------------------------------------------


def _guarded(step: AgentStep, work: Callable[[], Answer]) -> Answer:
    """Whatever is unexpected becomes a reference number; its traceback stays in the log.

    A database that went away is no fault of the call: the error leaves, and the next worker runs the call again.
    """
    try:
        return work()
    except ToolArgumentError as error:
        return failed(Outcome.INVALID, str(error))
    except Refusal as refusal:
        return failed(Outcome.REFUSED, str(refusal))
    except Exception as error:
        if _is_away(error):
            raise
        reference = new_reference()
        logger.exception("tool call failed", extra={"tool": step.tool, "step": step.pk, "reference": reference})
        result = {"error": "internal error; do not retry this call", "reference": reference}
        return Answer(Outcome.ERROR, _as_text(result), reference=reference)


def _is_away(error: Exception) -> bool:
    """Whether the server is gone, and not only a query refused. The connection does not tell: it may be a new one."""
    if not isinstance(error, (OperationalError, InterfaceError)):
        return False
    state = getattr(error.__cause__, "sqlstate", "")  # psycopg's: None where nobody answered; SQLite's errors have none
    return state is None or state.startswith(("08", "57P"))


def _answered(run: AgentRun, step: AgentStep, offered: Collection[str]) -> Answer:
    """The call path, in its order."""
    tool = registry.all_tools().get(step.tool)
    if tool is None:
        return failed(Outcome.UNKNOWN_TOOL, f"unknown tool '{step.tool[:64]}'")
    if not flags.tool_is_on(tool.name, writes=tool.writes):
        return failed(Outcome.SWITCHED_OFF, f"{tool.name} is switched off at the moment; offer a person")
    if tool.name not in offered or not policies.may_use(run.user, tool):
        return failed(Outcome.REFUSED, f"{tool.name} is not offered in this conversation")
    arguments = tool.parse(step.arguments)
    if tool.gated:
        facts = actions.plan(tool, arguments, user=run.user)
        return Answer(Outcome.PROPOSED, effect=lambda: _proposed(run, tool, arguments, facts))
    bound = tool.bound(user=run.user, account=run.user, conversation=run.conversation, run=run, request=None)
    if tool.writes:
        return Answer(Outcome.OK, effect=lambda: Answer(Outcome.OK, _as_text(bound.call(arguments))))
    with only_rows_of(run.user) if tool.reads_rows else nullcontext():
        result = bound.call(arguments)
        card = _card(tool, result, user=run.user) if run.conversation.is_chat else None  # elsewhere nobody sees it
        return Answer(Outcome.OK, _as_text(result), card=card)


def _proposed(run: AgentRun, tool: Tool, arguments: dict[str, Any], facts: dict[str, Any]) -> Answer:
    action = actions.propose(run, tool, arguments=arguments, facts=facts)
    is_chat = run.conversation.is_chat
    result = {
        "status": "awaiting_confirmation" if is_chat else "confirmation_required",
        "confirm_url": actions.address(action),
        "message": AWAITING if is_chat else AWAITING_BY_LINK,
        "proposal": action.summary,
        **({} if is_chat else {"expires_at": action.expires_at.isoformat(timespec="seconds")}),
    }
    return Answer(Outcome.PROPOSED, _as_text(result), action=action)


def _card(tool: Tool, result: Any, *, user: Any) -> Card | None:
    """The card of a result. Raises TypeError or ValueError for facts that no event can hold."""
    card = tool.card(result, user=user) if tool.card else None
    if card is not None:
        json.dumps(dict(card.context), allow_nan=False)
    return card


def failed(outcome: str, reason: str) -> Answer:
    """The answer to a call that is not carried out; the reason goes to whoever asked."""
    return Answer(outcome, _as_text({"error": reason}))


def _as_text(result: Any) -> str:
    """The JSON text that the model is given: fenced or harmless. What is too long is cut with a mark, and stays JSON.

    Raises TypeError, ValueError, or what an object's own words raise, where a result can be no JSON.
    """
    text = storable(json.dumps(harmless(result), ensure_ascii=False, allow_nan=False))
    most = setting("MAX_RESULT_CHARS")
    if len(text) <= most:
        return text
    return json.dumps({"cut_off": True, "beginning": text[:most]}, ensure_ascii=False)


# Keeping it ------------------------------------------------------------------------------------------------


def _effected(step: AgentStep, answer: Answer) -> Answer:
    """Let what had to wait for the transaction happen now; a failure undoes it alone."""
    if answer.effect is None:
        return answer
    effect = answer.effect

    def undone_alone() -> Answer:
        with transaction.atomic():
            return effect()

    return replace(_guarded(step, undone_alone), duration_ms=answer.duration_ms)


def keep(step: AgentStep, answer: Answer) -> list[Shown]:
    """The result on its row, and what the customer is shown of it."""
    step.result = answer.result
    step.result_size = len(step.result)
    step.outcome, step.reference, step.action = answer.outcome, answer.reference, answer.action
    step.duration_ms, step.finished_at = answer.duration_ms, timezone.now()
    update_returning(AgentStep, "id", where={"id": step.pk}, **{name: getattr(step, name) for name in KEPT})
    shown: list[Shown] = [("step", as_shown(step))]
    if answer.card:
        card = {"template": answer.card.template, "context": dict(answer.card.context), "key": f"card-{step.call_id}"}
        shown.append(("card", {"run": str(step.run_id), **card}))
    if answer.action:
        shown.append(("action", {"action": str(answer.action.pk), "run": str(step.run_id)}))
    return shown
