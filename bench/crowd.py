"""Hands many runs to the broker at once and watches one worker: `RUNS STEPS LATENCY`, then its process id in a line."""

import json
import sys
import time
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from agent import inbox
from agent.models import AgentRun
from agent.runs import start
from bench import place
from bench.peers import parcels

LOOK_SECONDS = 0.05
PATIENCE = 90.0
RUNS, STEPS, LATENCY = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
TOOL = "track_parcel"


def asked(username: str, *, latency: float) -> AgentRun:
    """A customer's question, stored and not handed over."""
    customer = User.objects.create(username=username)
    return start.accept(customer, parcels.question(steps=STEPS, latency=latency, tool=TOOL))


def work_off(runs: list[AgentRun], *, worker: int) -> dict[str, Any]:
    """Hand them over, and look until the last has ended."""
    began, connections = time.monotonic(), 0
    for run in runs:
        inbox.enqueue(run.pk)
    waiting = AgentRun.objects.filter(pk__in=[run.pk for run in runs], state__in=AgentRun.OPEN)
    while waiting.exists():
        connections = max(connections, _connections())
        if time.monotonic() - began > PATIENCE:
            raise TimeoutError(f"{waiting.count()} runs have not ended after {PATIENCE:.0f} s")
        time.sleep(LOOK_SECONDS)
    return {"seconds": time.monotonic() - began, "connections": connections, "megabytes": place.megabytes(worker)}


def _connections() -> int:
    """Of everybody else to this database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def check(runs: list[AgentRun]) -> None:
    """Every run has its answer, each of its calls once, and all its turns."""
    for run in AgentRun.objects.filter(pk__in=[run.pk for run in runs]):
        kept = (run.state, run.steps.filter(outcome="ok").count(), run.turns.count(), run.attempt)
        if kept != (AgentRun.State.DONE, STEPS, STEPS + 1, 1):
            raise AssertionError(f"not a whole run: {kept}")


def main() -> None:
    """One run first, so that the worker is up and has read what it imports late."""
    first, runs = asked("first", latency=0.0), [asked(f"bench-{number}", latency=LATENCY) for number in range(RUNS)]
    worker = int(sys.stdin.readline())
    work_off([first], worker=worker)
    found = work_off(runs, worker=worker)
    check(runs)
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
