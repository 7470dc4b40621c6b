"""A tool in which a worker can be killed."""

import threading
from typing import Any

from agent.tools import Example, tool

SECONDS = 30.0


@tool(examples=[Example("Look slowly", {})])
def slow_look(*, user: Any, run: Any) -> dict[str, Any]:
    """Take so long at the first attempt that the test can kill the worker; answer at once at the second."""
    if run.attempt == 1:
        threading.Event().wait(SECONDS)
    return {"looked": True, "attempt": run.attempt}
