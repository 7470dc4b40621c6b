"""Which declarations reach which element: the page's own sheets, inline styles and old attributes, in their order."""

import base64
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from urllib.parse import unquote_to_bytes

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from agent.untrusted import sheets
from agent.untrusted.conditions import media_holds
from agent.untrusted.hiding import PROPERTIES, hides, is_value

_Rank = tuple[int, ...]  # of a layer: its place and those of the layers around it
_Weight = tuple[bool, int, _Rank, tuple[int, int, int], int]  # important, origin, layer, specificity, order
_Found = dict[str, tuple[_Weight, str]]
_Weighed = list[tuple[str, tuple[_Weight, str]]]
_HINT, _AUTHOR, _INLINE = range(3)
_NONE = (0, 0, 0)
_NO_LAYER: _Rank = (1 << 30,)  # above all layers
_MAX_SHEETS_DEEP = 3

# What matching may cost, in rough nanoseconds, and how many elements it may mark. Beyond that the page is refused.
_MAX_COST = 600_000_000
_MAX_MARKS = 200_000
_MAX_RULES = 20_000

# What Lexbor cannot match, or what holds only while somebody points, types or clicks.
_NEVER = re.compile(
    r"::|:(?:hover|focus|focus-within|focus-visible|active|target|visited|before|after|first-letter|first-line)"
)
_NOT_NEVER = re.compile(r":not\(:(?:hover|focus|focus-within|focus-visible|active|target|visited)\)")
# What holds for all that is shown, or for what nobody here can tell: only what hides is taken from such rules.
_PERHAPS = re.compile(r":(?:defined|(?:lang|dir)\([^()]*\))", re.IGNORECASE)
_OTHERWISE = (
    (re.compile(r":checked\b", re.IGNORECASE), ":is([checked],[selected])"),
    (re.compile(r":(?:-webkit-any|-moz-any|matches)\(", re.IGNORECASE), ":is("),
)
_TIME = re.compile(r"(?<![\w.])(\d++(?:\.\d*+)?|\.\d++)(m?)s\b")
_SOON = 5.0  # seconds: an animation that waits longer is not seen to begin
_COUNTED = re.compile(r":nth-|:only-", re.IGNORECASE)
# A sheet that was not fetched: these names say in every framework what its rules do.
_HIDDEN_BY_NAME = {
    "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader-only", "d-none", "is-hidden",
    "hidden", "hide", "u-hidden", "element-invisible", "offscreen",
}  # fmt: skip


def _from_data(address: str) -> str:
    head, _, body = address.partition(",")
    if not head.lower().startswith("data:text/css"):
        return ""
    raw = unquote_to_bytes(body)
    if ";base64" in head.lower():
        raw = base64.b64decode(raw + b"=" * (-len(raw) % 4), validate=False)
    return raw.decode("utf-8", "replace")


def _sheet_at(address: str) -> str:
    try:
        return _from_data(address.strip())
    except ValueError:  # not base64 after all: a browser would not read it either
        return ""


def _is_sheet(node: LexborNode) -> bool:
    attributes = node.attributes
    relations = (attributes.get("rel") or "").lower().split()
    is_css = (attributes.get("type") or "text/css").strip().lower().partition(";")[0] == "text/css"
    is_on = node.tag == "style" or (
        "stylesheet" in relations and "alternate" not in relations and "disabled" not in attributes
    )
    return is_css and is_on


def _seconds(value: str) -> list[float]:
    return [float(number) / (1000 if unit else 1) for number, unit in _TIME.findall(value)]


def _put(found: _Found, weighed: Iterable[tuple[str, tuple[_Weight, str]]]) -> None:
    """What counts as much as what is there, or more, takes its place."""
    for name, item in weighed:
        if name not in found or found[name][0] <= item[0]:
            found[name] = item


def _known(selector: str) -> str:
    """The selector as Lexbor can match it, or one that matches more."""
    selector = _PERHAPS.sub("", _NOT_NEVER.sub("", selector))
    for spelling, known in _OTHERWISE:
        selector = spelling.sub(known, selector)
    return sheets.shortened(selector.strip() or "*")


class Cascade:
    """What the style sheets, inline styles and attributes of one parsed page say about each of its elements."""

    def __init__(self, page: LexborHTMLParser) -> None:
        self._page = page
        self._found: dict[int, _Found] = {}
        self._has_foreign_sheet = False
        self._cost = self._marks = self._order = 0
        self._elements = page.css("*")
        self._widest: int | None = None
        self._layers: dict[tuple[str, ...], dict[str, int]] = {}
        self._frames: dict[str, tuple[sheets.Declarations, sheets.Declarations]] = {}
        self.initial: dict[str, str] = {}  # values of variables that nothing sets
        for css, is_certain in self._sheets():
            self._frames |= sheets.frames(css)
            self.initial |= sheets.initial_values(css)
            for rule in sheets.rules(css, is_certain=is_certain):
                self._apply_rule(rule)

    def _sheets(self) -> Iterator[tuple[str, bool]]:
        """Each sheet, and whether it is certain that it counts."""
        for node in filter(_is_sheet, self._page.css("style, link[rel]")):
            answer = media_holds(node.attributes.get("media") or "")
            if answer is False:
                continue
            css = (
                node.text(deep=True, strip=False) if node.tag == "style" else self._linked(node.attributes.get("href"))
            )
            yield from self._with_imports(css, is_certain=answer is True)

    def _with_imports(self, css: str, *, is_certain: bool, deep: int = 0) -> Iterator[tuple[str, bool]]:
        for address, answer in sheets.imports(css) if deep < _MAX_SHEETS_DEEP else ():
            if answer is not False:
                known = is_certain and answer is True
                yield from self._with_imports(self._linked(address), is_certain=known, deep=deep + 1)
        yield css, is_certain

    def _linked(self, address: str | None) -> str:
        css = _sheet_at(address or "")
        self._has_foreign_sheet = self._has_foreign_sheet or not css
        return css

    def _rank(self, layer: tuple[str, ...]) -> _Rank:
        """Layers stand in the order in which they are first named; what is in none stands above them."""
        places = []
        for depth, name in enumerate(layer):
            known = self._layers.setdefault(layer[:depth], {})
            places.append(known.setdefault(name, len(known)))
        return (*places, *_NO_LAYER)

    def _apply_rule(self, rule: sheets.Rule) -> None:
        rank = self._rank(rule.layer)
        declared = tuple(d for d in rule.declarations if d[0] in PROPERTIES or d[0].startswith("--"))
        matched: list[tuple[str, list[LexborNode]]] = []
        is_certain = rule.is_certain
        for selector in rule.selectors if declared else ():
            self._order += 1
            if self._order > _MAX_RULES:
                raise sheets.TooComplex
            known = _known(selector)
            nodes = [] if _NEVER.search(known) else self._matches(known)
            is_certain = is_certain and nodes is not None and not _PERHAPS.search(selector)
            matched.append((known, nodes or []))
        if not is_certain:
            # A browser that does not know one of the selectors either drops the rule: then it must not show anything.
            declared = tuple(d for d in declared if hides(d[0], d[1]))
        for selector, nodes in matched:
            if nodes:
                weighed = self._weighed(declared, _AUTHOR, rank=rank, specificity=sheets.specificity(selector))
                for node in nodes:
                    _put(self._found.setdefault(node.mem_id, {}), weighed)

    def _matches(self, selector: str) -> list[LexborNode] | None:
        """The elements; None where this is no selector, or one that the parser does not know."""
        self._cost += len(self._elements) * self._cost_for_one(selector)
        if self._cost > _MAX_COST:
            raise sheets.TooComplex
        try:
            nodes = self._page.css(selector)
        except SelectolaxError:
            return None
        self._marks += len(nodes)
        if self._marks > _MAX_MARKS:
            raise sheets.TooComplex
        return nodes

    def _cost_for_one(self, selector: str) -> int:
        """Rough nanoseconds for one element: `:nth-` counts siblings, `~` tries them, `:has()` looks at all below."""
        counted, tried, below = len(_COUNTED.findall(selector)), selector.count("~"), selector.count(":has(")
        steps = len(re.findall(r"[\s>+~]+", selector))
        cost = 35 + 80 * max(0, steps - 4) + 20 * selector.count("(") + 4 * below * len(self._elements)
        if counted or tried:
            cost += 5 * (counted * self._most_siblings() + (self._most_siblings() ** min(tried, 4) if tried else 0))
        return cost

    def _most_siblings(self) -> int:
        if self._widest is None:
            parents = Counter(node.parent.mem_id for node in self._elements if node.parent)
            self._widest = max(parents.values(), default=0)
        return self._widest

    def _weighed(
        self,
        declared: sheets.Declarations,
        origin: int,
        *,
        rank: _Rank = _NO_LAYER,
        specificity: tuple[int, int, int] = _NONE,
    ) -> _Weighed:
        """What a browser takes of the declarations, each with what it counts."""
        against = tuple(-place for place in rank)  # what is important counts the other way round
        return [
            (name, ((important, origin, against if important else rank, specificity, self._order), value))
            for name, value, important in declared
            if is_value(name, value) or hides(name, value)
        ]

    def of(self, node: LexborNode, attributes: dict[str, str | None]) -> dict[str, str]:
        """The declarations that win on this element; empty where nothing is said about it."""
        hints = self._hints(node, attributes)
        inline = attributes.get("style")
        sheet = self._found.get(node.mem_id)
        if not (hints or inline or sheet):
            return {}
        found: _Found = {}
        _put(found, self._weighed(hints, _HINT))
        _put(found, (sheet or {}).items())
        if inline:
            _put(found, self._weighed(sheets.declarations(inline), _INLINE))
        style = {name: value for name, (_, value) in found.items()}
        return style | self._animated(style) if self._frames else style

    def _animated(self, style: dict[str, str]) -> dict[str, str]:
        """What an animation makes of the element, where it stands still: at its beginning, or where it ended."""
        words = " ".join(style.get(f"animation{part}", "") for part in ("", "-name", "-fill-mode", "-play-state"))
        said = set(words.replace(",", " ").split())
        delay = _seconds(style.get("animation-delay", "")) or _seconds(words)[1:]
        has_begun = not delay or delay[0] < _SOON
        found: dict[str, str] = {}
        for begins, ends in (self._frames[name] for name in said if name in self._frames):
            stays = ends if {"forwards", "both"} & said and has_begun else ()
            if "paused" in said or ({"backwards", "both"} & said and not has_begun):
                stays = begins
            if any(hides(name, value) for name, value, _ in begins) and any(hides(n, v) for n, v, _ in ends):
                stays = ends  # hidden at both ends: what shows for a moment between them is not read
            found |= {name: value for name, value, _ in stays if name in PROPERTIES}
        return found

    def _hints(self, node: LexborNode, attributes: dict[str, str | None]) -> sheets.Declarations:
        hints: list[tuple[str, str, bool]] = []
        if node.tag == "dialog" and "open" not in attributes:
            hints.append(("display", "none", False))
        if not attributes:
            return tuple(hints)
        if "href" in attributes:
            hints.append(("color", "#0000ee", False))
        for attribute, name in (("bgcolor", "background-color"), ("text", "color"), ("color", "color")):
            value = attributes.get(attribute)
            if value:
                hints.append((name, value.strip().lower(), False))
        names = (attributes.get("class") or "").lower().split() if self._has_foreign_sheet else []
        if "hidden" in attributes or "popover" in attributes or any(name in _HIDDEN_BY_NAME for name in names):
            hints.append(("display", "none", False))
        return tuple(hints)
