"""Many runs at once: one worker, PostgreSQL and Redis, a model that takes two seconds a call."""

import sys
from typing import Any

from bench import place
from bench.section import Section, Table, Verdict

RUNS, CALLS, LATENCY = 100, 3, 2.0
THREADS = (100, 50)  # one a run, and what `make worker` has by default
MOST_TIMES, MOST_CONNECTIONS, MOST_MEGABYTES = 2.0, 40, 250
METHOD = (
    f"{RUNS} questions of {RUNS} customers, stored beforehand, are handed to the broker at once. Each needs {CALLS} "
    f"calls of the model, {LATENCY:.0f} s each, and a tool call between them. One worker process works on them, as "
    "`make worker` starts it, with its keeper; PostgreSQL and Redis are real, the model is the local server. The time "
    "is from the first hand-over to the last run's end in the database; afterwards every run, turn and step is "
    "counted. The ideal is the model's time alone, in as many rounds as the threads need. Connections are those to "
    "this database, looked at twenty times a second; memory is the worker's resident set at its highest."
)


def measure(*, small: bool) -> Section:
    """With as many threads as runs, and with the default."""
    runs, latency = (6, 0.2) if small else (RUNS, LATENCY)
    found = [crowd(runs, latency, threads=threads) for threads in (THREADS[:1] if small else THREADS)]
    header = ["threads", "time, s", "ideal, s", "times the ideal", "connections at most", "memory, MB", "calls at once"]
    rows = [_row(each) for each in found]
    first = found[0]
    return Section(
        title=f"{runs} runs with one worker",
        method=METHOD,
        tables=[Table(f"All {runs} runs ended in an answer:", header, rows)],
        verdicts=[
            Verdict("time, in ideals", first["seconds"] / first["ideal"], MOST_TIMES),
            Verdict("connections to PostgreSQL", first["connections"], MOST_CONNECTIONS),
            Verdict("memory of the worker", first["megabytes"], MOST_MEGABYTES, "MB"),
        ],
    )


def crowd(runs: int, latency: float, *, threads: int) -> dict[str, Any]:
    """One worker with so many threads, from its start to its end."""
    command = ["-m", "celery", "--app", "config.celery", "worker", "--pool", "threads", "--loglevel", "ERROR"]
    with place.own_database() as database, place.own_redis() as redis, place.model_server() as model:
        env = place.environment(DATABASE_URL=database, REDIS_URL=redis, **place.with_model(model))
        place.manage("migrate", "--noinput", "--verbosity", "0", env=env)
        with (
            place.process(sys.executable, *command, "--concurrency", str(threads), env=env) as worker,
            place.inside("bench.crowd", str(runs), str(CALLS - 1), str(latency), env=env) as asking,
        ):
            found: dict[str, Any] = asking.ask(str(worker.process.pid))
        rounds = -(-runs // threads)
        return {**found, **place.served(model), "threads": threads, "ideal": rounds * CALLS * latency}


def _row(each: dict[str, Any]) -> list[str]:
    times = [f"{each['seconds']:.1f}", f"{each['ideal']:.0f}", f"{each['seconds'] / each['ideal']:.2f}"]
    return [
        str(each["threads"]),
        *times,
        str(each["connections"]),
        f"{each['megabytes']:.0f}",
        str(each["most_in_flight"]),
    ]
