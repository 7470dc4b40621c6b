"""The effect of what was released, in the transaction that released it. Nothing else calls a gated tool."""

from typing import Any

from agent.actions import settling
from agent.actions.telling import show_in_chat, tell
from agent.actions.witnessing import Witness
from agent.models import PendingAction
from agent.tools import Tool


def carry_out(tool: Tool, action: PendingAction, *, by: Witness, after: str) -> None:
    """Do it, and tell; the caller holds the lock and has compared the plan. What is due outside is only noted.

    `after` names the yes that it follows, for the audit.
    """
    action.result = _effect(tool, action)
    action.save(update_fields=["result"])
    if tool.outside is not None and tool.outside.is_due(str(action.pk)):
        settling.begin(action)
        show_in_chat(action, kind="action.executing", by=by, after=after)
    else:
        by_staff = ", a member of staff approved it" if action.cosigned_by_id else ""
        tell(action, news=f"The customer confirmed{by_staff}, and it was done.", by=by, after=after)


def _effect(tool: Tool, action: PendingAction) -> dict[str, Any]:
    bound = tool.bound(user=action.user)
    if tool.outside is None:
        return bound.call(action.arguments)
    with tool.outside.filed_under(str(action.pk)):
        return bound.call(action.arguments)
