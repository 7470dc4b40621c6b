"""The tools in the forms of other services, and what `--check` says when they change."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agent import exports
from agent.tools import registry


def printed(**options: Any) -> str:
    out = io.StringIO()
    call_command("show_tools", stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    file = tmp_path / "tools.json"
    file.write_text(printed(format="json"))
    return file


def change(file: Path, name: str, /, **changes: Any) -> None:
    rows = json.loads(file.read_text())
    file.write_text(json.dumps([{**row, **changes} if row["name"] == name else row for row in rows]))


@pytest.mark.parametrize("form", exports.FORMATS)
def test_every_tool_is_in_every_format(form: str) -> None:
    rows = json.loads(printed(format=form))
    names = [row["function"]["name"] if form == "openai-chat" else row["name"] for row in rows]
    assert names == list(registry.all_tools())


def test_functions_are_strict_only_where_every_property_is_required() -> None:
    for row in exports.exported("openai"):
        is_whole = set(row["parameters"]["properties"]) == set(row["parameters"]["required"])
        assert not row["strict"] or is_whole


def test_same_tools_pass(kept: Path) -> None:
    assert printed(check=str(kept)) == f"The {len(registry.all_tools())} tools are as in {kept}.\n"


def test_other_description_is_shown_line_by_line(kept: Path) -> None:
    change(kept, "calculate", description="Add.")
    with pytest.raises(CommandError) as error:
        printed(check=str(kept))
    told = str(error.value)
    assert "calculate: changed" in told
    assert '  -  "description": "Add.",' in told
    assert "order_status" not in told


def test_new_and_missing_tools_are_named(kept: Path) -> None:
    change(kept, "calculate", name="sum_up")
    with pytest.raises(CommandError, match=r"(?s)sum_up: gone.*calculate: new"):
        printed(check=str(kept))


@pytest.mark.parametrize("text", ["", "{", "[1]", "{}x", '[{"no": "name"}]'])
def test_file_that_is_no_list_says_so(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tools.json"
    file.write_text(text)
    with pytest.raises(CommandError, match="holds no list of tools"):
        printed(check=str(file))


@pytest.mark.parametrize("form", sorted(set(exports.FORMATS) - {"json"}))
def test_list_in_another_format_is_not_compared(tmp_path: Path, form: str) -> None:
    file = tmp_path / "tools.json"
    file.write_text(printed(format=form))
    with pytest.raises(CommandError, match="holds no list of tools: it is not in the format json") as error:
        printed(check=str(file))
    assert "changed" not in str(error.value)


def test_hash_covers_what_a_caller_meets_and_what_holds_it_back(settings: Any) -> None:
    tool = registry.all_tools()["refund_order"]
    before = exports.hash_of(tool)
    others = [
        replace(tool, name="other"),
        replace(tool, description="Other."),
        replace(tool, model=registry.all_tools()["cancel_order"].model),
        replace(tool, fn=registry.all_tools()["calculate"].fn, gated=False),
        replace(tool, permission="agent.view_agentrun"),
    ]
    assert before not in {exports.hash_of(other) for other in others}
    settings.AGENT = {**settings.AGENT, "COSIGN": {"refund_order": {"EUR": 1}}}
    assert exports.hash_of(tool) != before
