"""Just enough of CSS: from style sheets to (selector, declarations), for one screen of 1280 by 800.

No browser is imitated here. Where a condition is not understood, what hides under it counts and what shows does not:
hiding too much is the safer fault.
"""

import itertools
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from agent.untrusted.conditions import Answer, media_holds, split, supports_holds

Declarations = tuple[tuple[str, str, bool], ...]  # property, value, is it important

_MAX_NESTING = 6
_MAX_LAYERS = 20  # in one name: what ranks them looks at each and at all above it
_MAX_VALUE = 500
_MAX_SELECTOR = 2_000
_GROUPS = ("@media", "@supports", "@layer", "@container", "@scope")
_UNNAMED = itertools.count()

_TOKEN = re.compile(
    r"\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?|/\*.*?(?:\*/|\Z)|\\.|[{};]|[^{};\"'\\/]++|/", re.DOTALL
)
_SCOPE = re.compile(r"@scope\s*\(((?:[^()]|\([^()]*\))+)\)", re.IGNORECASE)
_INITIAL = re.compile(r"@property\s+(--[\w-]+)\s*\{[^{}]*?initial-value\s*:\s*([^;{}]+)", re.IGNORECASE)
_IMPORT = re.compile(r"@import\s+(?:url\(\s*)?[\"']?([^\"')\s;]+)[\"']?\s*\)?([^;{}]*)", re.IGNORECASE)
_KEYFRAMES = re.compile(r"@(?:-webkit-|-moz-)?keyframes\s+([^\s{]+)", re.IGNORECASE)
# An address without quotes may hold semicolons and braces; in a string or a comment it makes no difference.
_ADDRESS = re.compile(r"\burl\([^()\"'\s]*\)", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)


class TooComplex(Exception):
    """Reading the page's style sheets would cost too much: it is not shown, rather than shown with what they hide."""


class Rule(NamedTuple):
    selectors: list[str]
    declarations: Declarations
    layer: tuple[str, ...]  # the names of the layers around it
    is_certain: bool  # whether its conditions are known to hold


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
    css = _ADDRESS.sub(lambda match: re.sub(r"[;{}]", " ", match.group()), css)
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


def _applies(prelude: str) -> Answer:
    """Whether what stands in the at-rule's block counts."""
    name, _, condition = prelude.lower().partition(" ")
    if name.startswith("@media"):
        return media_holds(prelude[len("@media") :])
    if name.startswith("@supports"):
        return supports_holds(prelude[len("@supports") :])
    if name == "@layer":
        return True
    if name.startswith("@scope"):
        return None if " to " in condition or not _SCOPE.match(prelude) else True
    return None if name.startswith("@container") else False


def _layers_in(prelude: str) -> list[tuple[str, ...]]:
    """The names after @layer, each with those above it: `a.b` lies in a. One that has no name is like no other."""
    names = split(prelude[len("@layer") :], ",") or [f"#{next(_UNNAMED)}"]
    if max(name.count(".") for name in names) > _MAX_LAYERS:
        raise TooComplex
    return [tuple(name.split(".")) for name in names]


def _nested(selector: str, parent: str) -> str:
    if len(selector) + len(parent) * max(1, selector.count("&")) > _MAX_SELECTOR:
        raise TooComplex
    if not parent:
        return selector
    return selector.replace("&", f":is({parent})") if "&" in selector else f":is({parent}) {selector}"


def rules(
    css: str, *, parent: str = "", depth: int = 0, layer: tuple[str, ...] = (), is_certain: bool = True
) -> Iterator[Rule]:
    """Every rule that counts on a screen, in order, nesting undone; a rule without selectors only names a layer."""
    if depth > _MAX_NESTING:
        raise TooComplex
    for statement in _statements(css):
        prelude = re.sub(r"<!--|-->", " ", statement.prelude).strip()
        if prelude.lower().startswith("@layer"):
            for name in _layers_in(prelude):
                yield Rule([], (), (*layer, *name), True)
        if statement.block is None:
            continue
        if prelude.startswith("@"):
            answer = _applies(prelude)
            if answer is not False:
                yield from _inside(prelude, statement.block, parent, depth + 1, layer, is_certain and answer is True)
            continue
        selectors = [_nested(selector, parent) for selector in split(prelude, ",")]
        yield Rule(selectors, declarations(statement.block), layer, is_certain)
        if "{" in statement.block:
            for selector in selectors:
                yield from rules(statement.block, parent=selector, depth=depth + 1, layer=layer, is_certain=is_certain)


def _inside(
    prelude: str, block: str, parent: str, depth: int, layer: tuple[str, ...], is_certain: bool
) -> Iterator[Rule]:
    """The rules in the block of an at-rule whose condition holds, or may hold."""
    scope = _SCOPE.match(prelude)
    if scope:
        parent = _nested(scope.group(1).strip(), parent)
        block = re.sub(r":scope\b", "&", block, flags=re.IGNORECASE)
    if prelude.lower().startswith("@layer"):
        layer = (*layer, *_layers_in(prelude)[0])
    if parent:
        yield Rule([parent], declarations(block), layer, is_certain)
    yield from rules(block, parent=parent, depth=depth, layer=layer, is_certain=is_certain)


def frames(css: str, *, depth: int = 0) -> dict[str, tuple[Declarations, Declarations]]:
    """Where the animations of a sheet begin and where they end, by their names."""
    found: dict[str, tuple[Declarations, Declarations]] = {}
    if "keyframes" not in css.lower() or depth > _MAX_NESTING:
        return found
    for statement in _statements(css):
        name = _KEYFRAMES.match(statement.prelude)
        if statement.block is None or not statement.prelude.startswith("@"):
            continue
        if name is None:
            found |= frames(statement.block, depth=depth + 1)
            continue
        begins: Declarations = ()
        ends: Declarations = ()
        for step in _statements(statement.block):
            places = set(split(step.prelude.lower(), ","))
            if step.block is not None:
                begins = declarations(step.block) if {"from", "0%"} & places else begins
                ends = declarations(step.block) if {"to", "100%"} & places else ends
        found[name.group(1).strip("\"'").lower()] = begins, ends
    return found


def initial_values(css: str) -> dict[str, str]:
    """What @property says that variables hold where nothing sets them."""
    return {name: unescaped(value).strip().lower()[:_MAX_VALUE] for name, value in _INITIAL.findall(css)}


def shortened(selector: str) -> str:
    """The selector with at most one `~` on its outermost level: it matches the same or more, in bearable time."""
    return " ~ ".join(split(selector, "~")[-2:]) if selector.count("~") > 1 else selector


def imports(css: str) -> list[tuple[str, Answer]]:
    """The addresses of the sheets that this one brings in, and whether the condition beside each holds."""
    found = []
    for address, rest in _IMPORT.findall(css[:20_000]):
        media = re.sub(r"\b(?:layer|supports)\b(?:\([^()]*(?:\([^()]*\))?[^()]*\))?", " ", rest, flags=re.IGNORECASE)
        found.append((unescaped(address), None if "supports" in rest.lower() else media_holds(media)))
    return found


def specificity(selector: str) -> tuple[int, int, int]:
    """Near enough: ids, then classes, attributes and pseudo-classes, then elements."""
    plain = re.sub(r":(?:where)\([^()]*\)", "", re.sub(r"\\.", "x", selector))
    ids = len(re.findall(r"#[\w-]", plain))
    classes = len(re.findall(r"\.[\w-]|\[|:(?!not\(|is\(|has\()[\w-]", plain))
    elements = len(re.findall(r"(?:^|[\s>+~(,])[a-zA-Z]", plain))
    return ids, classes, elements
