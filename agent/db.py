"""Holding no connection while nothing is asked of the database."""

from django.db import connection


def release() -> None:
    """Close this thread's connection before a wait, so that waiting runs do not use up PostgreSQL's.

    SQLite's costs nothing to keep, and more to open again. Inside a caller's transaction nothing is closed.
    """
    if connection.vendor != "sqlite" and not connection.in_atomic_block:
        connection.close()
