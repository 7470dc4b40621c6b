"""Just enough of CSS: from style sheets to (selector, declarations), for one screen of 1280 by 800.

No browser is imitated here. Where a condition is not understood, its rules count: hiding too much is the safer fault.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

Declarations = tuple[tuple[str, str, bool], ...]  # property, value, is it important

_MAX_NESTING = 6
_MAX_VALUE = 500
_MAX_SELECTOR = 2_000
_SCREEN = {"width": 1280.0, "height": 800.0, "device-width": 1280.0, "device-height": 800.0}
_FEATURES = {
    "orientation": "landscape", "hover": "hover", "any-hover": "hover", "pointer": "fine", "any-pointer": "fine",
    "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference", "prefers-contrast": "no-preference",
    "forced-colors": "none", "scripting": "enabled", "display-mode": "browser", "update": "fast",
}  # fmt: skip
_GROUPS = ("@media", "@supports", "@layer", "@container", "@scope", "@starting-style")

_TOKEN = re.compile(
    r"\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?|/\*.*?(?:\*/|\Z)|\\.|[{};]|[^{};\"'\\/]++|/", re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)


class TooComplex(Exception):
    """Reading the page's style sheets would cost too much: it is not shown, rather than shown with what they hide."""


class Rule(NamedTuple):
    selectors: list[str]
    declarations: Declarations


class _Statement(NamedTuple):
    prelude: str
    block: str | None


def unescaped(text: str) -> str:
    """CSS escapes undone: `d\\69splay` is display."""
    if "\\" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        code = int(match.group(1), 16) if match.group(1) else 0
        return match.group(2) or (chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd")

    return _ESCAPE.sub(character, text)


def _statements(css: str) -> Iterator[_Statement]:
    """Split at semicolons and braces of the outermost level. Whatever is left open at the end is closed there.

    A brace too many spoils what follows it, as it does in a browser.
    """
    parts: list[str] = []
    block: list[str] = []
    depth = 0
    for piece in (match.group() for match in _TOKEN.finditer(css)):
        if piece.startswith("/*"):
            continue
        if piece == "}" and depth == 1:
            yield _Statement("".join(parts).strip(), "".join(block))
            parts, block, depth = [], [], 0
        elif piece == "{":
            depth += 1
            if depth > _MAX_NESTING + 1:
                raise TooComplex
            if depth > 1:
                block.append(piece)
        elif depth:
            depth -= piece == "}"
            block.append(piece)
        elif piece == ";":
            yield _Statement("".join(parts).strip(), None)
            parts = []
        else:
            parts.append(piece)
    yield _Statement("".join(parts).strip(), "".join(block) if depth else None)


def _declaration(text: str) -> tuple[str, str, bool] | None:
    name, colon, value = text.partition(":")
    name, value = unescaped(name).strip().lower(), unescaped(value).strip().lower()
    if not colon or not name:
        return None
    plain, _, rest = value.rpartition("!")
    is_important = rest.strip() == "important" and bool(plain)
    return name, (plain if is_important else value).strip()[:_MAX_VALUE], is_important


@lru_cache(maxsize=4096)
def declarations(css: str) -> Declarations:
    """The declarations of one block, in order."""
    found = (_declaration(statement.prelude) for statement in _statements(css) if statement.block is None)
    return tuple(declaration for declaration in found if declaration)


def _split(text: str, separator: str) -> list[str]:
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


def _pixels(value: str) -> float | None:
    match = re.fullmatch(r"\s*(-?[\d.]+)\s*(px|em|rem|)\s*", value)
    return float(match.group(1)) * (16 if match.group(2) in ("em", "rem") else 1) if match else None


def _feature_holds(feature: str) -> bool:
    name, _, value = (part.strip() for part in feature.partition(":"))
    if name in _FEATURES:
        return value == _FEATURES[name] if value else _FEATURES[name] not in ("none", "no-preference")
    for prefix, holds in (("min-", float.__ge__), ("max-", float.__le__)):
        limit = _pixels(value) if name.startswith(prefix) and name[4:] in _SCREEN else None
        if limit is not None:
            return holds(_SCREEN[name[4:]], limit)
    return True


def _query_holds(query: str) -> bool:
    query = query.strip().lower()
    negated = query.startswith("not ")
    kind = re.match(r"(?:not\s+|only\s+)?([a-z]+)", query)
    on_screen = kind is None or kind.group(1) in ("all", "screen", "not", "only")
    holds = on_screen and all(_feature_holds(feature) for feature in re.findall(r"\(([^()]*)\)", query))
    return holds != negated


def media_holds(condition: str) -> bool:
    """Whether a media query list can be true on a common screen."""
    queries = _split(condition, ",")
    return not queries or any(_query_holds(query) for query in queries)


def _applies(prelude: str) -> bool:
    if prelude.lower().startswith("@media"):
        return media_holds(prelude[len("@media") :])
    return prelude.lower().startswith(_GROUPS) and not re.match(r"@supports\s+not\b", prelude, re.IGNORECASE)


def _nested(selector: str, parent: str) -> str:
    if len(selector) + len(parent) * max(1, selector.count("&")) > _MAX_SELECTOR:
        raise TooComplex
    if not parent:
        return selector
    return selector.replace("&", f":is({parent})") if "&" in selector else f":is({parent}) {selector}"


def rules(css: str, *, parent: str = "", depth: int = 0) -> Iterator[Rule]:
    """Every rule that counts on a screen, in order, nesting undone."""
    if depth > _MAX_NESTING:
        raise TooComplex
    for statement in _statements(css):
        if statement.block is None:
            continue
        prelude = re.sub(r"<!--|-->", " ", statement.prelude).strip()
        if prelude.startswith("@"):
            if _applies(prelude):
                if parent:
                    yield Rule([parent], declarations(statement.block))
                yield from rules(statement.block, parent=parent, depth=depth + 1)
            continue
        selectors = [_nested(selector, parent) for selector in _split(prelude, ",")]
        yield Rule(selectors, declarations(statement.block))
        if "{" in statement.block:
            for selector in selectors:
                yield from rules(statement.block, parent=selector, depth=depth + 1)


def shortened(selector: str) -> str:
    """The selector with at most one `~` on its outermost level: it matches the same or more, in bearable time."""
    return " ~ ".join(_split(selector, "~")[-2:]) if selector.count("~") > 1 else selector


def imports(css: str) -> list[str]:
    """The addresses of the sheets that this one brings in."""
    found = re.findall(r"@import\s+(?:url\(\s*)?[\"']?([^\"')\s;]+)", css[:20_000], re.IGNORECASE)
    return [unescaped(address) for address in found]


def specificity(selector: str) -> tuple[int, int, int]:
    """Near enough: ids, then classes, attributes and pseudo-classes, then elements."""
    plain = re.sub(r":(?:where)\([^()]*\)", "", re.sub(r"\\.", "x", selector))
    ids = len(re.findall(r"#[\w-]", plain))
    classes = len(re.findall(r"\.[\w-]|\[|:(?!not\(|is\(|has\()[\w-]", plain))
    elements = len(re.findall(r"(?:^|[\s>+~(,])[a-zA-Z]", plain))
    return ids, classes, elements
