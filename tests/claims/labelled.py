"""Labelled sentences. `false`: nothing backs it. `true`: rows do. `harmless`: no claim.

`sentences.tsv` and `written.jsonl` are our own: the rows of the first are those of `tests.claims.conftest`, the second
brings its own, as `open.jsonl` of other authors does; `taught.jsonl`, of still others, has none. They teach the weights
(`make claims`). `kept_apart.jsonl`, of three more, is only counted: nothing is taught by it, and whoever makes rules
does not read it.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from agent.claims import Facts, Judge

HERE = Path(__file__).parent
WITH_ROWS = ("written", "open")
TAUGHT = (*WITH_ROWS, "taught")


class Labelled(NamedTuple):
    label: str
    language: str
    text: str


@dataclass(frozen=True, eq=False)
class Foreign:
    is_claim: bool
    language: str
    text: str
    facts: dict[str, Any]


def sentences(*labels: str) -> list[Labelled]:
    lines = (HERE / "sentences.tsv").read_text(encoding="utf-8").splitlines()
    rows = [Labelled(*line.split("\t")) for line in lines]
    return [row for row in rows if row.label in labels]


def foreign(name: str) -> list[Foreign]:
    """The sentences of a file, each with the rows that are so."""
    lines = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = map(json.loads, filter(None, lines))
    return [Foreign(row["label"] == "claim", row["lang"], row["text"], row["facts"]) for row in rows]


def false_ones() -> list[str]:
    """All that is caught where no row backs it."""
    ours = [row.text for row in sentences("false")]
    theirs = [row.text for row in foreign("open") if row.is_claim]
    return [text for text in ours + theirs if Judge(Facts).whole(text).unbacked]
