"""docs/benchmarks.md: what was measured, on what machine, when and how. A part that runs alone replaces its section."""

import os
import platform
import re
import sqlite3
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from bench.place import ROOT
from bench.section import Section, Table

PAGE = ROOT / "docs" / "benchmarks.md"
QUIET = 1.5  # load of the machine; above it, figures are not to be kept
HEAD = """# Benchmarks

Written by `make bench`; one part alone is `make bench PART=steps` (or `runs`, `streams`, `cost`). Read the ratios, not
the milliseconds: both cores also carry the model server, the databases and the clients. All traffic stays on this
machine, and everything that is started is ended with the part. Where a part found the machine busy, it says so.

"""


def machine() -> str:
    """The machine and what runs on it."""
    about = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    name = re.search(r"^model name\s*: (.+)$", about, re.MULTILINE)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ", ".join(f"{package} {version(package)}" for package in ("django", "celery", "anthropic", "uvicorn"))
    return (
        f"{name[1] if name else platform.processor() or platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB; "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {packages}"
    )


def drawn(section: Section, *, load: float) -> str:
    """A section as Markdown."""
    when = f"{datetime.now(UTC):%d %B %Y, %H:%M} UTC. {machine()}. Load before: {load:.1f}."
    if load > QUIET:
        when += " **The machine was busy: take these figures again on a quiet one.**"
    verdicts = [
        f"- {each.what}: **{each.value:.2f}{f' {each.unit}' if each.unit else ''}**, at most {each.most:.2f}: "
        f"{'kept' if each.is_kept else 'NOT KEPT'}"
        for each in section.verdicts
    ]
    parts = ["\n".join(verdicts), *(_table(table) for table in section.tables), *section.notes, section.method, when]
    return f"## {section.title}\n\n" + "\n\n".join(part for part in parts if part) + "\n"


def skipped(part: str, *, why: str) -> str:
    """The section of a part that this machine cannot measure."""
    return f"## {part}\n\nNot measured: {why}.\n"


def write(part: str, text: str, *, order: list[str]) -> None:
    """Put the section in its place; the others stay as they are."""
    sections = _sections(PAGE.read_text(encoding="utf-8") if PAGE.exists() else "")
    sections[part] = text
    body = [f"<!-- {name} -->\n{sections[name].strip()}\n" for name in order if name in sections]
    PAGE.write_text(HEAD + "\n".join(body), encoding="utf-8")


def _sections(text: str) -> dict[str, str]:
    pieces = re.split(r"^<!-- (\w+) -->$", text, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def _table(table: Table) -> str:
    lines = [table.header, ["---"] * len(table.header), *table.rows]
    rows = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{table.about}\n\n{rows}" if table.about else rows
