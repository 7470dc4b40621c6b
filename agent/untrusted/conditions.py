"""Whether the condition of a style sheet holds on one screen of 1280 by 800: yes, no, or nobody here can say (None)."""

import re
from collections.abc import Iterable

from agent.untrusted.hiding import is_value

Answer = bool | None

_SCREEN = {"width": 1280.0, "height": 800.0, "device-width": 1280.0, "device-height": 800.0}
_FEATURES = {
    "orientation": "landscape", "hover": "hover", "any-hover": "hover", "pointer": "fine", "any-pointer": "fine",
    "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference", "prefers-contrast": "no-preference",
    "forced-colors": "none", "scripting": "enabled", "display-mode": "browser", "update": "fast", "monochrome": "0",
    "grid": "0", "prefers-reduced-transparency": "no-preference", "prefers-reduced-data": "no-preference",
}  # fmt: skip
_COMPARED = {"<": float.__lt__, "<=": float.__le__, ">": float.__gt__, ">=": float.__ge__, "=": float.__eq__}


def split(text: str, separator: str) -> list[str]:
    """Split at the separator outside of brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == separator and depth <= 0:
            parts.append(text[start:place])
            start = place + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def media_holds(condition: str) -> Answer:
    """Of a list of media queries."""
    queries = split(condition, ",")
    return _one_of(map(_query_holds, queries)) if queries else True


def supports_holds(condition: str) -> Answer:
    """Of @supports: what is known here, browsers know; of everything else nobody can say whether they do."""
    tests = re.findall(r"\(\s*([a-z-]+)\s*:([^()]*)\)", condition.lower())
    if not tests or not all(is_value(name, value.strip(), known_only=True) for name, value in tests):
        return None
    negations = re.findall(r"\bnot\b", condition.lower())
    if len(negations) > 1 or (negations and len(tests) > 1):
        return None
    return not negations


def _one_of(answers: Iterable[Answer]) -> Answer:
    found = list(answers)
    return True if True in found else None if None in found else False


def _all_of(answers: Iterable[Answer]) -> Answer:
    found = list(answers)
    return False if False in found else None if None in found else True


def _query_holds(query: str) -> Answer:
    query = query.strip().lower()
    match = re.match(r"(?:(not|only)\b\s*)?([a-z-]*)", query)
    is_negated, kind = (match.group(1) == "not", match.group(2)) if match else (False, "")
    features = re.findall(r"\(([^()]*)\)", query)
    gather = _one_of if re.search(r"\)\s*or\s*\(", query) else _all_of
    holds = gather(map(_feature_holds, features)) if features else True
    if re.search(r"\(\s*not\b|\(\s*\(|\band\s+not\b", query):
        holds = None
    if kind not in ("", "all", "screen"):
        holds = False
    return None if holds is None else holds != is_negated


def _feature_holds(feature: str) -> Answer:
    if re.search(r"[<>=]", feature):
        return _range_holds(feature)
    name, _, value = (part.strip() for part in feature.partition(":"))
    if name in _FEATURES:
        own = _FEATURES[name]
        return value == own if value else own not in ("none", "no-preference", "0")
    if name in _SCREEN:
        limit = _pixels(value)
        return _SCREEN[name] == limit if value else True
    for prefix, holds in (("min-", float.__ge__), ("max-", float.__le__)):
        limit = _pixels(value) if name.startswith(prefix) and name[4:] in _SCREEN else None
        if limit is not None:
            return holds(_SCREEN[name[4:]], limit)
    return None


def _range_holds(feature: str) -> Answer:
    """Such as `300px <= width < 900px`."""
    pieces = [piece.strip() for piece in re.split(r"(<=|>=|<|>|=)", feature)]
    sides = [_SCREEN.get(piece, _pixels(piece)) for piece in pieces[::2]]
    if None in sides or not set(pieces[1::2]) <= _COMPARED.keys():
        return None
    known = [side for side in sides if side is not None]
    return all(_COMPARED[sign](left, right) for left, sign, right in zip(known, pieces[1::2], known[1:], strict=False))


def _pixels(value: str) -> float | None:
    match = re.fullmatch(r"\s*(-?(?:\d++(?:\.\d*+)?|\.\d++))\s*+(px|em|rem|)\s*", value)
    return float(match.group(1)) * (16 if match.group(2) in ("em", "rem") else 1) if match else None
