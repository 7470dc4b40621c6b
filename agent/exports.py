"""The tools in the forms that other services read, each with a hash, so that a silent change is seen."""

from collections.abc import Callable, Iterable
from difflib import unified_diff
from json import dumps
from typing import Any

from agent import policies
from agent.mcp.tools import as_mcp
from agent.providers.openai.functions import function_of
from agent.runs.prompt import as_published
from agent.tools import Tool, registry
from agent.tools.schema import digest

Row = dict[str, Any]


def hash_of(tool: Tool) -> str:
    """Changes with everything that decides what a caller sees of the tool, may send, gets, and what holds it back."""
    return digest(
        tool.name,
        tool.description,
        tool.schema,
        as_mcp(tool).get("outputSchema"),
        [tool.writes, tool.gated, tool.permission],
        policies.version(tool),
    )


def _openai(tool: Tool) -> Row:
    return function_of(as_published(tool))


def _openai_chat(tool: Tool) -> Row:
    flat = _openai(tool)
    return {"type": flat.pop("type"), "function": flat}


def _whole(tool: Tool) -> Row:
    return {
        **as_published(tool),
        "output_schema": as_mcp(tool).get("outputSchema"),
        "writes": tool.writes,
        "gated": tool.gated,
        "permission": tool.permission,
        "hash": hash_of(tool),
    }


FORMATS: dict[str, Callable[[Tool], Row]] = {
    "anthropic": as_published,
    "openai": _openai,
    "openai-chat": _openai_chat,
    "mcp": as_mcp,
    "json": _whole,
}


def exported(form: str) -> list[Row]:
    """Every tool of the registry in one of the FORMATS, in its order."""
    return [FORMATS[form](tool) for tool in registry.all_tools().values()]


def drift(kept: Iterable[Row]) -> list[str]:
    """How today's tools differ from those kept in the format json, in lines for a reader; empty: not at all.

    Raises ValueError for a list in another format: of its tools each would differ, and nothing would be said by it.
    """
    rows = list(kept)
    if any("hash" not in row for row in rows):
        raise ValueError("it is not in the format json, which alone has a hash for each tool")
    before = {str(row["name"]): row for row in rows}
    today = {row["name"]: row for row in exported("json")}
    told = [f"{name}: gone" for name in before if name not in today]
    told += [f"{name}: new" for name in today if name not in before]
    for name, row in today.items():
        if name in before and before[name] != row:
            told += [f"{name}: changed", *_lines(before[name], row)]
    return told


def _lines(before: Row, today: Row) -> list[str]:
    """What differs, and around it a little. A hash alone: a policy or a setting behind the tool is another."""
    old, new = ([*dumps(row, indent=2, ensure_ascii=False, sort_keys=True).splitlines()] for row in (before, today))
    return [f"  {line}" for line in unified_diff(old, new, lineterm="", n=1)][2:]
