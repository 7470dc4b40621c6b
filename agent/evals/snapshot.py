"""Every row of some tables, so that a play can be shown to have changed what it should and nothing else."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import ForeignKey, Model

Table = type[Model]
Rows = dict[Table, dict[Any, tuple[Any, ...]]]  # by primary key, the columns in the model's order

ADDED, CHANGED, REMOVED = "added", "changed", "removed"
LONGEST_WAY = 4  # foreign keys from a row to its customer


@dataclass(frozen=True)
class Change:
    """One row that is not what it was. `fields` names the columns that changed."""

    table: Table
    pk: Any
    kind: str
    fields: frozenset[str] = frozenset()

    def __str__(self) -> str:
        what = f" in {', '.join(sorted(self.fields))}" if self.fields else ""
        return f"{self.table._meta.db_table} {self.pk} {self.kind}{what}"


def rows_of(tables: Iterable[Table]) -> Rows:
    """All rows as the database has them, without making objects of them: thousands take milliseconds."""
    return {table: _rows(table) for table in tables}


def changes(before: Rows, after: Rows) -> list[Change]:
    """What was added, changed or removed between two snapshots of the same tables."""
    found = []
    for table, old in before.items():
        new = after[table]
        if old == new:
            continue
        found += [Change(table, pk, ADDED) for pk in new.keys() - old.keys()]
        found += [Change(table, pk, REMOVED) for pk in old.keys() - new.keys()]
        both = (pk for pk in new.keys() & old.keys() if new[pk] != old[pk])
        found += [Change(table, pk, CHANGED, _changed_fields(table, old[pk], new[pk])) for pk in both]
    return sorted(found, key=str)


def belongs_to(change: Change, user: Any) -> bool:
    """Whether every way from the row to a customer ends at this one. False where there is none: a shared row."""
    if change.table is get_user_model():
        return change.pk == user.pk
    ways = _ways(change.table)
    row = change.table._base_manager.filter(pk=change.pk).values_list(*ways).first() if ways else None
    owners = {owner for owner in row or () if owner is not None}
    return owners == {user.pk}


def _rows(table: Table) -> dict[Any, tuple[Any, ...]]:
    fields = table._meta.concrete_fields
    at = fields.index(table._meta.pk)
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM {quote(table._meta.db_table)}")  # noqa: S608 - names of our own tables
        return {row[at]: row for row in cursor.fetchall()}


def _changed_fields(table: Table, old: tuple[Any, ...], new: tuple[Any, ...]) -> frozenset[str]:
    fields = table._meta.concrete_fields
    return frozenset(field.name for field, a, b in zip(fields, old, new, strict=True) if a != b)


def _ways(table: Table, *, passed: tuple[Table, ...] = ()) -> list[str]:
    """Lookups from a row to its customers, along foreign keys: "customer", "order__customer"."""
    passed = (*passed, table)
    ways = []
    for field in table._meta.concrete_fields:
        if not isinstance(field, ForeignKey) or len(passed) > LONGEST_WAY:
            continue
        target = field.related_model
        if target is get_user_model():
            ways.append(field.name)
        elif target not in passed:
            ways += [f"{field.name}__{way}" for way in _ways(target, passed=passed)]
    return ways
