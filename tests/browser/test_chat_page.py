"""The chat page under the hands of real customers: typing, scrolling, reloading, going offline."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import SayMore, Visit, answered, ask, ask_and_wait

COMPOSE = """field => {
  field.dispatchEvent(new CompositionEvent("compositionstart"));
  field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", isComposing: true, bubbles: true, cancelable: true}));
  field.dispatchEvent(new CompositionEvent("compositionend"));
  return field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));
}"""

TWICE = """() => {
  const keys = [...document.querySelectorAll("[data-log] .entry[id]")].map(item => item.id);
  return keys.filter((key, place) => keys.indexOf(key) !== place);
}"""


def field_of(page: Page):
    return page.get_by_label("Your message")


def conversation_of(page: Page) -> str:
    return page.locator("[data-chat]").get_attribute("data-conversation") or ""


def decline(page: Page, proposal: str) -> None:
    """In another tab; then the first comes back into view."""
    other = page.context.new_page()
    other.goto(proposal)
    other.get_by_role("button", name="Don't refund").click()
    expect(other.get_by_text("You declined this")).to_be_visible()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def test_enter_never_sends_a_word_that_is_being_composed(visit: Visit) -> None:
    page = visit("ben")
    sent = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    field = field_of(page)
    field.fill("にほんご")
    field.evaluate(COMPOSE)
    expect(field).to_have_value("にほんご")
    assert sent == []


def test_shift_enter_breaks_the_line(visit: Visit) -> None:
    field = field_of(visit("ben"))
    field.fill("one")
    field.press("Shift+Enter")
    field.press_sequentially("two")
    expect(field).to_have_value("one\ntwo")


def test_a_draft_outlives_a_reload_and_goes_with_its_message(visit: Visit) -> None:
    page = visit("ben")
    field_of(page).fill("Show me my orders")
    page.reload()
    expect(field_of(page)).to_have_value("Show me my orders")
    ask_and_wait(page, "Show me my orders")
    expect(field_of(page)).to_have_value("")
    page.goto("/agent/")
    expect(field_of(page)).to_have_value("")


def test_signing_out_forgets_the_draft(visit: Visit) -> None:
    page = visit("ben")
    field_of(page).fill("a secret")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/accounts/login/**")
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('draft:'))") == []


def test_a_suggestion_fills_the_field_and_sends_nothing(visit: Visit) -> None:
    page = visit("ben")
    page.get_by_role("button", name="Get money back").click()
    expect(field_of(page)).to_have_value("I want a refund for order ")
    expect(field_of(page)).to_be_focused()
    assert page.url.endswith("/agent/")


def test_a_text_that_is_too_long_says_so_and_stays(visit: Visit) -> None:
    page = visit("ben")
    field_of(page).fill("x" * 4100)
    expect(page.get_by_text("100 characters too many")).to_be_visible()
    field_of(page).press("Enter")
    expect(field_of(page)).to_have_value("x" * 4100)
    assert page.url.endswith("/agent/")


def test_a_reload_in_the_middle_shows_the_rest(visit: Visit) -> None:
    page = visit("david")
    ask(page, "What do you sell?")
    page.wait_for_url("**/agent/runs/**")
    expect(page.locator(".live .said")).not_to_be_empty()
    page.reload()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    answered(page)
    expect(page.locator(".message.agent")).to_have_count(1)
    expect(page.locator(".message.customer")).to_have_count(1)
    shown = page.locator("[data-log]").inner_text()
    page.reload()
    assert page.locator("[data-log]").inner_text() == shown


def test_stop_ends_the_answer_and_gives_send_back(visit: Visit) -> None:
    page = visit("david")
    ask(page, "What do you sell?")
    page.wait_for_url("**/agent/runs/**")
    expect(page.locator(".live .said")).not_to_be_empty()
    page.get_by_role("button", name="Stop").click()
    answered(page)
    expect(page.locator(".is-run").last).to_contain_text("Stopped")
    expect(field_of(page)).to_be_focused()


def test_the_focus_stays_in_the_field_after_sending(visit: Visit) -> None:
    page = visit("david")
    ask_and_wait(page, "Show me my orders")
    ask(page, "Show me my account")
    expect(field_of(page)).to_be_focused()
    answered(page)
    expect(field_of(page)).to_be_focused()


def test_one_scroll_up_stops_the_following(visit: Visit) -> None:
    page = visit("finn", viewport={"width": 900, "height": 600})
    ask_and_wait(page, "What do you sell?")
    ask(page, "What do you sell?")
    scroller = page.locator("[data-scroller]")
    expect(page.locator(".live .said")).not_to_be_empty()
    scroller.evaluate("node => node.scrollTop = 0")
    answered(page)
    assert scroller.evaluate("node => node.scrollTop") == 0
    page.get_by_role("button", name="Jump to latest").click()
    assert scroller.evaluate("node => node.scrollHeight - node.scrollTop - node.clientHeight") < 2


def test_a_very_low_window_scrolls_as_a_whole(visit: Visit) -> None:
    page = visit("finn", viewport={"width": 320, "height": 256})
    ask_and_wait(page, "What do you sell?")
    assert page.evaluate("document.documentElement.scrollHeight > innerHeight")
    assert page.evaluate("innerHeight + scrollY >= document.documentElement.scrollHeight - 2")


def test_offline_loses_nothing_and_says_so(visit: Visit) -> None:
    page = visit("finn")
    ask_and_wait(page, "Show me my orders")
    page.context.set_offline(True)
    expect(page.get_by_role("status").filter(has_text="You are offline")).to_be_visible()
    field_of(page).fill("Are you there?")
    field_of(page).press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("You are offline")
    expect(field_of(page)).to_have_value("Are you there?")
    page.context.set_offline(False)
    field_of(page).press("Enter")
    expect(page.locator(".message.customer")).to_have_count(2)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_stream_that_breaks_is_taken_up_again(visit: Visit) -> None:
    page = visit("hugo")
    ask(page, "What do you sell?")
    page.wait_for_url("**/agent/runs/**")
    expect(page.locator(".live .said")).not_to_be_empty()
    page.evaluate("window.dispatchEvent(new Event('online'))")  # as when the network came back: the stream is reopened
    answered(page)
    expect(page.locator(".message.agent")).to_have_count(1)


def test_a_decision_in_another_tab_reaches_the_card(visit: Visit) -> None:
    page = visit("anna")
    ask(page, "I want a refund of 2.00 for order DZ-10414")
    link = page.get_by_role("link", name="Review and confirm")
    expect(link).to_be_visible()
    answered(page)
    decline(page, link.get_attribute("href") or "")
    expect(page.locator(".card.action")).to_have_attribute("data-state", "rejected")


def test_eight_tabs_at_rest_hold_no_stream(visit: Visit) -> None:
    page = visit("hugo")
    ask_and_wait(page, "Show me my orders")
    tabs = [page.context.new_page() for _ in range(8)]
    for tab in tabs:
        tab.goto(page.url)
        expect(tab.locator(".message.agent")).to_have_count(1)
    page.goto("/agent/history/")
    expect(page.get_by_role("heading", name="Your history")).to_be_visible()


def test_the_appearance_is_kept(visit: Visit) -> None:
    page = visit("hugo")
    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.goto("/agent/history/")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == dark
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.get_by_role("button", name="As the device").click()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != dark


def test_earlier_messages_come_in_front_and_the_place_is_kept(visit: Visit, long_conversation: str) -> None:
    page = visit("greta", path=long_conversation)
    scroller, messages = page.locator("[data-scroller]"), page.locator(".message")
    expect(messages).to_have_count(50)
    scroller.evaluate("node => node.scrollTop = 0")
    link, read = page.get_by_role("link", name="Show earlier messages"), page.get_by_text("number 71", exact=True)
    before = read.bounding_box()
    link.click()
    expect(messages).to_have_count(100)
    after = read.bounding_box()
    assert before
    assert after
    assert abs(after["y"] - before["y"]) < 60  # a day's line may have moved
    link.click()
    expect(messages).to_have_count(120)
    expect(messages.first).to_contain_text("number 0")
    expect(link).to_have_count(0)
    expect(page.locator(".is-day")).to_have_count(3)
    ask(page, "Show me my orders")
    answered(page)
    expect(messages).to_have_count(122)


def test_a_proposal_far_back_that_changes_has_one_card(visit: Visit, say_more: SayMore) -> None:
    page = visit("greta")
    ask(page, "I want a refund of 2.00 for order DZ-10415")
    link = page.get_by_role("link", name="Review and confirm")
    expect(link).to_be_visible()
    answered(page)
    proposal = link.get_attribute("href") or ""
    say_more(conversation_of(page), 60)
    page.reload()
    expect(page.locator(".card.action")).to_have_count(0)
    decline(page, proposal)
    card = page.locator(".card.action")
    expect(card).to_have_attribute("data-state", "rejected")
    page.reload()
    expect(card).to_have_attribute("data-state", "rejected")
    page.get_by_role("link", name="Show earlier messages").click()
    expect(page.locator(".message").first).to_contain_text("I want a refund")
    expect(card).to_have_count(1)
    assert page.evaluate(TWICE) == []
    shown = page.locator("[data-log]").inner_text()
    page.goto(f"/agent/conversations/{conversation_of(page)}/?messages=100")
    assert page.locator("[data-log]").inner_text() == shown


def test_earlier_messages_come_once_after_many_new_ones(
    visit: Visit, long_conversation: str, say_more: SayMore
) -> None:
    page = visit("greta", path=long_conversation)
    expect(page.locator(".message")).to_have_count(50)
    say_more(conversation_of(page), 70)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator(".message")).to_have_count(120)
    page.get_by_role("link", name="Show earlier messages").click()
    expect(page.locator(".message")).to_have_count(170)
    assert page.evaluate(TWICE) == []


def test_an_answer_is_copied_with_its_words_alone(visit: Visit, long_conversation: str) -> None:
    page = visit("greta", path=long_conversation, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").last.click()
    expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "Message number 119"


def test_without_the_clipboard_of_https_an_answer_is_copied_all_the_same(visit: Visit, long_conversation: str) -> None:
    page = visit("greta", path=long_conversation)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.get_by_role("button", name="Copy").last.click()
    expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
