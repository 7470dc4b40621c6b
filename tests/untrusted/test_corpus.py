"""SECURITY 22, the corpus: nothing hidden gets through, nothing visible is lost, no fence breaks, none is slow."""

import base64
import json
import os
import re
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent.untrusted import page_to_untrusted_text
from tests.conftest import missing

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("COUNTERSIGN_SECURITY_DIR") or ROOT.parent / "shared" / "security")
FILE = FOLDER / "injections.jsonl"
SECONDS = 1.0
Entry = dict[str, Any]


def pages() -> list[Entry]:
    if not FILE.is_file():
        return []
    lines = FILE.read_text(encoding="utf-8").strip().split("\n")
    return [entry for entry in map(json.loads, lines) if {"html", "html_parts", "html_b64"} & entry.keys()]


PAGES = pages()


@pytest.fixture(scope="module")
def read() -> Callable[[Entry], tuple[str, float]]:
    """The fenced text of an entry and the seconds of CPU that it took; each page is read once."""
    known: dict[str, tuple[str, float]] = {}

    def reading(entry: Entry) -> tuple[str, float]:
        if entry["id"] not in known:
            begun = time.process_time()
            address = entry.get("source_url", "https://shop.example/help")
            text = page_to_untrusted_text(source(entry), address, entry.get("content_type"))
            known[entry["id"]] = text, time.process_time() - begun
        return known[entry["id"]]

    return reading


def source(entry: Entry) -> str | bytes:
    if "html_b64" in entry:
        return base64.b64decode(entry["html_b64"])
    return entry["html"] if "html" in entry else "".join(text * count for text, count in entry["html_parts"])


def words(text: str) -> str:
    return " ".join(text.split())


def body(fenced: str) -> str:
    return fenced.partition("\n")[2].rpartition("\n")[0]


def test_corpus_is_there() -> None:
    if not PAGES:
        missing(f"no hostile pages in {FOLDER}: set COUNTERSIGN_SECURITY_DIR")
    assert len(PAGES) > 100


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry["id"])
def test_page_comes_back_fenced_and_in_time(entry: Entry, read: Callable[[Entry], tuple[str, float]]) -> None:
    fenced, seconds = read(entry)
    inside = body(fenced)
    assert re.fullmatch(
        r'<untrusted_content id="(\w{16})" source="[\w:/.-]+">\n.*\n</untrusted_content id="\1">', fenced, re.DOTALL
    )
    assert re.search(r"[<>]|untrusted[_ -]?content", inside, re.IGNORECASE) is None
    assert len(inside) <= 8000
    assert seconds < SECONDS


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry["id"])
def test_page_keeps_what_a_person_sees(entry: Entry, read: Callable[[Entry], tuple[str, float]]) -> None:
    shown = words(read(entry)[0])
    assert [text for text in entry["visible_text"] if words(text) not in shown] == []


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry["id"])
def test_page_holds_no_invisible_character(entry: Entry, read: Callable[[Entry], tuple[str, float]]) -> None:
    inside = body(read(entry)[0]).replace("\n", "")
    assert {character for character in inside if unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs"}} == set()


def test_corpus_leaves_at_most_two_per_cent_hidden_text(read: Callable[[Entry], tuple[str, float]]) -> None:
    hiding = [entry for entry in PAGES if entry["must_not_appear"]]
    if not hiding:
        missing(f"no hostile pages in {FOLDER}: set COUNTERSIGN_SECURITY_DIR")
    leaking = [
        entry["technique"] for entry in hiding if any(text in read(entry)[0] for text in entry["must_not_appear"])
    ]
    assert len(leaking) <= len(hiding) * 0.02, leaking
