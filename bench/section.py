"""What a part has found: sentences, tables and verdicts."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Verdict:
    """One measured figure beside what it has to keep to."""

    what: str
    value: float
    most: float
    unit: str = ""

    @property
    def is_kept(self) -> bool:
        """At most what is allowed."""
        return self.value <= self.most


@dataclass
class Table:
    """Rows under a header, and the sentence above it."""

    about: str
    header: list[str]
    rows: list[list[str]]


@dataclass
class Section:
    """A part of the page. `method` says how it was measured, `notes` what to know of the figures."""

    title: str
    method: str
    tables: list[Table] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """For the process that writes the page."""
        return asdict(self)


def read(value: dict[str, Any]) -> Section:
    """The section that `as_json` gave."""
    tables, verdicts = (
        [kind(**item) for item in value[name]] for name, kind in (("tables", Table), ("verdicts", Verdict))
    )
    return Section(**{**value, "tables": tables, "verdicts": verdicts})
