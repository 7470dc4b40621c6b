"""Holding no connection while nothing is asked of the database, and no transaction that somebody forgot."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from django.db import connection
from django.db.models import Field, Model
from django.db.transaction import TransactionManagementError


def release() -> None:
    """Close this thread's connection before a wait, so that waiting runs do not use up PostgreSQL's.

    SQLite's costs nothing to keep, and more to open again. Inside a caller's transaction nothing is closed.
    """
    if connection.vendor != "sqlite" and not connection.in_atomic_block:
        connection.close()


def update_returning(
    model: type[Model], wanted: str, *, where: Mapping[str, Any], grow: Mapping[str, int] | None = None, **changes: Any
) -> tuple[Any, ...] | None:
    """Change the one row that fits, and say what is `wanted` of it, in SQL; None where no row fits.

    One statement where the ORM needs two, and a third of the time: the run loop does this twice a step.
    `grow` adds to what is there.
    """
    assigned = [*_pairs(model, changes, "{} = %s"), *_pairs(model, grow or {}, "{0} = {0} + %s")]
    fitting = _pairs(model, where, "{} = %s")
    quote = connection.ops.quote_name
    sql = (
        f"UPDATE {quote(model._meta.db_table)} SET {', '.join(text for text, _ in assigned)} "  # noqa: S608 - names of ours
        f"WHERE {' AND '.join(text for text, _ in fitting)} RETURNING {wanted}"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [value for _, value in (*assigned, *fitting)])
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def _pairs(model: type[Model], values: Mapping[str, Any], form: str) -> list[tuple[str, Any]]:
    """For each field its piece of SQL and its value as the database takes it."""
    fields = [(cast("Field[Any, Any]", model._meta.get_field(name)), value) for name, value in values.items()]
    quote = connection.ops.quote_name
    return [
        (form.format(quote(str(field.column))), field.get_db_prep_save(value, connection)) for field, value in fields
    ]


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
