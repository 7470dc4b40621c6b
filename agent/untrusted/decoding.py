"""From bytes to text as a browser does it, and small enough to be parsed."""

import re

import webencodings

# Ample for 8,000 characters of text; more is only there to keep a parser busy.
MAX_BYTES = 512 * 1024
# A page is looked at this far to find out whether it shrinks to the size above.
_MAX_LOOK = 8 * MAX_BYTES
_MAX_RUN = 16 * 1024
_MAX_TAGS = 25_000
_MAX_DEPTH = 1_500
_MAX_ATTRIBUTES = 1_000

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"'/>;]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[\s/][^>]*?charset\s*=\s*[\"']?\s*([^\s\"'/>;]+)", re.IGNORECASE)
# Sheets stay whole: what they hide is wanted. Elsewhere nobody is shown more of one run than _MAX_RUN.
_LONG_RUN = re.compile(
    rf"(<style\b(?:(?!</style).)*+(?:</style)?)|(<[^<>]*+>)([^<]{{{_MAX_RUN}}})[^<]++", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
_ATTRIBUTES = re.compile(r"<[a-zA-Z][^\s/>]*+((?:=\s*+(?:\"[^\"]*+\"|'[^']*+')|[^>])*+)(?:>|\Z)")
_ATTRIBUTE = re.compile(r"[\s/\"'][^\s/\"'=<>]")
# Elements that hold nothing, and those that the next one of their kind closes.
_NOT_NESTED = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
    "p", "li", "dt", "dd", "tr", "td", "th", "tbody", "thead", "tfoot", "option", "optgroup", "rb", "rt", "rp",
    "colgroup",
}  # fmt: skip


def _declared(raw: bytes, content_type: str | None) -> webencodings.Encoding | None:
    """The header's word before the page's own. Only names that browsers know: no utf-7, idna or unicode_escape."""
    header = _CHARSET.search(content_type or "")
    named = header and webencodings.lookup(header.group(1))
    if named:
        return named
    meta = _META.search(raw[:4096])
    found = meta and webencodings.lookup(meta.group(1).decode("latin-1"))
    if found and found.name.startswith("utf-16"):
        return webencodings.UTF8  # a page whose meta element could be read as bytes is not in UTF-16
    return found or None


def decode(raw: bytes, content_type: str | None) -> str:
    """Never raises: a byte order mark wins, then the header, the page, UTF-8; bytes that do not fit become U+FFFD."""
    encoding = _declared(raw, content_type) or webencodings.UTF8
    return webencodings.decode(raw[:_MAX_LOOK], encoding, errors="replace")[0]


def _shortened(match: re.Match[str]) -> str:
    return match.group(1) or match.group(2) + match.group(3)


def _before_excess(page: str) -> str:
    """The page up to where it nests or repeats as no page does: the parser's time grows with the square of both."""
    depth = 0
    for count, match in enumerate(_TAG.finditer(page)):
        if match.group(2).lower() not in _NOT_NESTED:
            depth = max(0, depth - 1) if match.group(1) else depth + 1
        if count >= _MAX_TAGS or depth > _MAX_DEPTH:
            return page[: match.start()]
    return page


def _before_crowded_tag(page: str) -> str:
    for match in _ATTRIBUTES.finditer(page):
        if len(match.group(1)) > _MAX_ATTRIBUTES and len(_ATTRIBUTE.findall(match.group(1))) > _MAX_ATTRIBUTES:
            return page[: match.start()]
    return page


def capped(page: str) -> str:
    """At most MAX_BYTES of a page, in no shape that keeps a parser busy."""
    page = page[:_MAX_LOOK]
    if len(page) > MAX_BYTES:
        page = _LONG_RUN.sub(_shortened, page)
    while len(page) * 4 > MAX_BYTES and len(page.encode("utf-8", "replace")) > MAX_BYTES:
        page = page.encode("utf-8", "replace")[:MAX_BYTES].decode("utf-8", "ignore")
    return _before_crowded_tag(_before_excess(page))
