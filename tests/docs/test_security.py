"""docs/security.md: each threat has its row, and what a row names is there and carries the threat's number."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
THREATS = range(1, 58)


class Row(NamedTuple):
    number: int
    file: str
    test: str


def _rows(heading: str) -> list[list[str]]:
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if "|" in line]


def _named(cells: list[str]) -> tuple[str, str]:
    return cells[-2].strip("`"), cells[-1].strip("`")


ROWS = [Row(int(cells[0]), *_named(cells)) for cells in _rows("Each threat") if cells[0].isdigit()]
OF_AGENCY = [_named(cells) for cells in _rows("Excessive agency") if "::" in cells[-1]]


def _found(test: str) -> tuple[list[str], list[str]]:
    """The names and the docstrings of a test, from its module inwards. Raises StopIteration where it is not there."""
    path, *names = test.split("::")
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    node = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    said = [ast.get_docstring(node) or ""]
    for name in names:
        kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        node = next(each for each in node.body if isinstance(each, kinds) and each.name == name)
        said.append(ast.get_docstring(node) or "")
    return names, said


def _numbers(test: str) -> set[int]:
    """The threats that a test says it holds: `SECURITY 1, 2 and 3`, `Threat 45`, `TestHeaders52`, `test_48_...`."""
    names, said = _found(test)
    lists = [
        found for text in said for found in re.findall(r"(?:SECURITY|Threat) ([0-9]+(?:(?:, | and )[0-9]+)*)", text)
    ]
    return {int(number) for text in [*lists, *names] for number in re.findall(r"[0-9]+", text)}


def _missing(rows: list[tuple[str, str]]) -> Iterator[str]:
    for file, test in rows:
        if not (ROOT / file).is_file():
            yield file
        try:
            _found(test)
        except (StopIteration, OSError):
            yield test


def test_each_threat_has_one_row() -> None:
    assert [row.number for row in ROWS] == list(THREATS)


def test_each_file_and_test_of_a_row_is_there() -> None:
    assert list(_missing([(row.file, row.test) for row in ROWS] + OF_AGENCY)) == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.number))
def test_test_carries_the_number_of_its_threat(row: Row) -> None:
    assert row.number in _numbers(row.test)


def test_causes_and_measures_of_excessive_agency_are_all_there() -> None:
    named = [cells[0] for cells in _rows("Excessive agency")]
    assert {"excessive functionality", "excessive permissions", "excessive autonomy", "complete mediation"} <= set(
        named
    )
    assert len(OF_AGENCY) == 13


@pytest.mark.parametrize("words", ["Who is trusted", "Who is not", "Not defended", "Report a vulnerability"])
def test_page_says_what_it_has_to(words: str) -> None:
    assert f"\n## {words}\n" in PAGE
    assert re.search(r"Last review: 20[0-9]{2}-[01][0-9]-[0-3][0-9]\.", PAGE)


@pytest.mark.parametrize("page", ["README.md", "docs/architecture.md"])
def test_page_is_linked(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert re.search(r"\]\((?:docs/)?security\.md\)", text)


def test_numbers_of_every_test_are_those_of_threats() -> None:
    """A number beyond the list would be a claim that nobody can look up."""
    claims = {
        int(number)
        for path in Path(ROOT / "tests").rglob("test_*.py")
        for found in re.findall(r"SECURITY ([0-9]+(?:(?:, | and )[0-9]+)*)", path.read_text(encoding="utf-8"))
        for number in re.findall(r"[0-9]+", found)
    }
    assert claims <= set(THREATS)
