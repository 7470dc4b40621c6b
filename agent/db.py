"""Holding no connection while nothing is asked of the database, and no transaction that somebody forgot."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeAlias, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, Model
from django.db.transaction import TransactionManagementError

Row = TypeVar("Row", bound=Model)
AnyField: TypeAlias = "Field[Any, Any]"
Names = tuple[str, ...]

# What a field of this class stores as it is, whatever the database: a value of this type needs no look at the field.
_AS_IT_IS: dict[type[AnyField], type] = {
    models.CharField: str,
    models.TextField: str,
    models.IntegerField: int,
    models.PositiveIntegerField: int,
    models.PositiveSmallIntegerField: int,
    models.BigIntegerField: int,
}


def release() -> None:
    """Close this thread's connection before a wait, so that waiting runs do not use up PostgreSQL's.

    SQLite's costs nothing to keep, and more to open again. Inside a caller's transaction nothing is closed.
    """
    if connection.vendor != "sqlite" and not connection.in_atomic_block:
        connection.close()


def insert(rows: Sequence[Row]) -> list[Row]:
    """Store new rows of one model, with one statement, and give them their keys. As bulk_create: no signals.

    In SQL that is put together once: the ORM does that anew each time, which is nine tenths of what a row costs it.
    """
    if not rows:
        return []
    own = connections[DEFAULT_DB_ALIAS]  # itself: `connection` looks it up anew at each touch
    fields, head, values, tail = _insert_parts(type(rows[0]), own.vendor)
    sql = f"{head} VALUES {', '.join([values] * len(rows))} {tail}"
    taken = [_stored(field, field.pre_save(row, True), own) for row in rows for field in fields]
    with own.cursor() as cursor:
        cursor.execute(sql, taken)
        keys = cursor.fetchall()
    for row, (key,) in zip(rows, keys, strict=True):
        row.pk, row._state.adding, row._state.db = key, False, own.alias
    return list(rows)


def _stored(field: AnyField, value: Any, own: BaseDatabaseWrapper) -> Any:
    """The value as the database takes it."""
    if value is None or type(value) is _AS_IT_IS.get(type(field)):
        return value
    return field.get_db_prep_save(value, own)


@cache
def _insert_parts(model: type[Model], vendor: str) -> tuple[list[AnyField], str, str, str]:
    """What the statement sets, and its pieces. The key is the database's to give."""
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    key = quote(str(model._meta.pk.column))
    head = f"INSERT INTO {quote(model._meta.db_table)} ({columns})"
    return fields, head, f"({', '.join(['%s'] * len(fields))})", f"RETURNING {key}"


def update_returning(
    model: type[Model], wanted: str, *, where: Mapping[str, Any], grow: Mapping[str, int] | None = None, **changes: Any
) -> tuple[Any, ...] | None:
    """Change the one row that fits, and say what is `wanted` of it, in SQL; None where no row fits.

    One statement where the ORM needs two, and put together once: the run loop does this five times a step.
    `grow` adds to what is there. A foreign key is given as a key.
    """
    grow = grow or {}
    own = connections[DEFAULT_DB_ALIAS]
    fields, sql = _update_parts(model, own.vendor, wanted, tuple(changes), tuple(grow), tuple(where))
    values = zip(fields, (*changes.values(), *grow.values(), *where.values()), strict=True)
    with own.cursor() as cursor:
        cursor.execute(sql, [_stored(field, value, own) for field, value in values])
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


@cache
def _update_parts(
    model: type[Model], vendor: str, wanted: str, changes: Names, grow: Names, where: Names
) -> tuple[list[AnyField], str]:
    """The fields in the order of their values, and the statement."""
    fields = [cast("AnyField", model._meta.get_field(name)) for name in (*changes, *grow, *where)]
    columns = [connection.ops.quote_name(str(field.column)) for field in fields]
    forms = ["{0} = %s"] * len(changes) + ["{0} = {0} + %s"] * len(grow) + ["{0} = %s"] * len(where)
    pieces = [form.format(column) for form, column in zip(forms, columns, strict=True)]
    assigned, fitting = pieces[: len(changes) + len(grow)], pieces[len(changes) + len(grow) :]
    table = connection.ops.quote_name(model._meta.db_table)
    return fields, f"UPDATE {table} SET {', '.join(assigned)} WHERE {' AND '.join(fitting)} RETURNING {wanted}"  # noqa: S608 - names of ours


def queue_for(name: str) -> None:
    """Wait until no other transaction is in this queue; out of it at the end of the caller's transaction.

    It locks no row, so nobody who holds one waits for it. SQLite has one writer at a time anyway.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


@contextmanager
def left_whole() -> Iterator[None]:
    """Around code that is not ours. A transaction that it leaves open is rolled back: TransactionManagementError.

    So is one that it has doomed in silence: its effect would be undone, and its answer would still say "done".
    Everything that follows would otherwise wait in it unseen, and its locks would hold up everybody else.
    """
    own = connections[DEFAULT_DB_ALIAS]
    before, was_doomed = len(own.atomic_blocks), own.needs_rollback
    is_left = False
    try:
        yield
    finally:
        is_left = _rolled_back_to(before, own)
    if is_left:
        raise TransactionManagementError("a transaction was left open")
    if own.in_atomic_block and own.needs_rollback and not was_doomed:
        raise TransactionManagementError("a transaction was marked to be rolled back")


def _rolled_back_to(depth: int, own: BaseDatabaseWrapper) -> bool:
    is_left = len(own.atomic_blocks) > depth
    while len(own.atomic_blocks) > depth:
        own.atomic_blocks[-1].__exit__(TransactionManagementError, None, None)
    if own.in_atomic_block or own.connection is None:
        return is_left
    is_by_hand = not own.autocommit
    own.rollback()  # also what was begun in plain SQL
    if is_by_hand:
        own.set_autocommit(True)
    return is_left or is_by_hand
