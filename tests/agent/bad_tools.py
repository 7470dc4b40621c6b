"""A tool with a bug, for the tests of what becomes of one."""

from typing import Any

from agent.tools import tool


@tool
def explode(*, user: Any) -> dict[str, Any]:
    """Fail in the way that a tool with a bug fails, connection string and all."""
    raise RuntimeError("postgres://shop:hunter2@db/shop is away")
