"""One call, one result. The one path of every tool call, deny by default:

known -> switched on -> offered to this user -> arguments checked against the published schema -> limits ->
a read runs, a gated write is planned and proposed -> the result is shaped and capped -> its row.
"""

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agent import actions, events, flags, policies
from agent.conf import setting
from agent.db import left_whole
from agent.errors import Refusal, ToolArgumentError, new_reference
from agent.fields import storable
from agent.models import AgentRun, AgentStep, ModelTurn, PendingAction
from agent.runs.leases import Lease
from agent.tools import Card, Tool, registry

logger = logging.getLogger(__name__)

Outcome = AgentStep.Outcome

Shown = tuple[str, dict[str, Any]]  # kind and data of an event

KEPT = ["result", "result_size", "outcome", "reference", "action", "duration_ms", "finished_at"]  # of a step
AWAITING = "Tell the customer this needs their confirmation."
NOT_RUN = "not run: the run ended"


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


def answer_calls(run: AgentRun, lease: Lease, steps: list[AgentStep]) -> None:
    """Run the calls of a turn and keep all results in one commit. Raises LeaseLost; then nothing is kept.

    After an acknowledged stop no further call starts and nothing is written; what had its result keeps it.
    """
    answers = _answers(run, lease, steps)
    with transaction.atomic():
        lease.fence()
        # The fence has locked the run's row: a stop was there before it, or is acknowledged after this commit.
        if lease.is_stopping:
            answers = [_failed(Outcome.REFUSED, NOT_RUN) if answer.effect else answer for answer in answers]
        shown: list[Shown] = []
        for step, answer in zip(steps, answers, strict=True):
            shown += _keep(step, _effected(step, answer))
        events.append(run.conversation_id, *shown)
        for action in filter(None, (step.action for step in steps)):
            actions.record_proposal(action, conversation_id=run.conversation_id)


def start_calls(run: AgentRun, turn: ModelTurn, calls: list[dict[str, Any]], *, after: int) -> list[AgentStep]:
    """A row for each call, before it is run; a worker that dies now leaves them for the next one.

    `after` is the number of calls that the run has made before.
    """
    tools = registry.all_tools()
    rows = [
        AgentStep(
            run=run,
            turn=turn,
            sequence=after + number,
            call_id=call["id"],
            tool=storable(str(call.get("name", "")))[:128],
            schema_hash=tools[call["name"]].schema_hash if call.get("name") in tools else "",
            arguments=call.get("input"),
        )
        for number, call in enumerate(calls, start=1)
    ]
    return AgentStep.objects.bulk_create(rows)


def label(tool_name: str, arguments: Any) -> str:
    """What the customer reads while a call runs, in plain words; only checked arguments are quoted."""
    tool = registry.all_tools().get(tool_name)
    if tool is None or not tool.progress:
        return _("Working on it")
    try:
        return str(tool.progress) % tool.parse(arguments)
    except (ToolArgumentError, KeyError, TypeError, ValueError):
        return _("Working on it")


def close_open_calls(run: AgentRun) -> list[Shown]:
    """Give each call that will not be run its one result, so that the history stays whole. In the ending commit."""
    answer = _failed(Outcome.REFUSED, NOT_RUN)
    return [item for step in run.steps.filter(outcome=Outcome.STARTED) for item in _keep(step, answer)]


# Deciding what a call comes to -----------------------------------------------------------------------------


def _answers(run: AgentRun, lease: Lease, steps: list[AgentStep]) -> list[Answer]:
    most = setting("MAX_CALLS_A_TURN")
    answers: list[Answer] = []
    for number, step in enumerate(steps):
        is_stopped = number > 0 and lease.stop_requested()  # before the first one the loop has looked
        answers.append(_failed(Outcome.REFUSED, NOT_RUN) if is_stopped else _timed(run, step, in_time=number < most))
    return answers


def _timed(run: AgentRun, step: AgentStep, *, in_time: bool) -> Answer:
    started = time.monotonic()
    answer = _guarded(step, lambda: _answered(run, step)) if in_time else _failed(Outcome.REFUSED, _too_many())
    return replace(answer, duration_ms=int((time.monotonic() - started) * 1000))


def _too_many() -> str:
    return f"too many calls at once; at most {setting('MAX_CALLS_A_TURN')}"


def _guarded(step: AgentStep, work: Callable[[], Answer]) -> Answer:
    """Whatever is unexpected becomes a reference number; its traceback stays in the log.

    A database that went away is no fault of the call: the error leaves, and the next worker runs the call again.
    """
    try:
        return work()
    except ToolArgumentError as error:
        return _failed(Outcome.INVALID, str(error))
    except Refusal as refusal:
        return _failed(Outcome.REFUSED, str(refusal))
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


def _answered(run: AgentRun, step: AgentStep) -> Answer:
    """The call path, in its order."""
    tool = registry.all_tools().get(step.tool)
    if tool is None:
        return _failed(Outcome.UNKNOWN_TOOL, f"unknown tool '{step.tool[:64]}'")
    if not flags.tool_is_on(tool.name, writes=tool.writes):
        return _failed(Outcome.SWITCHED_OFF, f"{tool.name} is switched off at the moment; offer a person")
    offered = {published["name"] for published in run.conversation.tools}
    if tool.name not in offered or not policies.may_use(run.user, tool):
        return _failed(Outcome.REFUSED, f"{tool.name} is not offered in this conversation")
    arguments = tool.parse(step.arguments)
    if tool.gated:
        with left_whole():
            facts = actions.plan(tool, arguments, user=run.user)
        return Answer(Outcome.PROPOSED, effect=lambda: _proposed(run, tool, arguments, facts))
    bound = tool.bound(user=run.user, account=run.user, conversation=run.conversation, run=run, request=None)
    if tool.writes:
        return Answer(Outcome.OK, effect=lambda: Answer(Outcome.OK, _as_text(bound.call(arguments))))
    result = bound.call(arguments)
    return Answer(Outcome.OK, _as_text(result), card=_card(tool, result, user=run.user))


def _proposed(run: AgentRun, tool: Tool, arguments: dict[str, Any], facts: dict[str, Any]) -> Answer:
    action = actions.propose(run, tool, arguments=arguments, facts=facts)
    result = {
        "status": "awaiting_confirmation",
        "confirm_url": actions.address(action),
        "message": AWAITING,
        "proposal": action.summary,
    }
    return Answer(Outcome.PROPOSED, _as_text(result), action=action)


def _card(tool: Tool, result: Any, *, user: Any) -> Card | None:
    """The card of a result. Raises TypeError or ValueError for facts that no event can hold."""
    card = tool.card(result, user=user) if tool.card else None
    if card is not None:
        json.dumps(dict(card.context), allow_nan=False)
    return card


def _failed(outcome: str, reason: str) -> Answer:
    return Answer(outcome, _as_text({"error": reason}))


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


def _keep(step: AgentStep, answer: Answer) -> list[Shown]:
    """The result on its row, and what the customer is shown of it."""
    step.result = answer.result
    step.result_size = len(step.result)
    step.outcome, step.reference, step.action = answer.outcome, answer.reference, answer.action
    step.duration_ms, step.finished_at = answer.duration_ms, timezone.now()
    step.save(update_fields=KEPT)
    shown: list[Shown] = [("step", as_shown(step))]
    if answer.card:
        card = {"template": answer.card.template, "context": dict(answer.card.context), "key": f"card-{step.call_id}"}
        shown.append(("card", {"run": str(step.run_id), **card}))
    if answer.action:
        shown.append(("action", {"action": str(answer.action.pk), "run": str(step.run_id)}))
    return shown


def as_shown(step: AgentStep) -> dict[str, Any]:
    """The data of a progress line."""
    return {
        "run": str(step.run_id),
        "call_id": step.call_id,
        "state": step.outcome,
        "label": label(step.tool, step.arguments),
        "milliseconds": step.duration_ms,
    }


def _as_text(result: Any) -> str:
    """The JSON text that the model is given; what is too long is cut with a mark, and stays JSON.

    Raises TypeError, ValueError, or what an object's own words raise, where a result can be no JSON.
    """
    text = storable(json.dumps(result, default=str, ensure_ascii=False, allow_nan=False))
    most = setting("MAX_RESULT_CHARS")
    if len(text) <= most:
        return text
    return json.dumps({"cut_off": True, "beginning": text[:most]}, ensure_ascii=False)
