"""Every tool, asked wrongly through every door: the same refusal, one row each, nothing changed."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from agent import policies
from agent.errors import ToolArgumentError
from agent.models import AgentStep, PendingAction
from agent.runs import run_agent_for_user
from agent.runs.direct import Client, call
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import registry
from tests.mcp.conftest import message, post
from tests.serving import Site

pytestmark = pytest.mark.django_db(transaction=True)

BAD: list[dict[str, Any]] = [
    {"no_such_field": 1},
    {"user": "bob"},
    {"order_number": ["DZ-1"], "limit": "many", "query": 7, "expression": None},
    {"reason": "a\x00b", "summary": "\u202e" * 3, "url": {"a": {}}},
]


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
@pytest.mark.parametrize("name", sorted(registry.all_tools()))
def test_bad_input_is_refused_alike(name: str, bad: dict[str, Any], served: Site, alice: User, token: str) -> None:
    tool = registry.all_tools()[name]
    client = ScriptedClient([tool_use(name, input=bad)], [text("That did not work.")])
    in_chat = run_agent_for_user("Do it", user=alice, client=client).steps.get()
    by_mcp = post(served, message("tools/call", name=name, arguments=bad), token).body
    in_python = call(alice, name, bad, client=Client("script", "Script"), offered=registry.all_tools().keys())
    filed = AgentStep.objects.values_list("outcome", "result", "tool", "schema_hash")
    if not policies.may_use(alice, tool):  # not offered at all: to the protocol it is not there
        assert {outcome for outcome, *_ in filed} == {"refused"}
        assert by_mcp["error"]["code"] == -32602
        return
    assert list(filed) == [("invalid", in_chat.result, name, tool.schema_hash)] * 3
    assert (by_mcp["result"]["isError"], by_mcp["result"]["content"][0]["text"]) == (True, in_chat.result)
    assert "structuredContent" not in by_mcp["result"]
    with pytest.raises(ToolArgumentError) as error:
        tool.bound(user=alice).parse(bad)
    assert json.loads(in_python.result) == {"error": str(error.value)}
    assert PendingAction.objects.count() == 0
