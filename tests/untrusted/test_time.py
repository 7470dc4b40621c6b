"""Pages that are made to keep a parser busy. The times are CPU seconds: another process does not count."""

import time

import pytest

from agent.untrusted import page_to_untrusted_text

SECONDS = 2.0  # a page of the corpus takes at most one; these are worse
SIZE = 512 * 1024

REPEATED = (
    "<div>",
    "<ul><li>",
    "<b>x<div>",
    "<a><p>",
    "<i>a</i>",
    "<i></i>",
    "<!-- ",
    '<a href="',
    "</p>",
    "<p>a",
    "<table><tr><td>",
    "<div><!--</div>-->",
    '<i style="color:red">a</i>',
    "&amp;",
    "&#9999999999;",
    "\u200b",
    "</untrusted_content>",
    "<style>a{}</style>",
    "<meta ",
    "<details>",
)

CRAFTED = {
    "sheets without an end": "<style " * 600_000,
    "one tag with 90,000 attributes": "<a " + " ".join(f"a{n}" for n in range(90_000)) + ">x",
    "paragraphs in deep spans": "<span>" * 1_400 + "<p>" * 150_000,
    "counting siblings": "<style>" + "i:nth-child(3){color:red}" * 50 + "</style>" + "<i>a</i>" * 20_000,
    "siblings of siblings": "<style>" + (".q~" + "i~" * 40 + "i{color:red}") * 50 + "</style>" + "<i>x</i>" * 20_000,
    "looking below": "<style>" + "i:has(~ b){color:red}" * 50 + "</style>" + "<i>a</i>" * 20_000,
    "everything, again and again": "<style>" + "*{color:red}" * 500 + "</style>" + "<i></i>" * 20_000,
    "20,000 rules": "<style>" + ".a{color:red}" * 20_000 + "</style>" + "<i>a</i>" * 20_000,
    "long descents": "<style>" + ("i " * 40 + ".q i{color:red}") * 300 + "</style>" + "<i>" * 1_400 + "x",
    "rules in rules": "<style>" + "a,b,c,d{" * 100 + "color:red</style>x",
    "growing selectors": "<style>" + "&&&&&&&&&&{" * 100 + "color:red</style>x",
    "braces": "<style>" + "{" * 400_000,
    "quotes": "<style>" + '"a' * 200_000,
    "comments": "<style>" + "/*" * 200_000,
    "doubling variables": '<p style="'
    + "".join(f"--a{n}:var(--a{n + 1})var(--a{n + 1});" for n in range(5_000))
    + '">x',
    "a long number": '<p style="position:absolute;left:' + "9" * 300_000 + 'px">x',
    "details without a summary": "<details>" + "<p>a" * 20_000,
    "many long numbers": "".join(f"<i style='scale:{'1' * 480}x{n}'>x" for n in range(1_000)),
    "a layer in a layer in a layer": "<style>@layer " + "a." * 20_000 + "a{i{color:red}}</style><i>x",
    "5,000 digits": "&#" + "9" * 5_000 + ";",
}


@pytest.mark.parametrize("piece", REPEATED)
def test_repeated_piece_is_read_in_time(piece: str) -> None:
    assert seconds(piece * (SIZE // len(piece))) < SECONDS


@pytest.mark.parametrize("page", CRAFTED.values(), ids=CRAFTED)
def test_crafted_page_is_read_in_time(page: str) -> None:
    assert seconds(page) < SECONDS


def test_page_too_complex_to_judge_is_not_shown() -> None:
    page = "<style>" + "*{color:red}" * 500 + "</style><p>SECRET" + "<i></i>" * 20_000
    fenced = page_to_untrusted_text(page, "https://shop.example/")
    assert "SECRET" not in fenced
    assert "[This page cannot be read safely: its style sheets are too complex.]" in fenced


@pytest.mark.parametrize("turn", ["transform:rotateX(1e999deg)", "transform:skew(1e999turn)", "rotate:x 1e999rad"])
def test_angle_without_an_end_is_an_angle(turn: str) -> None:
    assert "Returns are free" in page_to_untrusted_text(f"<p style='{turn}'>Returns are free", "https://shop.example/")


def seconds(page: str) -> float:
    begun = time.process_time()
    page_to_untrusted_text(page, "https://shop.example/")
    return time.process_time() - begun
