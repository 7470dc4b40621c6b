"""On PostgreSQL reads and plans run under a role of their own that sees one customer's rows, whatever a tool forgets.

An app says whose the rows of its models are (`rows_of_customers` of its AppConfig): the field that leads to the
customer, perhaps by way of another model that is named there; None for what is everybody's. The role may read these
tables and no others, and write none. The owner of the tables is bound by nothing here.
"""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import Error, connection, models, transaction

from agent.conf import setting
from agent.db import left_whole

logger = logging.getLogger(__name__)

ROLE = "agent_tools"
CUSTOMER = "agent.user_id"  # the setting of a transaction that the policies look at
OTHERS = "agent_site"  # the policy of DATABASE_ROLE, which is not the owner: everything, as before
NO_ROLE = f"What tools read is not narrowed by the database: the role {ROLE} is missing, or may not be entered."
MAKE_ROLE = f"As a superuser: CREATE ROLE {ROLE} NOLOGIN; GRANT {ROLE} TO <user of DATABASE_URL>. Then migrate."

# Another database of the same server may have made it, or be making it now.
_CREATE = """
DO $$ BEGIN
    CREATE ROLE {role} NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$
"""
_STATE = """
SELECT policy.polrelid::regclass::text, obj_description(policy.oid, 'pg_policy')
FROM pg_policy policy WHERE policy.polname = %s
"""
_CAN_ENTER = """
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = %s AND pg_has_role(current_user, oid, 'MEMBER')),
       EXISTS (SELECT FROM pg_policy WHERE polname = %s)
"""

_known: dict[str, bool] = {}  # by database: what was found out once


@dataclass(frozen=True)
class Rows:
    """A model's table, and the SQL condition under which one of its rows is the customer's."""

    table: str
    condition: str

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(f"{self.condition} {setting('DATABASE_ROLE')}".encode()).hexdigest()[:16]


@contextmanager
def only_rows_of(user: Any) -> Iterator[None]:
    """Around code that only reads: it sees this user's rows and what is everybody's. Whatever is lazy is read within.

    Where there is no such role, on SQLite or by want of a right, it runs as it would without. An error rolls back, and
    that takes the role away too; so does the end of the transaction.
    """
    if not is_on():
        with left_whole():
            yield
        return
    # Else the transaction ends with the block, and its settings with it.
    goes_on = connection.in_atomic_block or not connection.get_autocommit()
    with transaction.atomic():
        _set(role=ROLE, customer=str(user.pk))
        with left_whole():
            yield
        if goes_on:
            _set(role="none", customer="")


def is_on() -> bool:
    """Whether reads run under the role. Looked up once a process, so a role that is made later needs a restart."""
    if connection.vendor != "postgresql":
        return False
    name = str(connection.settings_dict["NAME"])
    if name not in _known:
        _known[name] = can_enter()
    return _known[name]


def is_missing() -> bool:
    """Whether there are tables that should be narrowed, and are not. Before the first migrate there are none."""
    return connection.vendor == "postgresql" and bool(_there()) and not can_enter()


def can_enter() -> bool:
    """Whether the role is there, this connection may enter it, and the tables have their policies."""
    with connection.cursor() as cursor:
        cursor.execute(_CAN_ENTER, [ROLE, ROLE])
        return all(cursor.fetchone())


def _set(*, role: str, customer: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, true), set_config('role', %s, true)", [CUSTOMER, customer, role])


# What the tables need --------------------------------------------------------------------------------------


def declared() -> list[Rows]:
    """Every table that an app has said something about."""
    return [
        Rows(model._meta.db_table, _condition(model, path))
        for config in apps.get_app_configs()
        for name, path in getattr(config, "rows_of_customers", {}).items()
        for model in [config.get_model(name)]
    ]


def _there() -> list[Rows]:
    """Those that are made already: migrate may stop at, or go back to, a state before some of them."""
    tables = set(connection.introspection.table_names())
    return [rows for rows in declared() if rows.table in tables]


def _condition(model: type[models.Model], path: str | None) -> str:
    """The row points at the customer, or at a row that the role can see: that one has a policy of its own."""
    if path is None:
        return "true"
    quote = connection.ops.quote_name
    field: Any = model._meta.get_field(path)
    column = f"{quote(model._meta.db_table)}.{quote(field.column)}"
    if field.related_model is get_user_model():
        return f"{column} = (SELECT NULLIF(current_setting('{CUSTOMER}', true), '')::{field.db_type(connection)})"
    above, key = quote(field.related_model._meta.db_table), quote(field.target_field.column)
    return f"EXISTS (SELECT 1 FROM {above} above WHERE above.{key} = {column})"  # noqa: S608 - names of ours


def protect(**_: Any) -> None:
    """After each migrate: the role, its rights and the policies, where they are not as they are declared. Repeatable.

    Without the right to make the role it warns, and `manage.py check --database default` says so from then on.
    """
    _known.clear()
    if connection.vendor != "postgresql":
        return
    try:
        with transaction.atomic():
            _make_role()
    except Error:
        logger.warning("%s %s", NO_ROLE, MAKE_ROLE)
        return
    with connection.cursor() as cursor:
        cursor.execute(_STATE, [ROLE])
        there = dict(cursor.fetchall())
    for rows in _there():
        if there.get(rows.table) != rows.fingerprint:
            with transaction.atomic():
                _protect(rows)


def _make_role() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, EXISTS (SELECT FROM pg_roles WHERE rolname = %s)", [ROLE])
        me, is_there = cursor.fetchone()
        if not is_there:
            cursor.execute(_CREATE.format(role=ROLE))
        for name in filter(None, (me, setting("DATABASE_ROLE"))):
            cursor.execute("SELECT pg_has_role(%s, %s, 'MEMBER')", [name, ROLE])
            if not cursor.fetchone()[0]:
                cursor.execute(f"GRANT {ROLE} TO {connection.ops.quote_name(name)}")


def _protect(rows: Rows) -> None:
    table = connection.ops.quote_name(rows.table)
    statements = [
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"DROP POLICY IF EXISTS {ROLE} ON {table}",
        f"DROP POLICY IF EXISTS {OTHERS} ON {table}",
        f"CREATE POLICY {ROLE} ON {table} FOR SELECT TO {ROLE} USING ({rows.condition})",
        f"COMMENT ON POLICY {ROLE} ON {table} IS '{rows.fingerprint}'",
        f"GRANT SELECT ON {table} TO {ROLE}",
    ]
    if setting("DATABASE_ROLE"):
        site = connection.ops.quote_name(setting("DATABASE_ROLE"))
        statements.append(f"CREATE POLICY {OTHERS} ON {table} TO {site} USING (true) WITH CHECK (true)")
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
