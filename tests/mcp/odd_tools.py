"""Tools that no shop has, for tests of what other programs are shown and told."""

from typing import Any

from agent.tools import tool


@tool(permission="agent.view_agentrun")
def staff_only(*, user: Any) -> dict[str, Any]:
    """Answer to staff alone."""
    return {"status": "for staff"}


@tool
def explode(*, user: Any) -> dict[str, Any]:
    """Fail in the way that a tool with a bug fails, connection string and all."""
    raise RuntimeError("postgres://shop:hunter2@db/shop is away")
