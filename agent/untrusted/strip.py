"""From a hostile page to the text that a person would see on it.

Lexbor builds the tree as browsers do and answers the selectors; a tree builder hands Beautiful Soup only what can be
seen, and Beautiful Soup's tree is walked for the words. docs/decisions/0004-hostile-html.md says why two.
"""

import re
from collections.abc import Iterator
from typing import Any

from bs4 import BeautifulSoup
from bs4.builder import TreeBuilder
from bs4.element import NavigableString, Tag
from selectolax.lexbor import LexborHTMLParser, LexborNode

from agent.untrusted.cascade import Cascade
from agent.untrusted.characters import LIMIT, visible
from agent.untrusted.decoding import capped, decode
from agent.untrusted.fence import fence
from agent.untrusted.hiding import Look, look_of
from agent.untrusted.sheets import TooComplex

TOO_COMPLEX = "[This page cannot be read safely: its style sheets are too complex.]"

# Never text of the page: code, other media, what is shown only when something fails, and what a visitor fills in.
_DROPPED = frozenset({
    "script", "style", "template", "noscript", "iframe", "noframes", "noembed", "object", "embed", "audio", "video",
    "canvas", "svg", "head", "title", "annotation", "annotation-xml", "datalist", "select", "textarea", "rp",
    "frameset", "progress", "meter", "mphantom",
})  # fmt: skip
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hgroup", "html", "legend", "li", "listing", "main", "menu", "nav", "ol", "option", "p", "plaintext", "pre",
    "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "xmp",
})  # fmt: skip
_PREFORMATTED = frozenset({"pre", "listing", "plaintext", "xmp"})
_BREAKS = frozenset({"br", "hr"})
_FIRST_ALONE = frozenset({"semantics", "maction"})  # of mathematics: the others say the same in another way
# Letters that are copied before the walk stops: more than are shown, as undone entities take less room.
_ENOUGH = LIMIT + 1000


def _is_shut(node: LexborNode, attributes: dict[str, str | None]) -> bool:
    """Closed by what the element is: no style sheet is asked."""
    if node.tag in _DROPPED or (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    parent = node.parent
    if parent is not None and parent.tag in _FIRST_ALONE:
        return _follows(node, None)
    if parent is None or parent.tag != "details" or "open" in parent.attributes:
        return False
    return node.tag != "summary" or _follows(node, node.tag)


def _follows(node: LexborNode, tag: str | None) -> bool:
    """Whether an element of that name, or any at all, stands before it in the same one."""
    earlier = node.prev
    while earlier is not None and not (earlier.is_element_node and tag in (None, earlier.tag)):
        earlier = earlier.prev
    return earlier is not None


def _is_closed_text(node: LexborNode) -> bool:
    """Text directly inside closed details."""
    parent = node.parent
    if parent is None or not parent.is_element_node:
        return False
    return parent.tag == "details" and "open" not in parent.attributes


def _places(node: LexborNode) -> set[str] | None:
    """The names of the places that a shadow root has for what stands in its host; None where there is no such root.

    A root that may hide its places is taken for one that has none.
    """
    child = node.first_child
    while child is not None:
        if child.tag == "template" and (child.attributes.get("shadowrootmode") or "").lower() in ("open", "closed"):
            inside = (child.html or "").partition(">")[2]
            if re.search(r"<style|<link|\bstyle\s*=|\bhidden\b|<details|<dialog|<template", inside, re.IGNORECASE):
                return set()
            slots = LexborHTMLParser(inside).css("slot")
            return {(slot.attributes.get("name") or "") for slot in slots}
        child = child.next
    return None


def _has_place(child: LexborNode, places: set[str] | None) -> bool:
    if places is None:
        return True
    return (child.attributes.get("slot") or "" if child.is_element_node else "") in places


class VisibleTreeBuilder(TreeBuilder):
    """Builds Beautiful Soup's tree from what a person would see, and no more of it than can be shown."""

    soup: BeautifulSoup
    NAME = "visible"
    features = (NAME,)
    is_xml = False

    def prepare_markup(self, markup: Any, *_: Any, **__: Any) -> Iterator[tuple[Any, None, None, bool]]:
        yield markup, None, None, False

    def test_fragment_to_document(self, fragment: str) -> str:
        return fragment

    def feed(self, markup: Any) -> None:
        self._known: dict[tuple[Any, ...], tuple[Look, Look | None]] = {}
        page = LexborHTMLParser(markup)
        root = page.root
        if root is not None:
            cascade = Cascade(page)
            self._copy(root, Look(variables=cascade.initial), cascade)

    def _copy(self, root: LexborNode, first: Look, cascade: Cascade) -> None:
        """Iterative, as a page nests deeper than Python recurses. An element is opened only when it holds text."""
        waiting: list[tuple[LexborNode, Look] | None] = [(root, first)]
        closed: list[str] = []  # names of elements entered and not yet opened in the soup
        opened: list[str] = []
        taken = 0
        while waiting and taken < _ENOUGH:
            item = waiting.pop()
            if item is None:
                self._leave(closed, opened)
                continue
            node, look = item
            if node.is_text_node:
                if look.is_readable() and not _is_closed_text(node):
                    taken += self._take(node, closed, opened)
            elif node.tag in _BREAKS:
                self._open(closed, opened)
                self.soup.handle_starttag(node.tag or "", None, None, {})
                self.soup.handle_endtag(node.tag or "")
            elif node.is_element_node:
                inside = self._enter(node, look, cascade)
                if inside is not None:
                    closed.append(node.tag or "")
                    waiting.append(None)
                    waiting.extend(self._children(node, inside))

    def _enter(self, node: LexborNode, look: Look, cascade: Cascade) -> Look | None:
        attributes = node.attributes
        if _is_shut(node, attributes):
            return None
        style = cascade.of(node, attributes)
        return self._looks(style, look) if style else look

    def _looks(self, style: dict[str, str], above: Look) -> Look | None:
        """Worked out once for each combination: a page repeats itself."""
        key = (id(above), *style.items())
        if key not in self._known:
            # `above` is kept, so that its id is not given to another.
            self._known[key] = above, look_of(style, above)
        return self._known[key][1]

    @staticmethod
    def _children(node: LexborNode, look: Look) -> Iterator[tuple[LexborNode, Look]]:
        places = _places(node)
        child = node.last_child
        while child is not None:
            if _has_place(child, places):
                yield child, look
            child = child.prev

    def _take(self, node: LexborNode, closed: list[str], opened: list[str]) -> int:
        text = visible((node.text_content or "")[: 4 * _ENOUGH])
        if text:
            self._open(closed, opened)
            self.soup.handle_data(text)
        return len("".join(text.split()))

    def _open(self, closed: list[str], opened: list[str]) -> None:
        for name in closed:
            self.soup.handle_starttag(name, None, None, {})
        opened.extend(closed)
        closed.clear()

    def _leave(self, closed: list[str], opened: list[str]) -> None:
        if closed:
            closed.pop()
        else:
            self.soup.handle_endtag(opened.pop())


def _gap(before: Tag, after: Tag) -> str:
    """What stands between the words of two blocks."""
    cells = {"td", "th"}
    same_row = before.name in cells and after.name in cells and before.parent is after.parent
    return " | " if same_row else "\n"


def _words(soup: BeautifulSoup) -> str:
    """The text with a line for each block and a bar between cells. No blank comes between parts of a word."""
    blocks: dict[int, Tag] = {id(soup): soup}
    pieces: list[str] = []
    last: Tag = soup
    for element in soup.descendants:
        parent = blocks[id(element.parent)]
        if isinstance(element, Tag):
            blocks[id(element)] = element if element.name in _BLOCKS else parent
            if element.name in _BREAKS:
                pieces.append("\n")
        elif isinstance(element, NavigableString):
            text = str(element) if parent.name in _PREFORMATTED else re.sub(r"\s+", " ", element)
            if parent is not last and text.strip():
                pieces.append(_gap(last, parent))
                last = parent
            pieces.append(text)
    return "".join(pieces)


def visible_text(page: str) -> str:
    """The text that a person would see on the page, as near as can be told without its outside files."""
    try:
        return _words(BeautifulSoup(capped(page), builder=VisibleTreeBuilder()))
    except TooComplex:
        return TOO_COMPLEX


def page_title(page: str) -> str:
    """The title in the page's head, whatever its length; empty where there is none."""
    node = LexborHTMLParser(capped(page)).css_first("head > title")
    return node.text(deep=True, strip=True) if node else ""


def page_to_untrusted_text(html: str | bytes, source_url: str, content_type: str | None = None) -> str:
    """Fence the visible text of a page: at most 8,000 characters, the closing mark alone on the last line.

    Bytes are decoded as a browser does; `content_type` is the header they came with. Never raises for a page's sake.
    """
    page = decode(html, content_type) if isinstance(html, bytes) else html
    return fence(visible_text(page), source_url)
