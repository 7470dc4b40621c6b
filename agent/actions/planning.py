"""The looks at the shop around a write, in the shop's own code: kept whole, and put into words where they break."""

import logging
from typing import Any

from django.utils.translation import gettext as _

from agent.db import left_whole
from agent.errors import new_reference
from agent.models import PendingAction
from agent.rowsecurity import only_rows_of
from agent.tools import Tool

logger = logging.getLogger(__name__)


def plan(tool: Tool, arguments: dict[str, Any], *, user: Any) -> dict[str, Any]:
    """The facts of a write that was asked for. Reads the customer's rows. Raises Refusal with the shop's reason."""
    if tool.plan is None or tool.describe is None:
        raise TypeError(f"{tool.name} is gated but has no plan or no words")
    with only_rows_of(user):
        return tool.plan(arguments, user=user)


def plan_under_lock(tool: Tool, arguments: dict[str, Any], *, user: Any) -> dict[str, Any]:
    """The facts as they are, of rows that stay as they are to the end of the caller's transaction. Raises Refusal."""
    if tool.lock is None:
        raise TypeError(f"{tool.name} is gated but locks nothing")
    with left_whole():
        tool.lock(arguments, user=user)
    return plan(tool, arguments, user=user)


def unexpected(action: PendingAction) -> str:
    """Of the error that is being handled: the log has it whole, the customer gets a sentence with its reference."""
    reference = new_reference()
    logger.exception("action failed", extra={"action": str(action.pk), "reference": reference})
    words = _("It could not be done, and nothing was changed. Quote reference %(reference)s to a person.")
    return words % {"reference": reference}
