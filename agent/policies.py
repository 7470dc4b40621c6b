"""Who is offered what. Chosen when a conversation begins, and asked again at each call."""

from typing import Any

from agent import flags
from agent.conf import setting
from agent.tools import Tool, registry
from agent.tools.schema import digest


def may_use(user: Any, tool: Tool) -> bool:
    """Whether this user may have the tool at all. An account that was closed may have none."""
    return user.is_active and (not tool.permission or user.has_perm(tool.permission))


def version(tool: Tool) -> str:
    """Changes with any rule under which a proposal of this tool is confirmed: what is open then is asked anew."""
    return digest("policy", tool.name, tool.permission, setting("CONFIRM_MINUTES"), setting("COSIGN").get(tool.name))


def needs_staff(tool: Tool, facts: dict[str, Any]) -> bool:
    """Whether a member of staff has to sign too: above the amount that is set for the tool and the currency."""
    at_stake = tool.amount(facts) if tool.amount else None
    if at_stake is None:
        return False
    minor, currency = at_stake
    most = setting("COSIGN").get(tool.name, {}).get(currency)
    return most is not None and minor > most


def may_cosign(user: Any, *, customer_id: Any) -> bool:
    """Whether this member of staff may give the second signature: never the customer, whose is the first."""
    is_allowed = user.is_active and user.is_staff and user.has_perm("agent.cosign_action")
    return bool(is_allowed and user.pk != customer_id)


def offered_tools(user: Any) -> list[Tool]:
    """The tools of a new conversation: those that are on, in the order of the registry."""
    return [
        tool
        for tool in registry.all_tools().values()
        if may_use(user, tool) and flags.tool_is_on(tool.name, writes=tool.writes)
    ]
