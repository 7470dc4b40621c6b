"""A tool during which the customer presses Stop."""

from typing import Any

from agent.runs import start
from agent.tools import Example, tool


@tool(examples=[Example("Look until I stop you", {})])
def look_until_stopped(*, user: Any, run: Any) -> dict[str, Any]:
    """Look at something; the stop is acknowledged before this answers."""
    start.request_stop(run, by=user)
    return {"looked": True}
