"""The pages of documentation, and what stands in them as code."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"^    (.+)$", re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return [code for kind, code in _BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


def code(page: Path) -> list[str]:
    """Every piece that is set as code: spans, lines of shell, indented lines."""
    text = page.read_text(encoding="utf-8")
    prose = _BLOCK.sub("", text)
    shell = [line for block in blocks(page, "sh") for line in block.splitlines()]
    return [*_SPAN.findall(prose), *_INDENTED.findall(prose), *shell]
