"""From the commit of an event to the browsers: a real server, many open streams."""

import json
import statistics
import sys
from typing import Any

from bench import place
from bench.section import Section, Table, Verdict

STREAMS = (100, 500)
EVENTS_A_SECOND, SECONDS = 50, 10
MOST_MILLISECONDS = 100.0
METHOD = (
    "The site runs as `make serve` starts it, one process, with PostgreSQL and Redis. Another process opens the "
    "streams, each of another signed-in customer to a conversation of their own, over plain sockets; a third stores "
    f"events as the run loop does, {EVENTS_A_SECOND} a second for {SECONDS} s, spread over the conversations. The time "
    "is from the moment after the commit, before anything is published, to the line with the event's id at the "
    "client, on one clock. For each event that a stream is told of, the site looks at the session, the account and "
    "the rows again, and draws it from its template; beside, each stream looks every ten seconds. One event before the "
    "others is not counted: the server reads its templates with it. Every stored event has to arrive, once."
)


def measure(*, small: bool) -> Section:
    """At each number of streams."""
    sizes = (5,) if small else STREAMS
    seconds = 1 if small else SECONDS
    with place.own_database() as database, place.own_redis() as redis:
        env = place.environment(DATABASE_URL=database, REDIS_URL=redis)
        place.manage("migrate", "--noinput", "--verbosity", "0", env=env)
        found = [listened(env, streams=size, seconds=seconds) for size in sizes]
    header = ["streams", "open after, s", "events", "lost", "twice", "p50, ms", "p99, ms", "most, ms", "memory, MB"]
    last = found[-1]
    return Section(
        title="From commit to client",
        method=METHOD,
        tables=[Table("", header, [_row(each) for each in found])],
        verdicts=[
            Verdict(f"p99 at {sizes[-1]} streams", last["p99"], MOST_MILLISECONDS, "ms"),
            Verdict(f"lost at {sizes[-1]} streams", last["lost"], 0),
        ],
    )


def listened(env: place.Environ, *, streams: int, seconds: int) -> dict[str, Any]:
    """One server, from its start to its end."""
    with place.site(env) as (url, process), place.inside("bench.speaker", str(streams), env=env) as speaker:
        opened = speaker.hear()
        with place.process(sys.executable, "-m", "bench.listeners", url, env=env) as listeners:
            opening = listeners.ask(json.dumps(opened))
            told = speaker.ask(json.dumps({"seconds": seconds, "rate": EVENTS_A_SECOND}))
            heard = listeners.ask("stop")
        return {"streams": streams, "opening": opening, **compared(told, heard), "megabytes": place.megabytes(process)}


def compared(told: list[list[float]], heard: list[list[float]]) -> dict[str, Any]:
    """Each is [stream, number, time]; what was told and never heard is lost."""
    arrived: dict[tuple[float, float], list[float]] = {}
    for stream, number, at in heard:
        arrived.setdefault((stream, number), []).append(at)
    waits = [arrived[stream, number][0] - at for stream, number, at in told if (stream, number) in arrived]
    cuts = statistics.quantiles(waits, n=100, method="inclusive")
    return {
        "events": len(told),
        "lost": len(told) - len(waits),
        "twice": sum(len(times) - 1 for times in arrived.values()),
        **{name: value * 1000 for name, value in (("p50", cuts[49]), ("p99", cuts[98]), ("most", max(waits)))},
    }


def _row(each: dict[str, Any]) -> list[str]:
    whole = [str(each[name]) for name in ("events", "lost", "twice")]
    times = [f"{each[name]:.1f}" for name in ("p50", "p99", "most")]
    return [str(each["streams"]), f"{each['opening']:.1f}", *whole, *times, f"{each['megabytes']:.0f}"]
