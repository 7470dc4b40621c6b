"""Threats to a server for other programs, numbered as in the project's list: 49 to 54."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from agent import exports, mcp
from agent.models import AgentStep, PendingAction
from agent.tools import registry
from billing.models import Refund
from tests.mcp.conftest import called, in_process, message, post, token_of
from tests.serving import Site

pytestmark = pytest.mark.django_db(transaction=True)

LIST = message("tools/list")
PINNED = Path(__file__).with_name("tools.json")


def refund(order: Any, **more: Any) -> dict[str, Any]:
    able = {"elicitation": {"url": {}}}
    arguments = {"order_number": order.number, "amount": "10.00"}
    return message("tools/call", able=able, name="refund_order", arguments=arguments, **more)


class TestPassthrough49:
    def test_token_reaches_no_tool_no_row_and_no_log(
        self, alice: User, order: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        token = token_of(alice)
        with caplog.at_level("DEBUG", logger="agent"):
            in_process(message("tools/call", name="list_orders", arguments={}), LIST, token=token)
        step = AgentStep.objects.select_related("run__conversation").get()
        kept = [step.arguments, step.result, step.run.prompt, step.run.conversation.client_id]
        assert token not in str(kept) + caplog.text

    def test_door_calls_nobody_else(self) -> None:
        """No module of the door opens a connection of its own, so there is nobody to pass a token on to."""
        for file in Path(mcp.__path__[0]).glob("*.py"):
            lines = [line for line in file.read_text().splitlines() if line.startswith(("import ", "from "))]
            assert not re.search(r"\b(httpx2?|requests|urllib\.request|socket|aiohttp|mcp\.client)\b", str(lines)), file

    def test_token_of_another_service_is_refused(self, served: Site) -> None:
        assert post(served, LIST, "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.").status == 401
        assert post(served, LIST, "sk-ant-api03-abcdefghijklmnop").status == 401


class TestRebinding50:
    @pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://", ""])
    def test_page_of_another_origin_is_refused(self, served: Site, token: str, origin: str) -> None:
        sent = {"Origin": origin} if origin else {"Origin": " "}
        assert post(served, LIST, token, **sent).status == 403

    def test_page_of_the_shop_may_call(self, served: Site, token: str) -> None:
        assert post(served, LIST, token, Origin=served.url).status == 200

    @pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8000", "[::1", "a b"])
    def test_host_that_is_not_ours_is_refused_before_the_token(self, served: Site, token: str, host: str) -> None:
        assert post(served, LIST, token, Host=host).status == 421


class TestHandles51:
    @pytest.fixture
    def asked(self, token: str, order: Any) -> dict[str, Any]:
        """The answer to Alice's proposal: her client is to lead her to the page, and come back with the state."""
        [answer] = in_process(refund(order), token=token)
        result: dict[str, Any] = answer.body["result"]
        return result

    def again(self, order: Any, state: str) -> dict[str, Any]:
        return refund(order, requestState=state, inputResponses={"confirmation": {"action": "decline"}})

    def test_state_serves_its_own_caller(self, token: str, order: Any, asked: dict[str, Any]) -> None:
        [answer] = in_process(self.again(order, asked["requestState"]), token=token)
        assert answer.body["result"]["structuredContent"]["status"] == "confirmation_required"

    def test_state_of_another_customer_is_refused(self, bob: User, order: Any, asked: dict[str, Any]) -> None:
        [answer] = in_process(self.again(order, asked["requestState"]), token=token_of(bob))
        assert answer.body["error"]["code"] == -32602

    def test_state_of_another_program_is_refused(self, alice: User, order: Any, asked: dict[str, Any]) -> None:
        [answer] = in_process(self.again(order, asked["requestState"]), token=token_of(alice, name="Other"))
        assert answer.body["error"]["code"] == -32602

    def test_state_serves_no_other_call(self, token: str, order: Any, asked: dict[str, Any]) -> None:
        body = self.again(order, asked["requestState"])
        body["params"]["arguments"]["amount"] = "20.00"
        assert in_process(body, token=token)[0].body["error"]["code"] == -32602

    @pytest.mark.parametrize("forged", ["id", "cut", "nonsense"])
    def test_forged_state_is_refused(self, token: str, order: Any, asked: dict[str, Any], forged: str) -> None:
        state = {
            "id": str(PendingAction.objects.get().pk),
            "cut": asked["requestState"][:-4],
            "nonsense": "v1.AAAA",
        }[forged]
        assert in_process(self.again(order, state), token=token)[0].body["error"]["code"] == -32602

    def test_state_tells_its_reader_nothing(self, asked: dict[str, Any]) -> None:
        action = PendingAction.objects.get()
        assert str(action.pk) not in asked["requestState"]
        assert "10.00" not in asked["requestState"]

    def test_session_id_is_no_sign_in(self, served: Site, token: str) -> None:
        assert post(served, LIST, Mcp_Session_Id="1", MCP_Protocol_Version="2025-11-25").status == 401
        assert "mcp-session-id" not in post(served, LIST, token, MCP_Protocol_Version="2025-11-25").headers


class TestHeaders52:
    @pytest.mark.parametrize(
        ("header", "value"),
        [
            ("MCP_Protocol_Version", "2025-11-26"),
            ("Mcp_Method", "tools/list"),
            ("Mcp_Name", "list_orders"),
            ("Mcp_Name", ""),
            ("Mcp_Method", ""),
        ],
    )
    def test_header_that_differs_from_the_body_is_refused(
        self, served: Site, token: str, order: Any, header: str, value: str
    ) -> None:
        body = message("tools/call", name="order_status", arguments={"order_number": order.number})
        answer = post(served, body, token, **{header: value})
        assert (answer.status, answer.body["error"]["code"], AgentStep.objects.count()) == (400, -32020, 0)

    def test_scope_goes_by_the_body_and_not_by_the_header(self, served: Site, alice: User, order: Any) -> None:
        answer = post(served, refund(order), token_of(alice, "read"), Mcp_Name="order_status")
        assert (answer.status, PendingAction.objects.count()) == (403, 0)


class TestGate53:
    def test_write_waits_and_nothing_that_is_listed_confirms(self, served: Site, token: str, order: Any) -> None:
        called(served, token, "refund_order", {"order_number": order.number, "amount": "10.00"})
        for name in registry.all_tools():
            called_with = {"action": str(PendingAction.objects.get().pk), "decision": "confirm"}
            answer = post(served, message("tools/call", name=name, arguments=called_with), token).body
            assert "error" in answer or answer["result"]["isError"] is True
        assert (PendingAction.objects.get().state, Refund.objects.count()) == ("pending", 0)

    def test_token_opens_no_page(self, served: Site, token: str, order: Any, client: Any) -> None:
        called(served, token, "refund_order", {"order_number": order.number, "amount": "10.00"})
        action = PendingAction.objects.get()
        address = reverse("agent:action", args=[action.pk])
        form = {"decision": "confirm", "digest": action.digest}
        answer = client.post(address, form, headers={"Authorization": f"Bearer {token}"})
        action.refresh_from_db()
        assert (answer.status_code in (302, 401, 403, 404), action.state) == (True, "pending")

    @pytest.mark.parametrize("name", ["user", "account", "conversation", "run", "request", "USER", " user "])
    def test_argument_names_no_other_customer(self, served: Site, bob: User, token: str, order: Any, name: str) -> None:
        arguments = {"order_number": order.number, name: bob.pk}
        answer = post(served, message("tools/call", name="order_status", arguments=arguments), token)
        assert (answer.body["result"]["isError"], AgentStep.objects.get().outcome) == (True, "invalid")


class TestPinned54:
    def test_tools_are_as_they_were_reviewed(self) -> None:
        """After a change that is meant: python manage.py show_tools --format json > tests/mcp/tools.json"""
        assert exports.drift(json.loads(PINNED.read_text())) == []

    def test_names_are_taken_once(self) -> None:
        names = [row["name"] for row in json.loads(PINNED.read_text())]
        assert (registry.duplicate_names(), len(names)) == ([], len(set(names)))
