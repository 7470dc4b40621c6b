"""SECURITY 36: no text of 100 KB keeps a regular expression of ours busy, and nobody from outside writes one."""

import ast
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from agent.claims.sentences import MOST_CHARS, split
from tests.untrusted.patterns import ROOT, Found, calls, inline, named

SIZE = 100_000
SECONDS = 0.1
TRIED = 4_000  # with each text; with the whole size those that were slowest
GENERIC = ["a", "A", "0", " ", "\n", ".", "-", "<", ">", "(", "[", "&#", "%", "\\", '"', "é", "\u200b", "a ", "a1 ",
           "0.", "<a ", "ab\n"]  # fmt: skip

# What never sees more than so many characters, by the beginning of its name, and what sees to that.
_VALUES = (500, "a value in a style sheet is cut: agent/untrusted/sheets.py, _MAX_VALUE")
_SENTENCES = (1_000, "a sentence without an end is cut: agent/claims/sentences.py, MOST_CHARS")
_WISHES = (500, "the demonstration model reads no more: agent/providers/demo/memory.py, MOST_CHARS")
BOUNDED = {
    "agent/untrusted/boxes.py": _VALUES, "agent.untrusted.colours": _VALUES,
    "agent/untrusted/colours.py": _VALUES, "agent.untrusted.hiding": _VALUES, "agent/untrusted/hiding.py": _VALUES,
    "agent.untrusted.values": _VALUES, "agent/untrusted/values.py": _VALUES, "agent.claims.": _SENTENCES,
    "agent/claims/": _SENTENCES, "agent.providers.demo.": _WISHES, "agent/providers/demo/": _WISHES,
    "agent.untrusted.decoding._META": (4_096, "it looks at the head of a page alone: agent/untrusted/decoding.py"),
}  # fmt: skip

FOUND = sorted([*named(), *inline()], key=lambda found: found.name)


def ids(found: Found) -> str:
    return found.name[:80]


def pieces(pattern: re.Pattern[Any]) -> list[str]:
    """What hostile texts are made of: characters of all kinds, and what the pattern itself looks for."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    words = ["".join(run) for run in _runs(_parser.parse(text, pattern.flags & ~re.DEBUG))]
    words = list(dict.fromkeys(word for word in words if word))[:8]
    mixed = [f"{word}{filler}" for word in words[:4] for filler in ("a", " ")]
    return list(dict.fromkeys([*GENERIC, *words, *filter(None, ["".join(words)[:40]]), *mixed]))


def _runs(parsed: Any) -> Iterator[list[str]]:
    """Runs of literal characters, and one of each set, in the order of the pattern."""
    run: list[str] = []
    for operation, argument in parsed:
        if operation is _constants.LITERAL:
            run.append(chr(argument))
            continue
        if run:
            yield run
            run = []
        yield from _inside(operation, argument)
    if run:
        yield run


def _inside(operation: Any, argument: Any) -> Iterator[list[str]]:
    if operation is _constants.IN:
        first = argument[0]
        if first[0] is _constants.LITERAL:
            yield [chr(first[1])]
        elif first[0] is _constants.RANGE:
            yield [chr(first[1][0])]
    elif isinstance(argument, (tuple, list)):
        for part in argument:
            if isinstance(part, _parser.SubPattern):
                yield from _runs(part)
            elif isinstance(part, list):
                for branch in part:
                    if isinstance(branch, _parser.SubPattern):
                        yield from _runs(branch)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """A pattern looks for signals while it works, so that even one that would never end can be stopped."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds_of(pattern: re.Pattern[Any], method: str, text: str) -> float:
    subject: Any = text if isinstance(pattern.pattern, str) else text.encode("utf-8")
    nothing: Any = "" if isinstance(pattern.pattern, str) else b""
    begun = time.process_time()
    if method in ("sub", "subn"):
        getattr(pattern, method)(nothing, subject)
    elif method == "finditer":
        for _ in pattern.finditer(subject):
            pass
    else:
        getattr(pattern, method)(subject)
    return time.process_time() - begun


def slowest(found: Found) -> tuple[float, str]:
    """The worst of all texts, in seconds for the whole size; a text that grows too fast is not tried at its full."""
    most = next((most for name, (most, _) in BOUNDED.items() if found.name.startswith(name)), SIZE)
    tried: list[tuple[float, str, str]] = []
    for method in sorted(found.methods):
        for piece in pieces(found.pattern):
            for size in (30, min(TRIED, most)):
                took = timed(found.pattern, method, piece, size)
                if took > SECONDS:
                    return took, f"{method} of {piece!r}, {size} characters"
            tried.append((took, method, piece))
    worst = [(timed(found.pattern, method, piece, most), method, piece) for _, method, piece in sorted(tried)[-3:]]
    took, method, piece = max(worst)
    return took, f"{method} of {piece!r}, {most} characters"


def timed(pattern: re.Pattern[Any], method: str, piece: str, size: int) -> float:
    """CPU seconds, the better of two where it is near the limit; more than there are, where it is stopped."""
    text = (piece * (size // len(piece) + 1))[: size - 1] + "!"
    try:
        with at_most(1.0):
            took = seconds_of(pattern, method, text)
            return min(took, seconds_of(pattern, method, text)) if took > SECONDS / 2 else took
    except TimeoutError:
        return 9.9


def test_patterns_are_found() -> None:
    names = {found.name for found in FOUND}
    assert {"agent.checks.NAME", "agent.untrusted.characters._LONG_REFERENCE", "agent.markdown.NUMBER"} <= names
    assert len(FOUND) > 80


@pytest.mark.parametrize("found", FOUND, ids=ids)
def test_pattern_is_done_with_100_kb_in_time(found: Found) -> None:
    """SECURITY 36."""
    took, how = slowest(found)
    assert took < SECONDS, how


def test_list_of_bounds_names_only_what_is_there() -> None:
    assert [name for name in BOUNDED if not any(found.name.startswith(name) for found in FOUND)] == []


def test_sentence_without_an_end_is_judged_in_parts() -> None:
    """SECURITY 36: what the model says is cut before the patterns of `agent.claims` see it; nothing is lost."""
    for text in ("0." * 5_000, "word " * 2_000, "a" * 5_000, "that, " * 900, "...." * 2_000):
        parts = split(text)
        assert ("".join(parts), max(map(len, parts)) <= MOST_CHARS) == (text, True)


# The few that are made while the program runs: of words in the code, of the names of tools, or of what was escaped.
MADE_OF_OUR_OWN = {
    "agent/claims/clauses.py", "agent/claims/phrases.py", "agent/claims/reading.py",
    "agent/providers/demo/addresses.py", "orders/numbers.py",
    "agent/providers/demo/arguments.py", "agent/providers/demo/filling.py", "agent/providers/demo/sources.py",
    "agent/tools/schema.py", "agent/untrusted/decoding.py",
}  # fmt: skip


def test_nobody_from_outside_writes_a_pattern() -> None:
    """SECURITY 36: a pattern stands in the code, or is made of what stands there."""
    made = {
        f"{path.relative_to(ROOT)}: {ast.unparse(call)[:100]}"
        for path, call in calls()
        if not (call.args and isinstance(call.args[0], (ast.Constant, ast.Name, ast.Attribute)))
    }
    assert {line for line in made if line.partition(":")[0] not in MADE_OF_OUR_OWN} == set()
