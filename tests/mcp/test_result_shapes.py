"""What is answered keeps the schema that is listed."""

import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from agent.access import PROPOSE, READ, Caller
from agent.mcp.tools import as_mcp, call
from agent.models import PendingAction
from agent.tools import Tool, registry
from orders.models import Order
from tests.result_shapes import departures

ALL = registry.all_tools().values()


def caller(user: User) -> Caller:
    return Caller(user, "desk", "Desk", frozenset({READ, PROPOSE}), str(user.pk))


def owner(arguments: Any) -> User:
    made = Order.objects.filter(number=arguments.get("order_number")).first()
    return made.customer if made else User.objects.get(username="anna")


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_every_tool_has_a_schema_of_what_it_answers(tool: Tool) -> None:
    listed = as_mcp(tool)
    assert listed["outputSchema"]["type"] == "object"
    assert listed["outputSchema"]["required"]
    assert listed["annotations"].keys() == {
        "title",
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
    }


@pytest.mark.django_db
def test_answers_of_the_sample_shop_keep_it() -> None:
    call_command("load_sample_shop", stdout=io.StringIO())  # with its help articles
    kept = set()
    for tool in ALL:
        for example in (one for one in tool.examples if one.language == "en"):
            arguments = dict(example.arguments)
            reply = call(caller(owner(arguments)), tool.name, arguments)
            if reply.data is not None:
                assert departures(reply.data, as_mcp(tool)["outputSchema"]) == [], tool.name
                assert json.loads(reply.text) == reply.data
                kept.add(tool.name)
    assert {tool.name for tool in ALL} - kept == {"read_page"}  # a sample shop lets no page be read
    assert PendingAction.objects.exclude(state="executed").exists()
