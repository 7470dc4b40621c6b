"""Who is offered what. Chosen when a conversation begins, and asked again at each call."""

from typing import Any

from agent import flags
from agent.tools import Tool, registry


def may_use(user: Any, tool: Tool) -> bool:
    """Whether this user may have the tool at all. An account that was closed may have none."""
    return user.is_active and (not tool.permission or user.has_perm(tool.permission))


def offered_tools(user: Any) -> list[Tool]:
    """The tools of a new conversation: those that are on, in the order of the registry."""
    return [
        tool
        for tool in registry.all_tools().values()
        if may_use(user, tool) and flags.tool_is_on(tool.name, writes=tool.writes)
    ]
