"""Tools during which something happens: the customer presses Stop, the database goes away."""

from typing import Any

from django.db import connection, transaction

from agent.runs import start
from agent.tools import Example, tool


@tool(examples=[Example("Look until I stop you", {})])
def look_until_stopped(*, user: Any, run: Any) -> dict[str, Any]:
    """Look at something; the stop is acknowledged before this answers."""
    _leave_the_role()
    start.request_stop(run, by=user)
    return {"looked": True}


@tool(examples=[Example("Look while the database is restarted", {})])
def look_while_it_restarts(*, user: Any, run: Any) -> dict[str, Any]:
    """Lose the connection in the middle of a query at the first attempt; answer at the second."""
    if run.attempt == 1:
        with transaction.atomic(), connection.cursor() as cursor:
            _leave_the_role()
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    return {"orders": user.conversations.count()}


def _leave_the_role() -> None:
    """What happens meanwhile happens elsewhere, and there nobody has taken the role of reads."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL ROLE NONE")
