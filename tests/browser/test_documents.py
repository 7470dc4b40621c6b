"""The confirmation page in every state: sound on a phone and in the dark, one sheet of paper, without script, in two
languages; and nothing that a model wrote can change what it says."""

import re

import pytest
from playwright.sync_api import Page, expect

from agent.models import PendingAction
from tests.browser.conftest import Visit
from tests.browser.documents import SLY
from tests.browser.test_accessibility import DESK, PHONE, assert_sound, assert_sound_in_every_look

STATES = list(PendingAction.State.values)
LANGUAGES = {"en": "en-GB", "de": "de-DE"}
A4 = {"format": "A4", "margin": {"top": "15mm", "bottom": "15mm", "left": "15mm", "right": "15mm"}}


def text_of(page: Page) -> str:
    return page.locator("main").inner_text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_is_sound_and_fits_one_sheet(visit: Visit, documents: dict[str, str], language: str) -> None:
    page = visit("finn", locale=LANGUAGES[language])
    said = set()
    for state in STATES:
        page.goto(documents[state])
        assert page.locator("html").get_attribute("lang") == language
        assert_sound_in_every_look(page)
        said.add(page.locator(".document-head").inner_text())
        assert sheets(page) == 1, state
    assert len(said) == len(STATES)  # each has words of its own


def sheets(page: Page) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(**A4)))


def test_paper_shows_the_document_alone(visit: Visit, documents: dict[str, str]) -> None:
    page = visit("finn", path=documents["executed"])
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Print or save this receipt")).to_be_hidden()
    expect(page.locator("header.site, nav").first).to_be_hidden()
    expect(page.locator(".paper-only")).to_contain_text(documents["executed"])
    expect(page.locator(".reference")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") in (
        "rgb(255, 255, 255)",
        "rgba(0, 0, 0, 0)",
    )


def test_without_script_every_state_is_readable_and_the_open_one_decided(
    visit: Visit, documents: dict[str, str]
) -> None:
    page = visit("finn", java_script_enabled=False, viewport=PHONE)
    for state in STATES:
        page.goto(documents[state])
        expect(page.locator("h1")).not_to_be_empty()
    page.goto(documents["expired"])
    page.get_by_role("button", name="Ask for a fresh page").click()
    page.get_by_role("button", name="Don't refund").click()
    expect(page.get_by_text("You declined this")).to_be_visible()


def test_other_facts_are_shown_side_by_side(visit: Visit, documents: dict[str, str]) -> None:
    page = visit("finn", path=documents["awaiting_staff"], viewport=DESK)
    page.goto(documents["pending"])
    page.evaluate("document.querySelector('[name=digest]').value = 'f'.repeat(64)")
    page.locator("button[value=confirm]").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    assert page.title().startswith("Error: ")
    assert_sound_in_every_look(page)


@pytest.fixture
def sly_page(visit: Visit, documents: dict[str, str]) -> Page:
    return visit("finn", path=documents["sly"], viewport=PHONE)


def test_words_of_a_model_are_text_and_nothing_else(sly_page: Page) -> None:
    assert_sound(sly_page)
    assert sly_page.locator("main b, main script").count() == 0
    said = text_of(sly_page)
    assert "{{ 7*7 }}" in said, said
    assert sly_page.get_by_role("button", name=re.compile("999")).count() == 0
    expect(sly_page.locator("h1")).not_to_contain_text("999")
    assert SLY.split()[0] in said
