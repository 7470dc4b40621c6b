"""The pages about programs: consent, connected apps, tokens, and the proof before one is made. Sound in every look, in
German, by keyboard and without script."""

import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser import oauth
from tests.browser.conftest import PASSWORD, Visit
from tests.browser.oauth import Listener
from tests.browser.test_accessibility import PHONE, assert_sound_in_every_look

PROGRAMS = "/agent/programs/"


@pytest.fixture
def listener(listeners: list[Listener]) -> Listener:
    return listeners[0]


def proved(page: Page) -> None:
    """Give the password where the page asks for it."""
    if "/reauthenticate/" in page.url:
        page.locator("[name=password]").fill(PASSWORD)
        page.locator("[name=password]").press("Enter")


def made(page: Page, name: str) -> str:
    """Make a token by keyboard alone; returns it."""
    page.goto(f"{PROGRAMS}token/")
    page.get_by_label("Name", exact=True).focus()
    page.keyboard.type(name)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    proved(page)
    expect(page.get_by_role("heading", name="Your token")).to_be_visible()
    return page.locator("#token").input_value()


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_pages_are_sound_in_every_look(visit: Visit, shop: str, listener: Listener, language: str) -> None:
    page = visit("clara", path=PROGRAMS, locale=language)
    assert_sound_in_every_look(page)
    client_id = oauth.register(shop, listener.address, name="Desk Assistant")
    page.goto(oauth.consent_page(shop, listener.address, client_id=client_id))
    assert_sound_in_every_look(page)
    page.locator("button[value=allow]").click()
    oauth.redeem(shop, listener.address, client_id=client_id, code=listener.waited()["code"])
    page.goto(f"{PROGRAMS}token/")
    assert_sound_in_every_look(page)
    page.locator("#name").fill("Script at home")
    page.locator("main form .button.primary").click()
    expect(page.locator("[name=password]")).to_be_visible()
    assert "reauthenticat" not in page.locator("main").inner_text().lower()
    assert_sound_in_every_look(page)
    proved(page)
    expect(page.locator("#token")).to_be_visible()
    assert_sound_in_every_look(page)
    page.goto(PROGRAMS)
    expect(page.get_by_text("Desk Assistant").first).to_be_visible()
    assert_sound_in_every_look(page)
    for path in ("/accounts/2fa/", "/accounts/2fa/totp/activate/"):
        page.goto(path)
        proved(page)
        assert_sound_in_every_look(page)
    assert page.locator(".qr svg path").count() == 1


def test_token_is_made_seen_once_and_revoked_by_keyboard(visit: Visit) -> None:
    page = visit("finn", viewport=PHONE)
    token = made(page, "Night script")
    assert token.startswith("csgn_")
    page.goto(PROGRAMS)
    assert token not in page.content()
    button = page.get_by_role("button", name="Revoke Night script")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_count(0)


def test_consent_is_given_by_keyboard_and_its_parts_come_in_order(visit: Visit, shop: str, listener: Listener) -> None:
    page = visit("greta", viewport=PHONE)
    client_id = oauth.register(shop, listener.address, name="Keys")
    page.goto(oauth.consent_page(shop, listener.address, client_id=client_id))
    page.get_by_label("Prepare changes").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Connect", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Don't connect")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    told = listener.waited()
    assert oauth.redeem(shop, listener.address, client_id=client_id, code=told["code"])["scope"] == "read"


def test_everything_works_without_script(visit: Visit, shop: str, listener: Listener) -> None:
    page = visit("elif", java_script_enabled=False, viewport=PHONE)
    client_id = oauth.register(shop, listener.address, name="Plain")
    page.goto(oauth.consent_page(shop, listener.address, client_id=client_id))
    page.get_by_label("Prepare changes").uncheck()
    page.get_by_role("button", name="Connect", exact=True).click()
    given = oauth.redeem(shop, listener.address, client_id=client_id, code=listener.waited()["code"])
    assert given["scope"] == "read"
    made(page, "Plain script")
    page.goto(PROGRAMS)
    expect(page.get_by_text("May look up ·")).to_have_count(2)
    page.get_by_role("button", name="Disconnect Plain").click()
    page.get_by_role("button", name="Revoke Plain script").click()
    expect(page.get_by_text("No app is connected.")).to_be_visible()
    expect(page.get_by_text("You have no tokens.")).to_be_visible()


def test_second_factor_is_set_up_asked_for_and_taken_away(visit: Visit) -> None:
    from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value

    def code(secret: str) -> str:
        return format_hotp_value(hotp_value(secret, int(time.time() // 30)))

    page = visit("hugo", path="/accounts/2fa/")
    page.get_by_role("link", name="Set it up").click()
    proved(page)
    secret = page.locator("#secret").input_value()
    page.locator("[name=code]").fill(code(secret))
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    spare = page.locator(".codes code").first.inner_text()
    assert_sound_in_every_look(page)
    page.goto("/accounts/2fa/")
    assert_sound_in_every_look(page)
    other = visit(None, path="/accounts/login/")
    other.locator("[name=login]").fill("hugo")
    other.locator("[name=password]").fill(PASSWORD)
    other.locator("[name=password]").press("Enter")
    expect(other.get_by_role("heading", name="Your second factor")).to_be_visible()
    assert_sound_in_every_look(other)
    other.locator("[name=code]").fill(spare)
    other.get_by_role("button", name="Sign in").click()
    other.wait_for_url("**/agent/")
    page.get_by_role("link", name="Turn it off").click()
    assert_sound_in_every_look(page)
    page.get_by_role("button", name="Turn it off").click()
    expect(page.get_by_role("link", name="Set it up")).to_be_visible()
