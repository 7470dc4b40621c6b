"""Overhead of a durable tool step on SQLite, beside other frameworks, all in one interleaved run."""

import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench import place
from bench.peers import parcels
from bench.section import Section, Table, Verdict

STEPS = 10
ROUNDS, WARM_UP = 40, 3

REQUIREMENTS = place.ROOT / "bench" / "peers" / "requirements.txt"
INSTALL_SECONDS = 240

OURS, WHOLE, BARE = "Countersign", "Countersign, all tools and the whole prompt of the shop", "a bare loop over the SDK"
PYDANTIC_AI, LANGGRAPH, WITH_SAVER = "pydantic-ai", "langgraph", "langgraph with its SQLite saver"
KEEPS = {
    BARE: "nothing",
    OURS: "turn, step, result and events, in two commits a step",
    WHOLE: "the same",
    PYDANTIC_AI: "nothing",
    LANGGRAPH: "nothing",
    WITH_SAVER: "two checkpoints a step",
}
METHOD = (
    f"Runs of {STEPS} steps, each a call of the model and a call of one tool with another order number, then a closing "
    "answer. All players ask the same local Messages API (`bench/model_server.py`), have the same tool, which only "
    "computes, and the same short system prompt; Countersign streams and works on a stored question as a worker does. "
    "The players take turns, one run each a round, in processes of their own; after each run, untimed, every call, "
    "every result in its order and the answer are checked, for those that store from what they stored. Overhead is "
    "the time of the run, less what the model server worked, over the number of steps. One player also runs the shop's "
    "own order_status, with its queries, under the shop's prompt and all its tools."
)

FURTHER = (
    "How far it could go, by a profile: the inserts and updates of a step are plain SQL, put together once. Of what is "
    "left about 1.1 ms is the SDK and HTTP (the bare loop), 1 ms streaming in a thread that can be left at any moment, "
    "0.8 ms SQLite with both commits, and 0.5 ms a tenth of what a run needs once: the claim, the history, the budgets "
    "and the end. The rest is Django's cursors, a tool's switch and the events. What others have spent today is read "
    "again before a call, once a second at most: with a real model that is two more queries a step, which this table "
    "does not show."
)

CURSORS_MS = 0.4  # a step: 24 µs a statement and 26 µs a transaction more than sqlite3 alone, measured apart
THREAD_MS = 1.0  # a step, for reading the stream in a thread of its own, by the profile

Times = dict[str, list[dict[str, float]]]


def measure(*, small: bool) -> Section:
    """Play the rounds."""
    rounds = 2 if small else ROUNDS
    with place.folder() as folder, place.model_server() as model:
        with players(folder, model) as (playing, notes):
            times = played(playing, model, rounds=rounds, warm_up=1 if small else WARM_UP)
        counted = statements(folder, model)
    table = Table(f"Median of {rounds} rounds, milliseconds a step:", HEADER, rows(times))
    return Section(
        title="Overhead of a durable step",
        method=METHOD,
        tables=[table, statement_table(counted)],
        verdicts=verdicts(times),
        notes=[*notes, FURTHER, *how_far(times)],
    )


@contextmanager
def players(folder: Path, model: str) -> Iterator[tuple[dict[str, place.Talk], list[str]]]:
    """Everybody who plays, warm; and a line for each who cannot."""
    notes: list[str] = []
    with ExitStack() as stack:
        playing = {BARE: stack.enter_context(peer(sys.executable, "bare", model=model))}
        for name, tool, alone in ((OURS, parcels.TOOL, True), (WHOLE, "order_status", False)):
            env = environment(folder, model, alone=alone)
            playing[name] = stack.enter_context(place.inside("bench.ours", "play", str(STEPS), tool, env=env))
        try:
            python = peers_python()
            playing[PYDANTIC_AI] = stack.enter_context(peer(python, "with_pydantic_ai", model=model))
            playing[LANGGRAPH] = stack.enter_context(peer(python, "with_langgraph", model=model))
            saved = str(folder / "langgraph.sqlite3")
            playing[WITH_SAVER] = stack.enter_context(peer(python, "with_langgraph", saved, model=model))
            notes.append(f"Peers: {versions(python)}.")
        except place.Missing as missing:
            notes.append(f"The peers were skipped: {missing}.")
        yield playing, notes


def peer(python: str, name: str, *arguments: str, model: str) -> Any:
    """A player that has no Django."""
    env = place.environment(ANTHROPIC_BASE_URL=model)
    return place.process(python, "-m", f"bench.peers.{name}", str(STEPS), *arguments, env=env)


def environment(folder: Path, model: str, *, alone: bool) -> place.Environ:
    """Countersign's, over a SQLite file that has its tables."""
    path = folder / f"countersign-{alone}.sqlite3"
    env = place.environment(DATABASE_URL=f"sqlite:///{path}", **place.with_model(model))
    env |= {"BENCH_TOOL_ALONE": "1"} if alone else {}
    if not path.exists():
        place.manage("migrate", "--noinput", "--verbosity", "0", env=env)
    return env


def peers_python() -> str:
    """The interpreter that has the peers, which are installed when it is missing. Raises Missing."""
    python = place.PEERS / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(REQUIREMENTS)]
    known = [str(python), "-c", "import pydantic_ai, langgraph.checkpoint.sqlite, langchain_anthropic"]
    try:
        if not python.exists():
            subprocess.run(
                [sys.executable, "-m", "venv", str(place.PEERS)], check=True, capture_output=True, timeout=60
            )
        if subprocess.run(known, capture_output=True, timeout=60, check=False).returncode:
            subprocess.run(install, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        raise place.Missing(f"they could not be installed ({type(error).__name__})") from error
    return str(python)


def versions(python: str) -> str:
    """Which peers were measured."""
    names = [line.split("[")[0] for line in REQUIREMENTS.read_text().splitlines() if line and line[0] != "#"]
    script = "import sys, importlib.metadata as m; print(*(f'{n} {m.version(n)}' for n in sys.argv[1:]), sep=', ')"
    return subprocess.run([python, "-c", script, *names], check=True, capture_output=True, text=True).stdout.strip()


def played(playing: dict[str, place.Talk], model: str, *, rounds: int, warm_up: int) -> Times:
    """Milliseconds a step of every round, by player."""
    times: Times = {name: [] for name in playing}
    for number in range(warm_up + rounds):
        for name, talk in playing.items():
            place.forget(model)
            run = talk.ask("run")
            busy = place.served(model)["busy_seconds"]
            if number >= warm_up:
                wall, processor = (run["seconds"] - busy) * 1000 / STEPS, run["processor"] * 1000 / STEPS
                times[name].append({"wall": wall, "processor": processor, "megabytes": run["megabytes"]})
    return times


def median(times: Times, name: str, what: str) -> float:
    """Of all rounds."""
    return statistics.median(each[what] for each in times[name])


def how_far(times: Times) -> list[str]:
    """How far below 1.0 beside pydantic-ai it can go, and what it would take."""
    if PYDANTIC_AI not in times:
        return []
    ours, theirs, bare = (median(times, name, "wall") for name in (OURS, PYDANTIC_AI, BARE))
    return [
        (
            f"How far below 1.0 beside pydantic-ai, which keeps nothing, it can go: it is {ours / theirs:.2f} now. "
            f"Past Django's cursors, {CURSORS_MS} ms a step, about {(ours - CURSORS_MS) / theirs:.2f}; the price "
            "is a second way to the database, of which transactions and tests would have to know. Without a thread for "
            f"the stream, {THREAD_MS} ms more, about {(ours - CURSORS_MS - THREAD_MS) / theirs:.2f}; the price is that "
            "no stop and no deadline could leave an answer in its middle. The bare loop over the same SDK, which keeps "
            f"nothing either, is {bare / theirs:.2f} of it: no way leads below that."
        )
    ]


HEADER = ["", "keeps", "overhead, ms", "from - to", "processor, ms", "Countersign is", "memory, MB"]


def rows(times: Times) -> list[list[str]]:
    """A line a player; the ratio is ours to theirs."""
    ours = median(times, OURS, "wall")
    table = []
    for name, each in times.items():
        wall = [one["wall"] for one in each]
        own = statistics.median(wall)
        figures = [f"{own:.2f}", f"{min(wall):.2f} - {max(wall):.2f}", f"{median(times, name, 'processor'):.2f}"]
        memory = f"{max(one['megabytes'] for one in each):.0f}"
        table.append([name, KEEPS[name], *figures, "" if name == OURS else f"{ours / own:.2f} of it", memory])
    return table


def verdicts(times: Times) -> list[Verdict]:
    """Beside the two that are to be compared with, where they could be had."""
    ours = median(times, OURS, "wall")
    wanted = ((WITH_SAVER, 0.7), (PYDANTIC_AI, 1.3))
    return [
        Verdict(f"overhead beside {name}", ours / median(times, name, "wall"), most)
        for name, most in wanted
        if name in times
    ]


def statements(folder: Path, model: str) -> dict[str, int]:
    """The statements of one run of ours."""
    env = environment(folder, model, alone=True)
    with place.inside("bench.ours", "count", str(STEPS), parcels.TOOL, env=env) as talk:
        counted: dict[str, int] = talk.ask("run")
    return counted


def statement_table(counted: dict[str, int]) -> Table:
    """By kind, those of a step first."""
    most = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    about = f"{sum(counted.values())} statements for a run of {STEPS} steps, from the question to the end:"
    return Table(about, ["statement", "a run", "a step"], [[k, str(n), f"{n / STEPS:.1f}"] for k, n in most])
