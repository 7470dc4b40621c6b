"""Countersign's player: a question is stored and worked on as a worker does it, streamed, with every row and event.

`play STEPS TOOL` is timed as the peers are; `count` prints the statements of a run by kind.
"""

import json
import sys
from collections import Counter
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from agent.models import AgentRun, AgentStep
from agent.runs import loop, start
from bench.peers import parcels, timing
from orders.models import Order

WHAT, STEPS, TOOL = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def run() -> AgentRun:
    """From the customer's words to the end of the run, all of it stored."""
    accepted = start.accept(User.objects.get(username="bench"), parcels.question(steps=STEPS, tool=TOOL))
    loop.work(accepted.pk)
    return accepted


def check(done: AgentRun) -> None:
    """Every row of the run: its steps in order, its turns, its events without a gap."""
    done.refresh_from_db()
    steps = list(done.steps.order_by("sequence"))
    numbers = list(done.conversation.events.order_by("seq").values_list("seq", flat=True))
    answer = done.messages.filter(author="agent").get().text
    facts = (done.state, {step.outcome for step in steps}, done.turns.count(), numbers)
    if facts != (AgentRun.State.DONE, {AgentStep.Outcome.OK}, STEPS + 1, list(range(1, len(numbers) + 1))):
        raise AssertionError(f"not a whole run: {facts}")
    kept = [(step.arguments["order_number"], _told(step)) for step in steps]
    parcels.require(kept, answer=answer, steps=STEPS)


def _told(step: AgentStep) -> dict[str, Any]:
    """The result; of the shop's own tool only its number is known beforehand."""
    result: dict[str, Any] = json.loads(step.result)
    return result if TOOL == parcels.TOOL else parcels.track(result["order_number"])


def statements() -> Counter[str]:
    """The statements of one run, by their kind and table."""
    seen: Counter[str] = Counter()

    def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        seen[_kind(sql)] += 1
        return execute(sql, params, many, context)

    with connection.execute_wrapper(count):
        done = run()
    check(done)
    return seen


def _kind(sql: str) -> str:
    words = sql.replace('"', "").replace("(", " ").split()
    verb = words[0].upper()
    before = {"SELECT": "FROM", "DELETE": "FROM", "INSERT": "INTO", "UPDATE": "UPDATE"}.get(verb)
    return f"{verb} {words[words.index(before) + 1]}" if before else verb


def seed() -> None:
    """A customer, and orders for the shop's own tool."""
    customer, _ = User.objects.get_or_create(username="bench")
    for number, _ in parcels.expected(STEPS):
        Order.objects.get_or_create(number=number, defaults={"customer": customer, "status": "pending"})


if __name__ == "__main__":
    seed()
    if WHAT == "count":
        sys.stdin.readline()
        sys.stdout.write(json.dumps(statements()) + "\n")
        sys.stdout.flush()
    else:
        timing.play(run, check)
