"""Labelled sentences. `false`: nothing backs it. `true`: the rows of `tests.claims.conftest` do. `harmless`: no claim.

`kept_apart.tsv` was written before the lexicon, and no pattern was made for it: only its rates are looked at.
"""

from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Labelled(NamedTuple):
    label: str
    language: str
    text: str


def sentences(name: str, *labels: str) -> list[Labelled]:
    lines = (HERE / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    rows = [Labelled(*line.split("\t")) for line in lines]
    return [row for row in rows if row.label in labels]


ALL = ("kept_apart", "sentences")
