"""Who is offered what. Chosen when a conversation begins, and asked again at each call."""

from datetime import datetime, timedelta
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.utils import timezone

from agent import flags
from agent.conf import setting
from agent.tools import Tool, registry
from agent.tools.schema import digest

REVIEW = "agent.view_agentrun"
COSIGN = "agent.cosign_action"


def may_use(user: Any, tool: Tool) -> bool:
    """Whether this user may have the tool at all. An account that was closed may have none."""
    is_there = tool.available is None or tool.available()
    return user.is_active and is_there and (not tool.permission or user.has_perm(tool.permission))


def version(tool: Tool) -> str:
    """Changes with any rule under which a proposal of this tool is confirmed: what is open then is asked anew."""
    above = [setting(name).get(tool.name) for name in ("COSIGN", "REAUTHENTICATE")]
    return digest("policy", tool.name, tool.permission, setting("CONFIRM_MINUTES"), *above)


def needs_staff(tool: Tool, facts: dict[str, Any]) -> bool:
    """Whether a member of staff has to sign too: above the amount that is set for the tool and the currency."""
    return _is_above("COSIGN", tool, facts)


def needs_fresh_sign_in(tool: Tool, facts: dict[str, Any]) -> bool:
    """Whether the customer has to have signed in a moment ago: above another amount of the tool and the currency."""
    return _is_above("REAUTHENTICATE", tool, facts)


def is_fresh(signed_in_at: datetime | None) -> bool:
    """Whether a sign-in at this time still counts as one of this moment."""
    most = timedelta(minutes=setting("REAUTHENTICATE_MINUTES"))
    return signed_in_at is not None and timezone.now() - signed_in_at < most


def _is_above(limits: str, tool: Tool, facts: dict[str, Any]) -> bool:
    at_stake = tool.amount(facts) if tool.amount else None
    if at_stake is None:
        return False
    minor, currency = at_stake
    most = setting(limits).get(tool.name, {}).get(currency)
    return most is not None and minor > most


def is_proven(user: Any) -> bool:
    """Whether a member of staff has the second factor that the shop asks of them."""
    return not setting("STAFF_SECOND_FACTOR") or is_mfa_enabled(user)


def may_as_staff(user: Any, permission: str) -> bool:
    """Whether this is a member of staff who holds the permission now. Does not ask for the second factor."""
    return bool(user.is_active and user.is_staff and user.has_perm(permission))


def may_review(user: Any) -> bool:
    """Whether this member of staff may read what every customer wrote."""
    return may_as_staff(user, REVIEW) and is_proven(user)


def may_cosign(user: Any, *, customer_id: Any) -> bool:
    """Whether this member of staff may give the second signature: never the customer, whose is the first."""
    return user.pk != customer_id and may_as_staff(user, COSIGN) and is_proven(user)


def offered_tools(user: Any) -> list[Tool]:
    """The tools of a new conversation: those that are on, in the order of the registry."""
    return [
        tool
        for tool in registry.all_tools().values()
        if may_use(user, tool) and flags.tool_is_on(tool.name, writes=tool.writes)
    ]
