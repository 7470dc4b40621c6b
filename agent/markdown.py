"""The model's Markdown as HTML that can do nothing but be read.

Two walls: the parser knows no HTML and no images and makes links of three schemes only; what it writes then passes
an allow-list without images, styles and frames. Showing an answer never asks another host for anything.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import nh3
from django.conf import settings
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

TAGS = {"p", "br", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "hr", "a", "bdi", "span"} | {
    "h3", "h4", "table", "thead", "tbody", "tr", "th", "td"
}  # fmt: skip
ATTRIBUTES = {"*": {"dir"}, "a": {"href"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}
LONGEST = 20_000  # characters; an answer is far shorter
NUMBER = re.compile(r"\b[A-Za-z]{1,6}-[0-9]+\b")  # such as DZ-10423: not to be torn in two at its hyphen


def render(text: str) -> SafeString:
    """Safe HTML of an answer. Foreign links show where they lead; every block finds its own direction."""
    tokens = _parser.parse(text[:LONGEST])
    for token in tokens:
        _settle(token)
    html = _parser.renderer.render(tokens, _parser.options, {})
    cleaned = nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        allowed_classes={"span": {"host", "whole"}},
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(cleaned)  # noqa: S308 - cleaned on the line above


def link_allowed(url: str) -> bool:
    """Whether a link may be made: http, https, mailto, or a path of this site."""
    if "\\" in url or any(character <= " " for character in url):
        return False
    if url.startswith("/"):
        return not url.startswith("//")
    return urlsplit(url).scheme.lower() in SCHEMES


def foreign_host(url: str) -> str:
    """The host that a link leads to, empty where that is this site or an address for mail."""
    host = urlsplit(url).hostname or ""
    own = urlsplit(getattr(settings, "PUBLIC_URL", "") or "").hostname or ""
    return "" if host == own else host


def foreign_address(url: str) -> str:
    """The whole of a foreign link, as its reader sees it; empty where it stays on this site.

    What a model was talked into hanging onto an address (`?d=...`) is then in plain sight before anybody follows it.
    """
    if urlsplit(url).scheme.lower() == "mailto":
        return url.partition(":")[2]
    return re.sub(r"^https?://|/$", "", url, flags=re.IGNORECASE) if foreign_host(url) else ""


def _settle(token: Token) -> None:
    """Headings shrink below the page's own, blocks get a direction, foreign links their address."""
    if token.type in ("heading_open", "heading_close"):
        token.tag = "h3" if token.tag in ("h1", "h2", "h3") else "h4"
    if token.nesting == 1 and token.block:
        token.attrSet("dir", "auto")
    if token.children:
        token.children = list(_with_addresses(token.children))


def _with_addresses(children: list[Token]) -> Iterator[Token]:
    address, said = "", ""
    for child in children:
        yield from _whole(child) if child.type == "text" else [child]
        said += child.content
        if child.type == "link_open":
            address, said = foreign_address(str(child.attrGet("href") or "")), ""
        if child.type == "link_close" and address and foreign_address(said.strip()) != address != said.strip():
            yield Token("html_inline", "", 0, content=f' <span class="host">({escape(address)})</span>')


def _whole(text: Token) -> Iterator[Token]:
    """The text with its numbers kept on one line."""
    end = 0
    for found in NUMBER.finditer(text.content):
        yield Token("text", "", 0, content=text.content[end : found.start()])
        yield Token("html_inline", "", 0, content=f'<span class="whole">{escape(found.group())}</span>')
        end = found.end()
    yield Token("text", "", 0, content=text.content[end:])


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.disable(["image", "html_block", "html_inline"])
    parser.validateLink = link_allowed  # type: ignore[method-assign]
    return parser


_parser = _make_parser()
