"""The official client does the whole round: it makes itself known, its customer signs in, consents and confirms in a
real browser, and it reads what became of it. One customer's program sees nothing of another's."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from mcp import Client
from playwright.sync_api import Page, expect

from tests.browser.conftest import PASSWORD, Visit
from tests.browser.oauth import PATIENCE, Listener
from tests.browser.program import Program

ORDER = "DZ-10414"  # anna's, with something left to refund
Make = Callable[..., Program]


@pytest.fixture
def make(shop: str, listeners: list[Listener]) -> Iterator[Make]:
    """Programs of their own, each with its own listener."""
    made: list[Program] = []

    def program(**options: Any) -> Program:
        made.append(Program(shop, listeners[len(made)], name="Desk Assistant", **options))
        return made[-1]

    yield program
    for each in made:
        each.stop()


def let_in(page: Page, program: Program, user: str = "", *, proposes: bool = True) -> None:
    """The customer follows the program to the shop, signs in where they have to, and lets it in."""
    page.goto(program.opened())
    if user:
        page.locator("[name=login]").fill(user)
        page.locator("[name=password]").fill(PASSWORD)
        page.locator("[name=password]").press("Enter")
    expect(page.get_by_role("heading", name="Connect Desk Assistant?")).to_be_visible()
    page.get_by_label("Prepare changes").set_checked(proposes)
    page.get_by_role("button", name="Connect", exact=True).click()
    page.wait_for_url("**/callback?**")


def confirm(page: Page, address: str) -> None:
    """On the page of the proposal, which the customer opens and reads."""
    page.goto(address)
    expect(page.get_by_text(ORDER).first).to_be_visible()
    page.locator("button[value=confirm]").click()
    expect(page.locator(".reference")).to_be_visible()


def refund(amount: str) -> dict[str, str]:
    return {"order_number": ORDER, "amount": amount}


async def listed_and_read(client: Client) -> tuple[set[str], list[str]]:
    tools = {tool.name for tool in (await client.list_tools()).tools}
    orders = (await client.call_tool("list_orders", {})).structured_content
    return tools, [row["order_number"] for row in orders["orders"]]


async def newest_proposal(client: Client) -> dict[str, Any]:
    found = (await client.call_tool("recent_proposals", {})).structured_content
    return dict(found["proposals"][0])


def test_whole_round_with_a_client_that_opens_links(visit: Visit, make: Make) -> None:
    async def work(client: Client) -> Any:
        seen = await listed_and_read(client)
        done = await client.call_tool("refund_order", refund("1.01"))
        return seen, done.structured_content, await newest_proposal(client)

    page, program = visit(None, path="/accounts/login/"), make()
    running = program.start(work)
    let_in(page, program, "anna")
    address = program.opened()
    assert not running.done()  # nothing is done before the customer decided
    confirm(page, address)
    program.decided.set()
    (tools, orders), done, newest = running.result(PATIENCE)
    assert {"order_status", "refund_order", "recent_proposals"} <= tools
    assert ORDER in orders
    assert (done["status"], newest["state"]) == ("executed", "executed")
    assert program.memory.tokens is not None
    assert str(program.memory.tokens.access_token) not in page.content()


def test_whole_round_of_the_older_revision_by_link(visit: Visit, make: Make) -> None:
    page, program = visit(None, path="/accounts/login/"), make(mode="legacy", leads=False)

    async def propose(client: Client) -> Any:
        await listed_and_read(client)
        return (await client.call_tool("refund_order", refund("1.02"))).structured_content

    running = program.start(propose)
    let_in(page, program, "anna")
    asked = running.result(PATIENCE)
    assert asked["status"] == "confirmation_required"
    assert program.start(newest_proposal).result(PATIENCE)["state"] == "pending"
    confirm(page, asked["confirm_url"])
    # The tokens that it kept go on: nobody is asked to sign in again.
    assert program.start(newest_proposal).result(PATIENCE)["state"] == "executed"


def test_program_that_may_only_read_asks_for_more_when_it_needs_it(visit: Visit, make: Make) -> None:
    page, program = visit(None, path="/accounts/login/"), make(leads=False)
    running = program.start(listed_and_read)
    let_in(page, program, "anna", proposes=False)
    tools, _orders = running.result(PATIENCE)
    assert "refund_order" not in tools

    async def propose(client: Client) -> Any:
        return (await client.call_tool("refund_order", refund("1.03"))).structured_content

    stepping_up = program.start(propose)
    let_in(page, program)
    assert stepping_up.result(PATIENCE)["status"] == "confirmation_required"


def test_customer_who_says_no_lets_nothing_in(visit: Visit, make: Make) -> None:
    page, program = visit(None, path="/accounts/login/"), make()
    program.start(listed_and_read)
    page.goto(program.opened())
    page.locator("[name=login]").fill("anna")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=password]").press("Enter")
    page.get_by_role("button", name="Don't connect").click()
    page.wait_for_url("**/callback?error=access_denied**")
    assert program.memory.tokens is None


def test_program_of_one_customer_sees_nothing_of_another(visit: Visit, make: Make) -> None:
    hers, his = make(leads=False), make(leads=False)

    async def propose(client: Client) -> Any:
        return (await client.call_tool("refund_order", refund("1.04"))).structured_content

    page = visit(None, path="/accounts/login/")
    proposing = hers.start(propose)
    let_in(page, hers, "anna")
    link = proposing.result(PATIENCE)["confirm_url"]

    async def pry(client: Client) -> Any:
        status = await client.call_tool("order_status", {"order_number": ORDER})
        taken = await client.call_tool("refund_order", refund("1.05"))
        proposals = (await client.call_tool("recent_proposals", {})).structured_content
        return await listed_and_read(client), status.is_error, taken.is_error, proposals["proposals"]

    other = visit(None, path="/accounts/login/")
    prying = his.start(pry)
    let_in(other, his, "ben")
    (_tools, orders), status_refused, refund_refused, proposals = prying.result(PATIENCE)
    assert (ORDER in orders, status_refused, refund_refused, proposals) == (False, True, True, [])
    answer = other.goto(link)
    assert answer is not None
    assert (answer.status, ORDER in other.content()) == (404, False)
    assert urlsplit(link).query == ""


def test_program_that_was_disconnected_has_to_ask_again(visit: Visit, make: Make) -> None:
    page, program = visit(None, path="/accounts/login/"), make(leads=False)
    running = program.start(listed_and_read)
    let_in(page, program, "anna")
    running.result(PATIENCE)
    page.goto("/agent/programs/")
    while (left := page.get_by_role("button", name="Disconnect Desk Assistant")).count():
        left.first.click()
    again = program.start(listed_and_read)
    let_in(page, program)
    assert ORDER in again.result(PATIENCE)[1]
