"""SECURITY 22: the sheet of pages of our own says what a browser shows; a picture of each is the judge."""

import base64
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser

from tests.untrusted.own_pages import HIDDEN, SHOWN

# What is over within them is over; what stands still, waits or never ends is as it is.
FIRST_SECONDS = """() => document.getAnimations()
    .filter(one => one.playState === "running" && one.effect.getComputedTiming().endTime < 5000)
    .forEach(one => one.finish())"""


@pytest.fixture(scope="module")
def picture(chromium: Browser) -> Iterator[Callable[[str], bytes]]:
    """What a page looks like, when its first moment is over."""
    page = chromium.new_page(viewport={"width": 1280, "height": 300})

    def taken(html: str) -> bytes:
        page.goto("data:text/html;charset=utf-8;base64," + base64.b64encode(html.encode()).decode("ascii"))
        page.evaluate(FIRST_SECONDS)
        return page.screenshot()

    yield taken
    page.close()


def test_a_page_of_the_sheet_looks_as_it_says(picture: Callable[[str], bytes]) -> None:
    """A hidden word can be any other word, and nobody sees a difference; a visible one cannot."""
    wrong = []
    for name, page in {**HIDDEN, **SHOWN}.items():
        seen = picture(page)
        if "SECRET" in page and picture(page.replace("SECRET", "QXWVKZ")) != seen:
            wrong.append(f"{name}: what is hidden is seen")
        if "SHOWN" in page and picture(page.replace("SHOWN", "QXWVK")) == seen:
            wrong.append(f"{name}: what is shown is not seen")
    assert wrong == []
