"""Chains to alter, and the way of somebody whom no trigger stops."""

from collections.abc import Callable
from importlib import import_module
from uuid import UUID

import pytest
from django.db import connection

from agent import audit
from agent.models import AuditEntry

held = import_module("agent.migrations.0011_audit_is_kept")
FIRST, SECOND = UUID(int=1), UUID(int=2)


def written(chain: UUID, count: int = 4) -> list[AuditEntry]:
    return [
        audit.record(chain, actor="host", kind="action.executed", subject=f"action:{number}", payload={"n": number})
        for number in range(count)
    ]


@pytest.fixture
def anchored(db: None) -> list[AuditEntry]:
    """Two chains of four rows, anchored today; returns the first one."""
    rows = written(FIRST)
    written(SECOND)
    audit.anchor_now()
    return rows


@pytest.fixture
def as_owner(db: None) -> Callable[..., None]:
    """Run SQL as the owner of the tables can: without the triggers, which are back afterwards."""

    def run(*statements: str) -> None:
        with connection.cursor() as cursor:
            for sql in held.releasing(connection.vendor):
                cursor.execute(sql)
            for sql in statements:
                cursor.execute(sql)
            for sql in held.holding(connection.vendor):
                if "FUNCTION agent_audit_stays() RETURNS" not in sql:
                    cursor.execute(sql)

    return run
