"""What keeps the audit's rows as they are in the database: triggers for everybody, grants for a second role.

The triggers are those of the migrations. Whoever owns the tables can drop them, which `findings` reports; a role that
does not own them cannot, and needs no right to change these tables at all.
"""

import re
from typing import Any

from django.db import connection, models

from agent.conf import setting
from agent.models import AuditAnchor, AuditEntry

TABLES = (AuditEntry, AuditAnchor)
KINDS = {"sqlite": ("not_changed", "not_removed", "not_replaced"), "postgresql": ("stays", "not_emptied")}


def insert_only(model: type[models.Model]) -> bool:
    """Whether the table's triggers are in place and switched on."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [table])
        else:
            sql = "SELECT tgname FROM pg_trigger WHERE tgrelid = to_regclass(%s) AND tgenabled = 'A'"
            cursor.execute(sql, [table])
        found = {name for (name,) in cursor.fetchall()}
    return found >= {f"{table}_{kind}" for kind in KINDS[connection.vendor]}


def grant(role: str) -> None:
    """Give a role what web and worker need, on PostgreSQL: every table, but of the audit only to read and to add.

    For a site whose processes connect under another role than the one that owns the tables. Safe to repeat.
    """
    if connection.vendor != "postgresql":
        return
    if not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", role):
        raise ValueError(f"{role!r} is no plain name of a role")
    name = connection.ops.quote_name(role)
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        cursor.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {name}")
        cursor.execute(f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {name}")
        for model in TABLES:
            if model._meta.db_table in tables:  # migrate may have stopped before it
                table = connection.ops.quote_name(model._meta.db_table)
                cursor.execute(f"REVOKE UPDATE, DELETE, TRUNCATE, TRIGGER ON {table} FROM {name}")


def grant_after_migrations(**_: Any) -> None:
    """The rights of the role that the site names, also on what a migration has just made."""
    if setting("DATABASE_ROLE"):
        grant(setting("DATABASE_ROLE"))
