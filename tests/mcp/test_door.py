"""What is answered before and beside the protocol: who is let in, what is too much, what is no request."""

import asyncio
import json
import time
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.cache import cache
from django.utils import timezone
from mcp import MCPError
from mcp.server import request_state
from mcp_types import CallToolRequestParams
from waffle.testutils import override_switch

from agent import actions, personal_data
from agent.access import Caller
from agent.actions import Witness
from agent.mcp import protocol
from agent.mcp.mount import CALLER
from agent.models import AgentStep, PendingAction
from tests.mcp.conftest import in_process, message, post, token_of
from tests.serving import Site

pytestmark = pytest.mark.django_db(transaction=True)

LIST = message("tools/list")


def call(name: str, able: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
    return message("tools/call", able=able, name=name, arguments=arguments)


class TestToken:
    def test_without_one_the_answer_says_where_to_get_one(self, served: Site) -> None:
        answer = post(served, LIST)
        assert answer.status == 401
        assert answer.headers["www-authenticate"].startswith("Bearer scope=")
        assert '/.well-known/oauth-protected-resource/mcp"' in answer.headers["www-authenticate"]

    @pytest.mark.parametrize("token", ["", "nonsense", "csgn_" + "a" * 38])
    def test_that_is_none_of_ours_is_invalid(self, served: Site, token: str) -> None:
        answer = post(served, LIST, token, Authorization=f"Bearer {token}" if token else "Basic YTpi")
        assert answer.status == 401
        assert ('error="invalid_token"' in answer.headers["www-authenticate"]) is bool(token)

    def test_in_the_address_is_refused_also_beside_a_good_one(self, served: Site, token: str) -> None:
        assert post(served, LIST, query=f"?access_token={token}").status == 401
        assert post(served, LIST, token, query=f"?Access_Token={token}").status == 401

    def test_that_may_only_read_is_told_the_scope_and_leaves_a_row(self, served: Site, alice: User, order: Any) -> None:
        body = call("refund_order", order_number=order.number, amount="10.00")
        answer = post(served, body, token_of(alice, "read"))
        assert answer.status == 403
        assert 'error="insufficient_scope", scope="propose"' in answer.headers["www-authenticate"]
        assert (AgentStep.objects.get().outcome, PendingAction.objects.count()) == ("refused", 0)

    def test_that_may_only_propose_reads_nothing(self, served: Site, alice: User) -> None:
        token = token_of(alice, "propose")
        statuses = [post(served, body, token).status for body in (LIST, call("list_orders"), message("resources/list"))]
        assert statuses == [403, 403, 403]
        assert post(served, message("server/discover"), token).status == 200

    def test_of_a_closed_account_opens_nothing(self, served: Site, alice: User, token: str) -> None:
        User.objects.update(is_active=False)
        assert post(served, LIST, token).status == 401


class TestRequest:
    @pytest.mark.parametrize("verb", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
    def test_only_post_is_served(self, served: Site, token: str, verb: str) -> None:
        answer = post(served, LIST, token, verb=verb)
        assert (answer.status, answer.headers["allow"]) == (405, "POST")

    def test_answer_is_for_no_cache(self, served: Site, token: str) -> None:
        assert post(served, LIST, token).headers["cache-control"] == "no-store"

    def test_body_that_is_too_long_is_not_read(self, served: Site, token: str) -> None:
        assert post(served, b" " * (256 * 1024 + 1), token).status == 413

    @pytest.mark.parametrize("version", ["2026-07-28", "2025-11-25", ""])
    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"{",
            b"[]",
            b"\xff\xfe\x00",
            b'{"jsonrpc":"2.0"}',
            b"[" * 100_000,
            b'{"a":' * 50_000,
            b"1" * 5_000,
            json.dumps([LIST, LIST]).encode(),
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":{},"arguments":[]}}',
            b'{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
        ],
        ids=range(11),
    )
    def test_nonsense_is_an_error_of_the_caller(self, served: Site, token: str, body: bytes, version: str) -> None:
        answer = post(served, body, token, MCP_Protocol_Version=version)
        taken_for_news = answer.status == 202 and not answer.body  # an id that is none, in the older revision
        assert 400 <= answer.status < 500 or taken_for_news or "error" in answer.body
        assert "Traceback" not in str(answer.body)
        assert post(served, LIST, token).status == 200

    def test_other_type_of_body_is_refused(self, served: Site, token: str) -> None:
        assert post(served, LIST, token, Content_Type="text/plain").status == 400

    def test_revision_that_nobody_knows_is_named(self, served: Site, token: str) -> None:
        answer = post(served, LIST, token, MCP_Protocol_Version="2099-01-01")
        assert (answer.status, answer.body["error"]["code"]) == (400, -32020)


class TestHere:
    """In this process, with other settings and tools."""

    def test_too_many_requests_are_told_when_to_come_back(self, token: str, settings: Any) -> None:
        settings.AGENT = {**settings.AGENT, "CALLS_A_MINUTE": 2}
        answers = in_process(LIST, LIST, LIST, LIST, token=token)
        assert 429 in {answer.status for answer in answers}
        late = next(answer for answer in answers if answer.status == 429)
        assert 0 < int(late.headers["retry-after"]) <= 60

    def test_limit_counts_all_programs_of_a_customer(self, alice: User, settings: Any) -> None:
        settings.AGENT = {**settings.AGENT, "CALLS_A_MINUTE": 1}
        statuses = [in_process(LIST, token=token_of(alice, name=name))[0].status for name in "abc"]
        assert 429 in statuses

    def test_limit_counts_all_customers_of_a_program(self, token: str, settings: Any) -> None:
        settings.AGENT = {**settings.AGENT, "CLIENT_CALLS_A_MINUTE": 1}
        assert 429 in {answer.status for answer in in_process(LIST, LIST, LIST, token=token)}
        cache.clear()

    def test_tool_for_staff_is_shown_to_staff_alone(self, alice: User, staff: User, odd_tools: None) -> None:
        [listed, called] = in_process(LIST, call("staff_only"), token=token_of(alice))
        assert "staff_only" not in {tool["name"] for tool in listed.body["result"]["tools"]}
        assert called.body["error"] == {"code": -32602, "message": "Unknown tool: staff_only"}
        assert AgentStep.objects.get().outcome == "refused"
        assert Permission.objects.filter(user=staff).exists()
        [listed, called] = in_process(LIST, call("staff_only"), token=token_of(staff))
        assert "staff_only" in {tool["name"] for tool in listed.body["result"]["tools"]}
        assert called.body["result"]["structuredContent"] == {"status": "for staff"}

    @pytest.mark.parametrize(("switch", "gone"), [("agent", "list_orders"), ("agent.writes", "refund_order")])
    def test_switches_take_tools_from_the_list_and_refuse_them(self, token: str, switch: str, gone: str) -> None:
        with override_switch(switch, active=False):
            [listed, called] = in_process(LIST, call(gone), token=token)
        assert gone not in {tool["name"] for tool in listed.body["result"]["tools"]}
        assert (called.body["result"]["isError"], AgentStep.objects.get().outcome) == (True, "switched_off")

    def test_account_that_is_forgotten_behind_the_door_is_told_so(self, alice: User) -> None:
        caller = Caller(alice, "desk", "Desk", frozenset({"read"}), "1")
        context: Any = SimpleNamespace(request=SimpleNamespace(scope={CALLER: caller}))
        personal_data.erase(alice, apply=True)
        with pytest.raises(MCPError, match="There is nothing here for this account"):
            asyncio.run(protocol.call_tool(context, CallToolRequestParams(name="list_orders", arguments={})))
        assert AgentStep.objects.count() == 0

    def test_switch_for_programs_turns_them_away_after_their_token(self, token: str) -> None:
        with override_switch("agent.programs", active=False):
            [listed, called] = in_process(LIST, call("list_orders"), token=token)
            [stranger] = in_process(LIST, token="nobodys")
        assert (listed.status, called.status, stranger.status) == (503, 503, 401)
        assert called.headers["retry-after"] == "600"
        assert AgentStep.objects.count() == 0

    def test_bug_in_a_tool_is_a_reference_and_no_more(self, token: str, odd_tools: None) -> None:
        [answer] = in_process(call("explode"), token=token)
        assert answer.body["result"]["isError"] is True
        assert AgentStep.objects.get().reference in answer.body["result"]["content"][0]["text"]
        assert "hunter2" not in str(answer.body)

    def test_link_is_asked_for_only_where_the_client_opens_links(self, token: str, order: Any) -> None:
        arguments = {"order_number": order.number, "amount": "10.00"}
        asked = [
            call("refund_order", able=able, **arguments)
            for able in ({}, {"elicitation": {}}, {"elicitation": {"form": {}}}, {"elicitation": {"url": {}}})
        ]
        kinds = [answer.body["result"]["resultType"] for answer in in_process(*asked, token=token)]
        assert kinds == ["complete", "complete", "complete", "input_required"]
        assert PendingAction.objects.count() == 1

    def test_more_time_for_the_customer_is_more_time_for_the_state(
        self, token: str, order: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.AGENT = {**settings.AGENT, "DECISION_WAIT_SECONDS": 0}
        body = call("refund_order", able={"elicitation": {"url": {}}}, order_number=order.number, amount="10.00")
        [first] = in_process(body, token=token)
        action = PendingAction.objects.get()
        PendingAction.objects.update(expires_at=action.expires_at - timedelta(minutes=14))
        action.refresh_from_db()
        assert actions.extend(action, by=Witness("alice"))
        body["params"] |= {"inputResponses": {"confirmation": {"action": "accept"}}}
        body["params"] |= {"requestState": first.body["result"]["requestState"]}
        later = time.time() + 59 * 60
        monkeypatch.setattr(request_state, "time", SimpleNamespace(time=lambda: later))
        [second] = in_process(body, token=token)
        told = second.body["result"]["structuredContent"]
        assert told["status"] == "confirmation_required"
        assert datetime.fromisoformat(told["expires_at"]) == action.expires_at.replace(microsecond=0)

    def test_program_without_links_is_told_the_end_as_it_stands(self, token: str, order: Any) -> None:
        body = call("refund_order", order_number=order.number, amount="10.00")
        [first] = in_process(body, token=token)
        PendingAction.objects.update(expires_at=timezone.now() + timedelta(minutes=40))
        [second, listed] = in_process(body, call("recent_proposals"), token=token)
        end = PendingAction.objects.get().expires_at.isoformat(timespec="seconds")
        assert first.body["result"]["structuredContent"]["expires_at"] < end
        assert second.body["result"]["structuredContent"]["expires_at"] == end
        assert listed.body["result"]["structuredContent"]["proposals"][0]["expires_at"] == end

    def test_going_to_the_page_confirms_nothing(self, token: str, order: Any, settings: Any) -> None:
        settings.AGENT = {**settings.AGENT, "DECISION_WAIT_SECONDS": 0}
        able = {"elicitation": {"url": {}}}
        body = call("refund_order", able=able, order_number=order.number, amount="10.00")
        [first] = in_process(body, token=token)
        answered = {"inputResponses": {"confirmation": {"action": "accept"}}}
        body["params"] |= {**answered, "requestState": first.body["result"]["requestState"]}
        [second] = in_process(body, token=token)
        assert second.body["result"]["structuredContent"]["status"] == "confirmation_required"
        assert (PendingAction.objects.get().state, AgentStep.objects.count()) == ("pending", 1)
