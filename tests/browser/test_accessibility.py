"""Every page and state: nothing that axe finds, nothing to scroll sideways at 320 px, in light and in dark."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, answered, ask

PHONE = {"width": 320, "height": 640}
DESK = {"width": 1280, "height": 800}
LOOKS = {
    "light": {"color_scheme": "light", "viewport": DESK},
    "dark": {"color_scheme": "dark", "viewport": DESK},
    "phone": {"color_scheme": "light", "viewport": PHONE},
    "dark-phone": {"color_scheme": "dark", "viewport": PHONE},
}
SMALLEST = 20  # CSS pixels a side; what is smaller than 24 has that much room around it
CONTROLS = "button, input:not([type=hidden]), textarea, select, summary, a.button"
TOO_SMALL = f"""least => [...document.querySelectorAll("{CONTROLS}")]
  .filter(node => node.checkVisibility() && node.getClientRects().length)
  .map(node => [node.outerHTML.slice(0, 120), node.getBoundingClientRect()])
  .filter(([name, box]) => Math.min(box.width, box.height) < least)
  .map(([name]) => name)"""


@pytest.fixture(params=LOOKS.values(), ids=LOOKS.keys())
def look(request: pytest.FixtureRequest) -> dict[str, Any]:
    return request.param


def assert_sound(page: Page) -> None:
    """No finding of axe, no way to scroll sideways."""
    found = Axe().run(page)
    assert found.violations_count == 0, f"{page.url}\n{found.generate_report()}"
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, page.url


def assert_large_enough(page: Page) -> None:
    """Every control is large enough for a finger; links within a text are not meant."""
    small = page.evaluate(TOO_SMALL, SMALLEST)
    assert small == []


def assert_sound_in_every_look(page: Page) -> None:
    """The page as it stands, in light and dark, wide and narrow."""
    for look in LOOKS.values():
        page.emulate_media(color_scheme=look["color_scheme"])
        page.set_viewport_size(look["viewport"])
        assert_sound(page)
        assert_large_enough(page)


def test_the_pages_before_the_sign_in(visit: Visit, look: dict) -> None:
    page = visit(None, path="/accounts/login/", **look)
    assert_sound(page)
    assert_large_enough(page)
    page.get_by_label("User name or e-mail address").fill("anna")
    page.get_by_label("Password", exact=True).fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert_sound(page)
    for path in ("/accounts/password/reset/", "/nowhere/"):
        page.goto(path)
        assert_sound(page)


def test_the_chat_and_the_document_in_their_states(visit: Visit, look: dict) -> None:
    page = visit("anna", **look)
    assert_sound(page)
    assert_large_enough(page)
    ask(page, "Where is my order DZ-10423?")
    page.wait_for_url("**/agent/runs/**")
    expect(page.locator(".live .said")).not_to_be_empty()
    assert_sound(page)
    answered(page)
    ask(page, "I want a refund of 1.00 for order DZ-10414")
    link = page.get_by_role("link", name="Review and confirm").last
    expect(link).to_be_visible()
    answered(page)
    assert_sound(page)
    link.click()
    assert_sound(page)
    assert_large_enough(page)
    page.get_by_role("button", name="Don't refund").click()
    expect(page.get_by_text("You declined this")).to_be_visible()
    assert_sound(page)


@pytest.mark.parametrize(
    "path",
    [
        "/agent/history/",
        "/accounts/email/",
        "/accounts/password/change/",
        "/accounts/2fa/",
        "/accounts/logout/",
        "/staff/runs/",
    ],
)
def test_the_pages_of_an_account(visit: Visit, look: dict, path: str) -> None:
    assert_sound(visit("clara", path=path, **look))


def test_the_review(visit: Visit, look: dict) -> None:
    customer = visit("elif", **look)
    ask(customer, "Show me my orders")
    customer.wait_for_url("**/agent/runs/**")
    answered(customer)
    page = visit("reviewer", path="/staff/runs/", **look)
    assert_sound(page)
    page.goto("/staff/runs/?state=failed&customer=nobody")
    assert_sound(page)
    page.goto("/staff/runs/")
    page.locator("tbody a").first.click()
    expect(page.get_by_role("heading", name="Turns and calls")).to_be_visible()
    assert_sound(page)


def test_every_piece_in_every_state(visit: Visit, look: dict) -> None:
    page = visit("reviewer", path="/staff/style/", **look)
    assert_sound(page)
    assert_large_enough(page)


@pytest.mark.parametrize("locale", ["de-DE", "en-GB"])
def test_other_languages_and_the_other_direction(visit: Visit, locale: str) -> None:
    page = visit(None, path="/accounts/login/", locale=locale, viewport=PHONE)
    assert page.locator("html").get_attribute("lang") == locale[:2]
    assert_sound(page)
    page.evaluate("document.documentElement.dir = 'rtl'")
    assert_sound(page)


def test_nothing_moves_where_less_motion_is_asked(visit: Visit) -> None:
    page = visit("clara")
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--quick').trim()") == "0ms"


def test_forced_colours_keep_the_buttons(visit: Visit) -> None:
    page = visit("clara", forced_colors="active")
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('[data-send]')).borderStyle") == "solid"
