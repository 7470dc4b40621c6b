"""Holding no connection while nothing is asked of the database, and no transaction that somebody forgot."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.transaction import TransactionManagementError


def release() -> None:
    """Close this thread's connection before a wait, so that waiting runs do not use up PostgreSQL's.

    SQLite's costs nothing to keep, and more to open again. Inside a caller's transaction nothing is closed.
    """
    if connection.vendor != "sqlite" and not connection.in_atomic_block:
        connection.close()


@contextmanager
def left_whole() -> Iterator[None]:
    """Around code that is not ours. A transaction that it leaves open is rolled back: TransactionManagementError.

    Everything that follows would otherwise wait in it unseen, and its locks would hold up everybody else.
    """
    before = len(connection.atomic_blocks)
    is_left = False
    try:
        yield
    finally:
        is_left = _rolled_back_to(before)
    if is_left:
        raise TransactionManagementError("a transaction was left open")


def _rolled_back_to(depth: int) -> bool:
    is_left = len(connection.atomic_blocks) > depth
    while len(connection.atomic_blocks) > depth:
        connection.atomic_blocks[-1].__exit__(TransactionManagementError, None, None)
    if connection.in_atomic_block or connection.connection is None:
        return is_left
    is_by_hand = not connection.autocommit
    connection.rollback()  # also what was begun in plain SQL
    if is_by_hand:
        connection.set_autocommit(True)
    return is_left or is_by_hand
