"""Which other variant of a thing a sentence asks for: what it says of the options, and the rest as it was."""

import re
from dataclasses import dataclass

from agent.providers.demo.records import Record, wanted_part
from agent.providers.demo.words import tokens

_SCALES = (("xxs", "xs", "s", "m", "l", "xl", "xxl"), ("small", "medium", "large"), ("short", "long"))
_THOUSANDS = frozenset({"kg", "l", "m", "km"})
_SMALLER, _LARGER = frozenset({"smaller", "shorter", "lighter"}), frozenset({"larger", "longer", "heavier"})


@dataclass(frozen=True)
class Choice:
    """The variant that is meant, or else those there are to choose from."""

    variant: Record | None
    others: list[Record]


def other_variant(old: Record, rows: list[Record], texts: list[str], *, beside: list[Record]) -> Choice:
    """The variant to have instead of the old one. `beside` are further things that the same sentences are about."""
    own = [row for row in rows if row.name == old.name]
    wanted = _wanted(old, own, texts, beside=beside)
    if wanted:
        fitting = [row for row in own if row.options == {**old.options, **wanted}]
        if len(fitting) == 1 and fitting[0].id != old.id:
            return Choice(fitting[0], [])
    return Choice(None, [row for row in own if row.id != old.id and row.row.get("available") is not False])


def _wanted(old: Record, rows: list[Record], texts: list[str], *, beside: list[Record]) -> dict[str, str]:
    """The newest that was said of each option; nothing where one sentence names two values."""
    wanted: dict[str, str] = {}
    for key, was in old.options.items():
        values = list(dict.fromkeys(row.options[key] for row in rows if key in row.options))
        for text in texts:
            clauses = _clauses_about(old, text) if beside else ""
            found = _said(values, clauses, was=was) or _said(values, text, was=was)
            if len(found) > 1:
                return {}
            if found:
                wanted[key] = found[0]  # nothing changes where only the old one is named
                break
    return wanted or _compared(old, rows, texts)


def _said(values: list[str], text: str, *, was: str) -> list[str]:
    """The values with a word in the text that no other value has."""
    said = tokens(wanted_part(text))

    def only_here(value: str) -> frozenset[str]:
        return tokens(value).difference(*(tokens(other) for other in values if other != value))

    named = [value for value in values if said & only_here(value)]
    return named if re.search(r"\b(?:or|oder)\b", text) else [value for value in named if value != was]


def _clauses_about(row: Record, text: str) -> str:
    clauses = re.split(r"[,;]|\band\b|\bund\b", text)
    return ", ".join(clause for clause in clauses if tokens(clause) & row.name_words)


def _compared(old: Record, rows: list[Record], texts: list[str]) -> dict[str, str]:
    """ "smaller" or "larger": the one value in that direction of the one option that has sizes."""
    said = tokens(" ".join(texts))
    sign = bool(said & _LARGER) - bool(said & _SMALLER)
    found = [
        (key, value)
        for key, was in old.options.items()
        for value in dict.fromkeys(row.options.get(key, was) for row in rows)
        if sign and _is_beyond(value, was, sign=sign)
    ]
    return dict(found) if len(found) == 1 else {}


def _is_beyond(value: str, was: str, *, sign: int) -> bool:
    new, old = _size(value), _size(was)
    return new is not None and old is not None and sign * (new - old) > 0


def _size(value: str) -> float | None:
    words = value.lower().split()
    scale = next((scale for scale in _SCALES if value.lower() in scale), None)
    if scale:
        return float(scale.index(value.lower()))
    if words and re.fullmatch(r"\d+(?:\.\d+)?", words[0]):
        return float(words[0]) * (1000 if words[-1] in _THOUSANDS else 1)
    return None
