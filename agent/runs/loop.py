"""The run: ask the model, run its calls, ask again, until it answers or the host ends it in words.

Two commits a step, each begun by one fencing update: {the turn, its calls as started, their events}, then
{results, proposals, events}. A worker that dies anywhere leaves rows from which the next one goes on.
"""

import logging
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone, translation
from django.utils.functional import Promise

from agent import claims, events, inbox, prices
from agent.conf import setting
from agent.db import insert, release
from agent.errors import AgentBudgetExceeded, LeaseLost, ProviderError, RunStopped, new_reference
from agent.fields import storable
from agent.models import AgentRun, AgentStep, Message, ModelTurn
from agent.providers import provider_named
from agent.providers.base import Provider, Turn
from agent.runs import budgets, calls, dispatch, history, leases, speaking, words
from agent.runs.leases import Lease

logger = logging.getLogger(__name__)

State = AgentRun.State


@dataclass(frozen=True)
class Ending:
    """How a run ends, and what its customer reads."""

    state: str
    text: str
    error_code: str = ""
    reference: str = ""
    turn: Turn | None = None  # the last one, where it is not kept yet
    index: int = 0  # its place in the run
    unbacked: int = 0  # sentences of it that the customer was not shown


def work(run_id: UUID | str) -> None:
    """Take the run, if it is free, and bring it to its end. Safe to call any number of times, anywhere."""
    lease = leases.claim(run_id)
    if lease is not None:
        carry_out(lease)


def carry_out(lease: Lease, *, provider: Provider | None = None) -> None:
    """Work on a claimed run until it has ended in a state that its customer sees and understands.

    Where the lease is lost, or the database, nothing more is written: whoever claims next goes on from the rows.
    """
    run = AgentRun.objects.select_related("conversation", "user").get(pk=lease.run_id)
    log = {"run": str(run.pk), "attempt": lease.attempt, "trace_id": str(run.trace_id)}
    with leases.held(lease), translation.override(run.conversation.language):
        try:
            _begin(run, lease)
            _finish(run, lease, _ending_of(run, lease, provider))
            inbox.wake(run.user_id)
            logger.info("run ended", extra={**log, "state": run.state})
        except LeaseLost:
            logger.warning("lease lost", extra=log)
        except (OperationalError, InterfaceError):
            logger.exception("the database is away; the run waits for its next worker", extra=log)
        finally:
            release()


def _ending_of(run: AgentRun, lease: Lease, provider: Provider | None) -> Ending:
    """The answer, or words in its place. Only a lost lease or database leaves by an exception."""
    try:
        return _answer(run, lease, provider or provider_named(run.conversation.provider))
    except (LeaseLost, OperationalError, InterfaceError):
        raise
    except RunStopped as stop:
        return Ending(State.STOPPED, _joined(stop.said, words.STOPPED), error_code="stopped")
    except AgentBudgetExceeded as error:
        return _told(State.OUT_OF_BUDGET, error.words, code=error.code)
    except ProviderError as error:
        logger.warning("provider failed", extra={"run": str(run.pk), "code": error.code, "detail": str(error)})
        said = words.for_provider_error(error.code, retryable=error.retryable)
        return _told(State.FAILED, said, code=error.code, after=error.said)
    except Exception:
        ending = _told(State.FAILED, words.INTERNAL, code="internal")
        logger.exception("run failed", extra={"run": str(run.pk), "reference": ending.reference})
        return ending


def _answer(run: AgentRun, lease: Lease, provider: Provider) -> Ending:
    """Finish what a dead worker left; then ask, keep the turn, run its calls, and ask again with their results."""
    left_open = list(run.steps.filter(outcome=AgentStep.Outcome.STARTED)) if lease.attempt > 1 else []
    if left_open:
        _check_allowed(run, lease)
        dispatch.answer_calls(run, lease, left_open)
    messages = history.messages_of(run)
    used = budgets.used_by(run)
    while True:
        _check_allowed(run, lease)
        used.check()
        turn = speaking.ask_model(run, lease, provider, messages=messages, turn=used.turns)
        verdict = speaking.judged(run, text_of(turn))
        if not _goes_on(turn):
            return _conclusion(turn, verdict, index=used.turns)
        kept, steps = _keep(run, lease, turn, used=used, verdict=verdict)
        if steps:
            _check_allowed(run, lease)
            used.check_not_repeating()
            dispatch.answer_calls(run, lease, steps)
        messages += history.with_notes(history.exchange(kept, steps), history.notes_on(kept, verdict))


def _goes_on(turn: Turn) -> bool:
    """Calls are run only when the model stopped for them; a pause is answered by sending everything again."""
    return turn.stop_reason == "pause_turn" or (turn.stop_reason == history.ANSWERED and bool(_calls(turn)))


def _conclusion(turn: Turn, verdict: claims.Verdict, *, index: int) -> Ending:
    """The last turn, told by its stop reason; a text that was cut off stays, with a sentence that says so."""
    said, unbacked = verdict.text, len(verdict.unbacked)
    if turn.stop_reason in ("end_turn", "stop_sequence") and said:
        return Ending(State.DONE, said, turn=turn, index=index, unbacked=unbacked)
    code = turn.stop_reason if turn.stop_reason not in ("end_turn", "stop_sequence") else "no_answer"
    ending = _told(State.FAILED, words.for_stop_reason(turn.stop_reason), code=code, after=said)
    return replace(ending, turn=turn, index=index, unbacked=unbacked)


def text_of(turn: Turn) -> str:
    """What a turn says, before it is judged what of it the customer is shown."""
    said = [str(block.get("text", "")) for block in turn.content if block.get("type") == "text"]
    return storable("\n\n".join(part.strip() for part in said if part.strip()))


def _calls(turn: Turn) -> list[dict]:
    return [block for block in turn.content if block.get("type") == "tool_use"]


# Checks before a call --------------------------------------------------------------------------------------


def _check_allowed(run: AgentRun, lease: Lease) -> None:
    """As it is now: what was stopped, closed or switched off meanwhile begins nothing more.

    The last commit has learned it, a moment ago; while the model is waited for, the row is asked whether to stop.
    """
    if lease.is_stopping:
        raise RunStopped("Stopped.")
    run.user.is_active = lease.is_wanted
    if lease.attempt > setting("MAX_ATTEMPTS"):
        raise AgentBudgetExceeded(words.INTERRUPTED, code="attempts")
    if not run.user.is_active:
        raise AgentBudgetExceeded(words.ACCOUNT_CLOSED, code="account_closed")
    if not lease.is_switched_on:
        raise AgentBudgetExceeded(words.SWITCHED_OFF, code="switched_off")


# Commits ---------------------------------------------------------------------------------------------------


def _begin(run: AgentRun, lease: Lease) -> None:
    with transaction.atomic():
        lease.fence(partial_text="")
        events.append(run.conversation_id, inbox.as_shown(run))


def _keep(
    run: AgentRun, lease: Lease, turn: Turn, *, used: budgets.Used, verdict: claims.Verdict
) -> tuple[ModelTurn, list[AgentStep]]:
    """The step's first commit: the turn as it was received, its calls as started, and what the customer sees."""
    with transaction.atomic():
        lease.fence(partial_text="")
        kept = _turn_row(run, turn, index=used.turns)
        asked = _calls(turn) if turn.stop_reason == history.ANSWERED else []
        steps = dispatch.start_calls(run, kept, asked, after=len(used.calls))
        said = inbox.say(run, verdict.text)
        _note(run, turn=kept.index, unbacked=len(verdict.unbacked))
        events.append(run.conversation_id, *said, *(("step", calls.as_shown(step)) for step in steps))
    used.add(kept, steps)
    return kept, steps


def _finish(run: AgentRun, lease: Lease, ending: Ending) -> None:
    """The last commit: the last turn, the answer, the state."""
    run.state, run.error_code, run.reference = ending.state, ending.error_code, ending.reference
    run.finished_at = timezone.now()
    said = ending.text
    if claims.is_waiting(run):
        said = claims.with_nothing_changed(said, waiting=claims.waiting_from_before(run))
    with transaction.atomic():
        lease.fence(
            state=run.state,
            partial_text="",
            error_code=run.error_code,
            reference=run.reference,
            finished_at=run.finished_at,
        )
        if ending.turn is not None:
            _turn_row(run, ending.turn, index=ending.index)
            _note(run, turn=ending.index, unbacked=ending.unbacked)
        # A run that is done has answered every call of its turns.
        closed = dispatch.close_open_calls(run) if run.state != State.DONE else []
        events.append(run.conversation_id, *closed, *inbox.say(run, said), inbox.as_shown(run))


def _turn_row(run: AgentRun, turn: Turn, *, index: int) -> ModelTurn:
    row = ModelTurn(
        run=run,
        index=index,
        content=turn.content,
        stop_reason=turn.stop_reason[:40],
        model=turn.model[:80],
        request_id=turn.request_id[:120],
        input_tokens=turn.usage.input_tokens,
        cache_read_tokens=turn.usage.cache_read_tokens,
        cache_write_tokens=turn.usage.cache_write_tokens,
        output_tokens=turn.usage.output_tokens,
        cost_micro=prices.cost_of(turn.model or run.conversation.model, turn.usage, on=timezone.localdate()),
        first_token_ms=turn.first_token_ms,
        duration_ms=turn.duration_ms,
    )
    return insert([row])[0]


def _note(run: AgentRun, *, turn: int, unbacked: int) -> None:
    """The model hears of it with the next request, and staff see it: a claim that nothing backs was not shown."""
    if unbacked:
        text = claims.note_on(turn, count=unbacked)
        Message.objects.create(conversation_id=run.conversation_id, run=run, author=Message.Author.SYSTEM, text=text)
        logger.warning("unbacked claim not shown", extra={"run": str(run.pk), "turn": turn, "count": unbacked})


def _told(state: str, said: Promise | str, *, code: str, after: str = "") -> Ending:
    """An ending in the host's words, with the reference that ties them to this row and the log."""
    reference = new_reference()
    return Ending(
        state, _joined(after, str(said) % {"reference": reference}), error_code=code[:40], reference=reference
    )


def _joined(said: str, then: Promise | str) -> str:
    return f"{said.strip()}\n\n{then}" if said.strip() else str(then)
