"""SECURITY 33: calls of a hostile or a broken model, from a corpus outside the project: one clean error each."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent.errors import ToolArgumentError
from agent.models import AgentRun, AgentStep, PendingAction
from agent.providers.blocks import input_of
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text
from agent.tools import registry
from billing.models import Refund
from tests.agent.conftest import paid_order
from tests.conftest import missing

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("COUNTERSIGN_SECURITY_DIR") or ROOT.parent / "shared" / "security")

Line = dict[str, Any]


def _lines() -> list[Line]:
    path = FOLDER / "tool_args.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


LINES = _lines()
# An amount as a JSON number is put right, and a number in another spelling is looked up: the lookup finds nothing.
LOOKED_UP = {"args-050", "args-059", "args-060", "args-062", "args-063"}
BROKEN = [line for line in LINES if line["tool"] in registry.all_tools() and line["id"] not in LOOKED_UP]


def raw_of(line: Line) -> str:
    """The arguments as the model's JSON text; long ones are written as parts."""
    return line["raw_json"] if "raw_json" in line else "".join(part * times for part, times in line["raw_parts"])


def _id(line: Line) -> str:
    return line["id"]


def test_hostile_arguments_are_there() -> None:
    if not LINES:
        missing(f"no hostile arguments in {FOLDER}: set COUNTERSIGN_SECURITY_DIR")
    assert len(LINES) >= 50


@pytest.mark.parametrize("line", LINES, ids=_id)
def test_hostile_call_gets_one_clean_error_and_changes_nothing(line, customer, stranger, caplog):
    """The orders that the calls name are a stranger's."""
    for number in ("DZ-1", "DZ-10423"):
        paid_order(stranger, number=number)
    given = input_of(raw_of(line))
    if "\\ud800" in raw_of(line):
        with pytest.raises(ToolArgumentError):  # such a turn is refused before any call, whatever it holds
            registry.all_tools()[line["tool"]].parse(given)
        return
    call = {"type": "tool_use", "id": None, "name": line["tool"], "input": given}

    run = run_agent_for_user("Help me.", user=customer, client=ScriptedClient([call], [text("ok")]))

    step = AgentStep.objects.get(run=run)
    result = json.loads(step.result)
    assert set(result) == {"error"}
    assert (len(step.result) < 1000, step.outcome in ("invalid", "ok", "refused", "unknown_tool")) == (True, True)
    assert run.state == AgentRun.State.DONE
    assert (PendingAction.objects.count(), Refund.objects.count()) == (0, 0)
    assert "DZ-10423" not in step.result
    assert line["tool"] in registry.all_tools() or line["tool"] not in caplog.text


@pytest.mark.parametrize("line", BROKEN, ids=_id)
def test_broken_arguments_are_refused_without_a_query(line, customer, django_assert_num_queries):
    tool = registry.all_tools()[line["tool"]].bound(user=customer)
    given = input_of(raw_of(line))
    with django_assert_num_queries(0), pytest.raises(ToolArgumentError) as refusal:
        tool.parse(given)
    assert len(str(refusal.value)) < 1000
