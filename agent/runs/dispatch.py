"""The calls of a model's turn: started together, answered in their order, kept in one commit."""

from typing import Any

from django.db import transaction

from agent.conf import setting
from agent.db import insert
from agent.models import AgentRun, AgentStep, ModelTurn
from agent.runs import calls
from agent.runs.calls import Answer, Outcome, Shown
from agent.runs.leases import Lease

NOT_RUN = "not run: the run ended"


def answer_calls(run: AgentRun, lease: Lease, steps: list[AgentStep]) -> None:
    """Run the calls of a turn and keep all results in one commit. Raises LeaseLost; then nothing is kept.

    After an acknowledged stop no further call starts and nothing is written; what had its result keeps it.
    """
    answers = _answers(run, lease, steps)
    with transaction.atomic():
        lease.fence()
        # The fence has locked the run's row: a stop was there before it, or is acknowledged after this commit.
        if lease.is_stopping:
            answers = [_not_run() if answer.effect else answer for answer in answers]
        calls.keep_all(run, zip(steps, answers, strict=True))


def start_calls(run: AgentRun, turn: ModelTurn, asked: list[dict[str, Any]], *, after: int) -> list[AgentStep]:
    """A row for each call, before it is run; a worker that dies now leaves them for the next one.

    `after` is the number of calls that the run has made before.
    """
    rows = [
        calls.start(
            run,
            turn=turn,
            sequence=after + number,
            call_id=call["id"],
            name=call.get("name", ""),
            arguments=call.get("input"),
        )
        for number, call in enumerate(asked, start=1)
    ]
    return insert(rows)


def close_open_calls(run: AgentRun) -> list[Shown]:
    """Give each call that will not be run its one result, so that the history stays whole. In the ending commit."""
    return [item for step in run.steps.filter(outcome=Outcome.STARTED) for item in calls.keep(step, _not_run())]


def _answers(run: AgentRun, lease: Lease, steps: list[AgentStep]) -> list[Answer]:
    most = setting("MAX_CALLS_A_TURN")
    offered = {published["name"] for published in run.conversation.tools}
    answers: list[Answer] = []
    for number, step in enumerate(steps):
        if number > 0 and lease.stop_requested():  # before the first one the loop has looked
            answers.append(_not_run())
        elif number >= most:
            answers.append(calls.failed(Outcome.REFUSED, f"too many calls at once; at most {most}"))
        else:
            answers.append(calls.decide(run, step, offered=offered))
    return answers


def _not_run() -> Answer:
    return calls.failed(Outcome.REFUSED, NOT_RUN)
