"""The whole path in a browser: ask, watch, confirm, keep the receipt, see the order changed, find it in the review."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit, answered, ask, ask_and_wait


def test_a_refund_from_the_question_to_the_review(visit: Visit) -> None:
    page = visit("anna")
    ask_and_wait(page, "Where is my order DZ-10414?")
    expect(page.locator(".order-card")).to_contain_text("DZ-10414")

    ask(page, "I want a refund of 12.00 for order DZ-10414")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.locator(".step", has_text="DZ-10414").last).to_be_visible()
    page.get_by_role("link", name="Review and confirm").click()

    expect(page.get_by_role("heading", name="Refund €12.00")).to_be_visible()
    expect(page.get_by_text("Nothing has been changed yet")).to_be_visible()
    page.get_by_role("button", name="Refund €12.00").click()

    expect(page.get_by_text("You confirmed this, and it was done.")).to_be_visible()
    reference = page.locator(".reference").inner_text()
    page.reload()
    expect(page.locator(".reference")).to_have_text(reference)

    page.get_by_role("link", name="Back to the conversation").click()
    answered(page)
    expect(page.locator(".stamp")).to_contain_text(reference)
    expect(page.locator(".message.agent").last).to_contain_text("€12.00")

    page.goto("/agent/history/")
    expect(page.locator("tr", has_text="Refund €12.00").first).to_contain_text("done")

    review = visit("reviewer", path="/staff/runs/")
    review.locator("tr", has_text="I want a refund of 12.00").first.get_by_role("link").click()
    expect(review.locator(".call", has_text="refund_order")).to_contain_text("awaiting_confirmation")
    expect(review.locator(".card", has_text=reference)).to_contain_text("done")


def test_a_cancellation_by_keyboard_alone(visit: Visit) -> None:
    page = visit("greta")
    ask_and_wait(page, "Show me my orders")
    number = page.locator(".message.agent .whole").first.inner_text()
    ask(page, f"Cancel order {number}, I no longer need it")
    link = page.get_by_role("link", name="Review and confirm")
    expect(link).to_be_visible()
    answered(page)

    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/agent/actions/**")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.value") == "confirm":
            break
    page.keyboard.press("Enter")
    expect(page.get_by_text("You confirmed this, and it was done.")).to_be_visible()

    page.goto("/agent/")
    ask_and_wait(page, f"Where is my order {number}?")
    expect(page.locator(".order-card .order-state")).to_have_text("cancelled")


def test_in_german_the_whole_path_is_german(visit: Visit) -> None:
    page = visit(None, path="/accounts/login/", locale="de-DE", viewport={"width": 320, "height": 640})
    page.get_by_label("Benutzername oder E-Mail-Adresse").fill("anna")
    page.get_by_label("Passwort", exact=True).fill("demo")
    page.get_by_role("button", name="Anmelden").click()
    expect(page.get_by_text("Sie schreiben mit einem KI-Assistenten.")).to_be_visible()
    ask(page, "Ich möchte 2,50 Euro für DZ-10414 zurück")
    page.get_by_role("link", name="Prüfen und bestätigen").click()
    expect(page.get_by_text("Es wurde noch nichts geändert.", exact=False).first).to_be_visible()
    page.locator("button[value=reject]").click()
    expect(page.get_by_text("Sie haben dies abgelehnt.", exact=False)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_without_javascript_it_works_by_loading_again(visit: Visit) -> None:
    page = visit("clara", java_script_enabled=False)
    page.locator("textarea").fill("Show me my orders")
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/agent/runs/**")
    for _ in range(50):
        if page.locator(".message.agent:not(.live)").count():
            break
        page.reload()
    expect(page.locator(".message.agent").last).to_contain_text("DZ-")
    expect(page.get_by_role("button", name="Talk to a person")).to_be_visible()


def test_a_person_is_one_button_away_from_the_start(visit: Visit) -> None:
    page = visit("elif")
    page.get_by_role("button", name="Talk to a person").click()
    expect(page.get_by_text("A person has your request")).to_be_visible()


def test_a_second_click_confirms_nothing_twice(visit: Visit) -> None:
    page = visit("anna")
    ask(page, "I want a refund of 3.00 for order DZ-10414")
    page.get_by_role("link", name="Review and confirm").click()
    address = page.url
    other = page.context.new_page()
    other.goto(address)
    page.get_by_role("button", name="Refund €3.00").dblclick()
    expect(page.get_by_text("You confirmed this, and it was done.")).to_be_visible()
    other.get_by_role("button", name="Refund €3.00").click()
    expect(other.locator(".reference")).to_have_text(page.locator(".reference").inner_text())
