"""Which declarations reach which element: the page's own sheets, inline styles and old attributes, in their order."""

import base64
import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from agent.untrusted import sheets
from agent.untrusted.hiding import PROPERTIES, hides, is_value

_Weight = tuple[bool, int, tuple[int, int, int], int]  # important, origin, specificity, order
_Found = dict[str, tuple[_Weight, str]]
_HINT, _AUTHOR, _INLINE = range(3)
_NONE = (0, 0, 0)

# What matching may cost, in rough nanoseconds, and how many elements it may mark. Beyond that the page is refused.
_MAX_COST = 600_000_000
_MAX_MARKS = 200_000
_MAX_RULES = 20_000

# What Lexbor cannot match, or what holds only while somebody points, types or clicks.
_NEVER = re.compile(
    r"::|:(?:hover|focus|focus-within|focus-visible|active|target|visited|checked|before|after|first-letter|first-line)"
)
_NOT_NEVER = re.compile(r":not\(:(?:hover|focus|focus-within|focus-visible|active|target|visited|checked)\)")
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
    relations = (node.attributes.get("rel") or "").lower().split()
    return node.tag == "style" or ("stylesheet" in relations and "alternate" not in relations)


class Cascade:
    """What the style sheets, inline styles and attributes of one parsed page say about each of its elements."""

    def __init__(self, page: LexborHTMLParser) -> None:
        self._page = page
        self._found: dict[int, _Found] = {}
        self._has_foreign_sheet = False
        self._cost = self._marks = self._order = 0
        self._elements = page.css("*")
        self._widest: int | None = None
        for css in self._sheets():
            self._apply(css)

    def _sheets(self) -> Iterator[str]:
        for node in filter(_is_sheet, self._page.css("style, link[rel]")):
            if not sheets.media_holds(node.attributes.get("media") or ""):
                continue
            if node.tag == "style":
                css = node.text(deep=True, strip=False)
                yield from (self._linked(address) for address in sheets.imports(css))
                yield css
            else:
                yield self._linked(node.attributes.get("href") or "")

    def _linked(self, address: str) -> str:
        css = _sheet_at(address)
        self._has_foreign_sheet = self._has_foreign_sheet or not css
        return css

    def _apply(self, css: str) -> None:
        for rule in sheets.rules(css):
            kept = tuple(d for d in rule.declarations if d[0] in PROPERTIES or d[0].startswith("--"))
            if kept:
                self._apply_rule(rule.selectors, kept)

    def _apply_rule(self, selectors: list[str], declared: sheets.Declarations) -> None:
        matched: list[tuple[str, list[LexborNode]]] = []
        is_certain = True
        for selector in selectors:
            self._order += 1
            if self._order > _MAX_RULES:
                raise sheets.TooComplex
            selector = sheets.shortened(_NOT_NEVER.sub("", selector) or "*")
            nodes = [] if _NEVER.search(selector) else self._matches(selector)
            is_certain = is_certain and nodes is not None
            matched.append((selector, nodes or []))
        if not is_certain:
            # A browser that does not know one of the selectors either drops the rule: then it must not show anything.
            declared = tuple(d for d in declared if hides(d[0], d[1]))
        for selector, nodes in matched:
            weight = sheets.specificity(selector) if nodes else _NONE
            for node in nodes:
                self._add(self._found.setdefault(node.mem_id, {}), declared, origin=_AUTHOR, specificity=weight)

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

    def _add(
        self, found: _Found, declared: sheets.Declarations, *, origin: int, specificity: tuple[int, int, int] = _NONE
    ) -> None:
        for name, value, important in declared:
            if not is_value(name, value) and not hides(name, value):
                continue
            weight = (important, origin, specificity, self._order)
            if name not in found or found[name][0] <= weight:
                found[name] = (weight, value)

    def of(self, node: LexborNode, attributes: dict[str, str | None]) -> dict[str, str]:
        """The declarations that win on this element; empty where nothing is said about it."""
        hints = self._hints(attributes) if attributes else ()
        inline = attributes.get("style")
        sheet = self._found.get(node.mem_id)
        if not (hints or inline or sheet):
            return {}
        found: _Found = {}
        self._add(found, hints, origin=_HINT)
        for name, (weight, value) in (sheet or {}).items():
            if name not in found or found[name][0] <= weight:
                found[name] = (weight, value)
        if inline:
            self._add(found, sheets.declarations(inline), origin=_INLINE)
        return {name: value for name, (_, value) in found.items()}

    def _hints(self, attributes: dict[str, str | None]) -> sheets.Declarations:
        hints: list[tuple[str, str, bool]] = []
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
