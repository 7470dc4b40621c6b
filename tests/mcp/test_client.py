"""The official client over HTTP, in both revisions: list, read, propose, and read what became of it."""

import asyncio
import json
import re
from typing import Any

import mcp_types as types
import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client as Browser
from django.urls import reverse
from mcp import MCPError

from agent.models import AgentRun, AgentStep, HelpArticle, PendingAction
from agent.tools import registry
from billing.models import Refund
from tests.mcp.conftest import BOTH, ask, called, token_of
from tests.serving import Site

pytestmark = pytest.mark.django_db(transaction=True)

both = pytest.mark.parametrize("mode", BOTH)


def refund(order: Any, amount: str = "10.00") -> dict[str, Any]:
    return {"order_number": order.number, "amount": amount}


def confirm(user: User, action_id: Any, decision: str = "confirm") -> None:
    """As the customer does it: signed in, on the page, with the digest that it showed."""
    browser = Browser()
    browser.force_login(user)
    address = reverse("agent:action", args=[action_id])
    page = browser.get(address).content.decode()
    digest = re.search(r'name="digest" value="([0-9a-f]{64})"', page)
    assert digest is not None
    browser.post(address, {"decision": decision, "digest": digest[1]})


@both
def test_tools_are_listed_as_they_are_published(served: Site, token: str, mode: str) -> None:
    listed = ask(served, token, lambda client: client.list_tools(), mode=mode).tools
    published = [tool for tool in registry.all_tools().values() if tool.available is None or tool.available()]
    assert [tool.name for tool in listed] == [tool.name for tool in published]
    for tool, ours in zip(listed, published, strict=True):
        assert tool.input_schema == ours.schema
        assert tool.annotations.read_only_hint is not ours.writes
        assert tool.annotations.destructive_hint is False
        assert tool.output_schema is not None or not ours.gated


@both
def test_list_is_the_callers_own(served: Site, alice: User, bob: User, mode: str) -> None:
    reads = {name for name, tool in registry.all_tools().items() if not tool.writes}
    for_alice = ask(served, token_of(alice, "read"), lambda client: client.list_tools(), mode=mode).tools
    for_bob = ask(served, token_of(bob), lambda client: client.list_tools(), mode=mode).tools
    assert {tool.name for tool in for_alice} < reads
    assert {"refund_order", "order_status"} <= {tool.name for tool in for_bob}


@both
def test_read_answers_and_leaves_a_row_with_the_programs_name(
    served: Site, alice: User, token: str, order: Any, mode: str
) -> None:
    result = called(served, token, "order_status", {"order_number": order.number}, mode=mode)
    step = AgentStep.objects.get()
    assert (result.is_error, json.loads(result.content[0].text)) == (False, result.structured_content)
    assert (step.result, step.outcome, step.turn) == (result.content[0].text, "ok", None)
    assert (step.run.user, step.run.conversation.client_name) == (alice, "Desk")
    assert result.structured_content["order_number"] == order.number


@both
def test_another_customers_order_is_not_found(served: Site, bob: User, order: Any, mode: str) -> None:
    result = called(served, token_of(bob), "order_status", {"order_number": order.number}, mode=mode)
    assert (result.is_error, result.structured_content) == (True, None)
    assert order.number not in json.loads(result.content[0].text).get("summary", "")


@both
def test_write_answers_with_the_link_and_changes_nothing(served: Site, token: str, order: Any, mode: str) -> None:
    result = called(served, token, "refund_order", refund(order), mode=mode)
    action = PendingAction.objects.get()
    assert (result.is_error, result.structured_content["status"]) == (False, "confirmation_required")
    assert result.structured_content["confirm_url"].endswith(reverse("agent:action", args=[action.pk]))
    assert (action.state, Refund.objects.count()) == ("pending", 0)


@both
def test_outcome_is_read_after_the_customer_confirmed(
    served: Site, alice: User, token: str, order: Any, mode: str
) -> None:
    called(served, token, "refund_order", refund(order), mode=mode)
    confirm(alice, PendingAction.objects.get().pk)
    found = called(served, token, "recent_proposals", {}, mode=mode).structured_content
    assert [row["state"] for row in found["proposals"]] == ["executed"]
    assert Refund.objects.count() == 1
    assert AgentRun.objects.exclude(state="done").count() == 0


class TestElicitation:
    """Where the client leads its user to an address: 2026-07-28."""

    def asked(self, served: Site, token: str, arguments: dict[str, Any], answer: Any) -> types.CallToolResult:
        async def lead(context: Any, params: Any) -> types.ElicitResult:
            self.shown = params
            return types.ElicitResult(action=await asyncio.to_thread(answer))

        return called(served, token, "refund_order", arguments, elicitation_callback=lead)

    def test_confirmed_on_the_page_is_told_as_done(self, served: Site, alice: User, token: str, order: Any) -> None:
        def in_browser() -> str:
            try:
                confirm(alice, PendingAction.objects.get().pk)
            finally:
                connections.close_all()
            return "accept"

        result = self.asked(served, token, refund(order), in_browser)
        assert (result.structured_content["status"], Refund.objects.count()) == ("executed", 1)
        assert self.shown.url.endswith(reverse("agent:action", args=[PendingAction.objects.get().pk]))
        assert "token" not in self.shown.url
        assert AgentStep.objects.count() == 1

    def test_declined_in_the_browser_is_told(self, served: Site, alice: User, token: str, order: Any) -> None:
        def in_browser() -> str:
            try:
                confirm(alice, PendingAction.objects.get().pk, "reject")
            finally:
                connections.close_all()
            return "accept"

        result = self.asked(served, token, refund(order), in_browser)
        assert (result.structured_content["status"], Refund.objects.count()) == ("rejected", 0)

    @pytest.mark.parametrize("answer", ["decline", "cancel"])
    def test_who_does_not_go_there_keeps_the_link(self, served: Site, token: str, order: Any, answer: str) -> None:
        result = self.asked(served, token, refund(order), lambda: answer)
        assert result.structured_content["status"] == "confirmation_required"
        assert (PendingAction.objects.get().state, Refund.objects.count()) == ("pending", 0)


@both
def test_tool_that_is_not_there_and_a_hidden_one_are_the_same(served: Site, token: str, mode: str, alice: User) -> None:
    with pytest.raises(MCPError) as error:
        called(served, token, "no_such_tool", {}, mode=mode)
    assert (error.value.error.code, error.value.error.message) == (-32602, "Unknown tool: no_such_tool")
    assert AgentStep.objects.get().outcome == "unknown_tool"


@both
def test_bad_arguments_are_an_error_of_the_tool(served: Site, token: str, mode: str) -> None:
    result = called(served, token, "order_status", {"order_number": 5}, mode=mode)
    assert (result.is_error, AgentStep.objects.get().outcome) == (True, "invalid")
    assert "Fields: order_number" in result.content[0].text


@both
def test_resources_are_reads_and_articles(served: Site, token: str, order: Any, mode: str) -> None:
    HelpArticle.objects.create(slug="returns", language="en", version=1, title="Returns", body="Within 30 days.")
    HelpArticle.objects.create(slug="returns", language="en", version=2, title="Returns", body="Within 60 days.")

    async def look(client: Any) -> Any:
        listed = await client.list_resources()
        return (
            {str(row.uri): row for row in listed.resources},
            await client.read_resource("countersign://tools/list_orders"),
            await client.read_resource("countersign://help/en/returns/2"),
            await client.read_resource("countersign://help/en/returns/1"),
            (await client.list_resource_templates()).resource_templates,
        )

    rows, orders, newest, older, templates = ask(served, token, look, mode=mode)
    assert "countersign://tools/list_orders" in rows
    assert "countersign://tools/order_status" not in rows
    assert [uri for uri in rows if "/help/" in uri or "://help" in uri] == ["countersign://help/en/returns/2"]
    assert json.loads(orders.contents[0].text)["orders"][0]["order_number"] == order.number
    assert newest.contents[0].text == "# Returns\n\nWithin 60 days.\n\nVersion 2"
    assert "Within 30 days." in older.contents[0].text
    assert [row.uri_template for row in templates] == ["countersign://help/{language}/{slug}/{version}"]
    assert AgentStep.objects.get().tool == "list_orders"


@both
@pytest.mark.parametrize(
    "uri",
    [
        "countersign://tools/refund_order",
        "countersign://tools/order_status",
        "countersign://tools/no_such",
        "countersign://help/en/none/1",
        "countersign://help/en/none/x",
        "countersign://help/en/none/٣",
        "file:///etc/passwd",
    ],
)
def test_resource_that_is_not_there(served: Site, token: str, mode: str, uri: str) -> None:
    with pytest.raises(MCPError) as error:
        ask(served, token, lambda client: client.read_resource(uri), mode=mode)
    assert error.value.error.code == -32602
    assert AgentStep.objects.count() == 0


@both
def test_prompts_are_filled_with_what_the_person_says(served: Site, token: str, mode: str) -> None:
    async def look(client: Any) -> Any:
        given = {"order_number": "DZ-1 {reason}", "reason": "broken"}
        return await client.list_prompts(), await client.get_prompt("money_back", given)

    listed, filled = ask(served, token, look, mode=mode)
    assert [row.name for row in listed.prompts] == ["check_order", "money_back", "ask_the_help", "what_is_open"]
    assert "my order DZ-1 {reason}, because: broken" in filled.messages[0].content.text
    with pytest.raises(MCPError):
        ask(served, token, lambda client: client.get_prompt("money_back", {}), mode=mode)
