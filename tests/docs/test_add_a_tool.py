"""docs/add-a-tool.md: its own code is run, and does what the page says."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from agent.models import PendingAction
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import Tool, registry
from tests.docs.pages import ROOT, blocks

READ, WRITE, TEST = blocks(ROOT / "docs" / "add-a-tool.md", "python")


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Everything that the page defines, its two tools in the registry."""
    names: dict[str, Any] = {}
    exec(READ + WRITE + TEST, names)
    own = {thing.name: thing for thing in names.values() if isinstance(thing, Tool)}
    known = registry.all_tools()
    monkeypatch.setattr(registry, "all_tools", lambda: {**known, **own})
    return names


def test_read_answers_and_keeps_its_schema(page: dict[str, Any], alice: User) -> None:
    tool: Tool = page["plant_care"].bound(user=alice)
    assert tool.run(plant="basil") == {"plant": "basil", "days": 2}
    assert tool.schema["additionalProperties"] is False
    assert all(tool.parse(dict(example.arguments)) for example in tool.examples)


def test_write_describes_its_plan(page: dict[str, Any], alice: User) -> None:
    facts = page["plan_reminder"]({"plant": "basil"}, user=alice)
    assert page["describe_reminder"](facts).sentence == "Remind alice@example.com to water the basil"


@pytest.mark.django_db
def test_test_of_the_page_passes(page: dict[str, Any], alice: User) -> None:
    check: Callable[..., None] = page["test_plant_care_is_answered"]
    assert check(alice) is None


@pytest.mark.django_db
def test_write_waits_for_its_customer(page: dict[str, Any], alice: User) -> None:
    client = ScriptedClient([tool_use("remind_me", plant="basil"), text("Please confirm it.")])
    run = run_agent_for_user("Remind me to water the basil", user=alice, client=client)
    assert PendingAction.objects.get(run=run).tool == "remind_me"
