"""Threat 45: the database itself refuses to change or to remove a row of the audit."""

from collections.abc import Iterator

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from agent import audit
from agent.models import AuditAnchor, AuditEntry
from tests.audit.conftest import FIRST, written

REFUSED = [
    "UPDATE agent_auditentry SET actor = 'nobody'",
    "DELETE FROM agent_auditentry",
    "UPDATE agent_auditanchor SET digest = ''",
    "DELETE FROM agent_auditanchor",
]
ROLE = "countersign_test_web"


def rows() -> tuple[list[dict], list[dict]]:
    return list(AuditEntry.objects.values()), list(AuditAnchor.objects.values())


@pytest.mark.parametrize("sql", REFUSED)
def test_rows_are_not_changed_or_removed(anchored: list[AuditEntry], sql: str) -> None:
    before = rows()
    with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)
    assert rows() == before


@pytest.mark.parametrize("table", ["agent_auditentry", "agent_auditanchor"])
def test_table_is_not_emptied_or_replaced(anchored: list[AuditEntry], table: str) -> None:
    before = rows()
    sql = f"TRUNCATE {table}" if connection.vendor == "postgresql" else f"REPLACE INTO {table} SELECT * FROM {table}"
    with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)
    assert rows() == before


@pytest.mark.parametrize("model", [AuditEntry, AuditAnchor])
def test_model_is_insert_only_after_all_migrations(db: None, model: type) -> None:
    assert audit.insert_only(model)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", [1, 2])
def test_tests_still_begin_with_an_empty_audit(turn: int) -> None:
    assert AuditEntry.objects.count() == 0
    with transaction.atomic():
        written(FIRST)
    assert audit.insert_only(AuditEntry)


@pytest.fixture
def second_role(postgres: None) -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP ROLE IF EXISTS {ROLE}")
        cursor.execute(f"CREATE ROLE {ROLE} NOLOGIN")
    yield ROLE
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
        cursor.execute(f"DROP OWNED BY {ROLE}")
        cursor.execute(f"DROP ROLE {ROLE}")


def test_second_role_may_read_and_add_and_nothing_else(second_role: str, settings) -> None:
    settings.AGENT = {**settings.AGENT, "DATABASE_ROLE": second_role}
    audit.grant_after_migrations()
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {second_role}")
    with transaction.atomic():
        written(FIRST)
    before = rows()
    for sql in [*REFUSED, "TRUNCATE agent_auditentry", "ALTER TABLE agent_auditentry DISABLE TRIGGER USER"]:
        refused = pytest.raises(DatabaseError, match=r"permission denied|must be owner")
        with refused, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    assert rows() == before
    assert len(before[0]) == 4


def test_rights_are_given_before_every_table_is_made(second_role: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DROP TABLE agent_auditanchor")
        audit.grant(second_role)
        cursor.execute("SELECT has_table_privilege(%s, 'agent_auditentry', 'DELETE')", [second_role])
        assert cursor.fetchone() == (False,)
        transaction.set_rollback(True)


def test_role_with_an_odd_name_is_refused(db: None) -> None:
    if connection.vendor != "postgresql":
        assert audit.grant('x"; DROP TABLE agent_auditentry') is None
        return
    with pytest.raises(ValueError, match="no plain name"):
        audit.grant('x"; DROP TABLE agent_auditentry')
