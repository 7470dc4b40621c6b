"""On PostgreSQL the database narrows what a tool reads to the customer's rows, and the role is taken back each time."""

import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import Error, connection, connections, transaction

from agent import checks, rowsecurity
from agent.models import AgentStep
from agent.rowsecurity import only_rows_of
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import Refusal, registry
from config.env.services import POOL
from config.postgresql.base import DatabaseWrapper
from orders.models import Address, Order
from tests.conftest import missing
from tests.orders.shop import order
from tests.scoping import calling

pytestmark = pytest.mark.django_db


@pytest.fixture
def narrowed(db: None) -> None:
    """The role is there, as on any PostgreSQL whose user may make one."""
    if connection.vendor != "postgresql":
        missing("DATABASE_URL names no PostgreSQL")
    assert rowsecurity.is_on()


def asked(sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def whoami() -> tuple[str, str]:
    """Under which role the connection is now, and for whom."""
    user, customer = asked("SELECT current_user, COALESCE(current_setting(%s, true), '')", rowsecurity.CUSTOMER)[0]
    return user, customer


def owner() -> str:
    return asked("SELECT session_user")[0][0]


# Which tables -------------------------------------------------------------------------------------------------------


def assert_each_table_has_its_policy() -> None:
    declared = {rows.table for rows in rowsecurity.declared()}
    policies = asked("SELECT tablename, policyname, roles::text[], cmd FROM pg_policies")
    assert {row[0] for row in policies} == declared
    assert {tuple(map(str, row[1:])) for row in policies} == {("agent_tools", "['agent_tools']", "SELECT")}
    switched = asked("SELECT relname, relforcerowsecurity FROM pg_class WHERE relrowsecurity")
    assert set(switched) == {(table, False) for table in declared}


def test_every_declared_table_has_its_policy_for_that_role_alone(narrowed: None) -> None:
    assert_each_table_has_its_policy()


def test_the_role_may_read_those_tables_and_do_nothing_else(narrowed: None) -> None:
    rights = asked(
        "SELECT table_name, privilege_type FROM information_schema.table_privileges WHERE grantee = %s", "agent_tools"
    )
    assert set(rights) == {(rows.table, "SELECT") for rows in rowsecurity.declared()}
    assert asked("SELECT rolcanlogin, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = %s", "agent_tools") == [
        (False,) * 3
    ]


# What a broken tool finds -------------------------------------------------------------------------------------------


@pytest.fixture
def leaky_tools() -> Iterator[None]:
    registry.load([*settings.AGENT["TOOL_MODULES"], "tests.scoping.leaky_tools"])
    yield
    registry.load()


def test_tool_without_a_selector_finds_the_callers_rows_alone(
    narrowed: None, leaky_tools: None, alice: User, bob: User
) -> None:
    """The whole way of a call: a colleague's tool that forgets the customer, asked for by name."""
    for user, street in ((alice, "1 Alice Road"), (bob, "2 Bob Road")):
        Address.objects.create(customer=user, line1=street, city="Town", country="Land", zip="1")
    order(alice, "DZ-10423", note="for alice only")
    client = ScriptedClient(
        [tool_use("anyones_order", order_number="DZ-10423"), tool_use("everybodys_addresses")], [text("Look.")]
    )
    run = run_agent_for_user("Show me everything", user=bob, client=client)
    first, second = AgentStep.objects.filter(run=run).order_by("sequence")
    assert (first.outcome, first.result) == ("ok", '{"error": "no such order"}')
    assert ("2 Bob Road" in second.result, "1 Alice Road" in second.result) == (True, False)
    assert whoami() == (owner(), "")


def test_write_within_a_read_is_refused_by_the_database(narrowed: None, alice: User) -> None:
    """SECURITY 20: the role under which tools read cannot write."""
    made = order(alice)
    with pytest.raises(Error), only_rows_of(alice):
        Order.objects.filter(pk=made.pk).update(note="changed by a read")
    with pytest.raises(Error), only_rows_of(alice):
        User.objects.count()
    made.refresh_from_db()
    assert (made.note, whoami()) == ("", (owner(), ""))


# Going in and coming out --------------------------------------------------------------------------------------------


def test_role_is_left_after_a_read_a_refusal_and_a_broken_query(narrowed: None, alice: User) -> None:
    with only_rows_of(alice):
        assert whoami() == ("agent_tools", str(alice.pk))
    assert whoami() == (owner(), "")
    with pytest.raises(Refusal), only_rows_of(alice):
        raise Refusal("no")
    assert whoami() == (owner(), "")
    with pytest.raises(Error), only_rows_of(alice):
        asked("SELECT 1 / 0")
    assert whoami() == (owner(), "")


def test_role_is_left_inside_a_callers_transaction_too(narrowed: None, alice: User, bob: User) -> None:
    with transaction.atomic():
        with only_rows_of(alice), only_rows_of(bob):
            assert whoami() == ("agent_tools", str(bob.pk))
        assert whoami() == (owner(), "")
        order(alice)
    assert Order.objects.count() == 1


def test_role_is_left_where_transactions_are_begun_by_hand(narrowed: None, postgres: None, alice: User) -> None:
    transaction.set_autocommit(False)
    try:
        with only_rows_of(alice):
            assert whoami() == ("agent_tools", str(alice.pk))
        assert whoami() == (owner(), "")
    finally:
        transaction.rollback()
        transaction.set_autocommit(True)


def test_a_pools_next_customer_never_finds_the_role_of_the_last(postgres: None, alice: User, bob: User) -> None:
    """One connection, handed from one to the other, also after errors and after a tool that left a transaction open."""
    for user in (alice, bob):
        order(user, f"DZ-{user.pk}")
    pool = {**POOL, "min_size": 1, "max_size": 1}
    pooled = DatabaseWrapper({**connection.settings_dict, "OPTIONS": {"pool": pool}}, alias="pooled")
    own, connections["default"] = connections["default"], pooled  # this thread's, as between two runs
    try:
        seen = [_one_turn(number, user) for number, user in enumerate([alice, bob] * 6)]
    finally:
        pooled.close()
        pooled.close_pool()
        connections["default"] = own
    assert seen == [((owner(), ""), [f"DZ-{user.pk}"], (owner(), ""), 2) for user in [alice, bob] * 6]


def _one_turn(number: int, user: User) -> tuple[Any, ...]:
    before, found = whoami(), []
    with suppress(Refusal, transaction.TransactionManagementError), only_rows_of(user):
        found = list(Order.objects.values_list("number", flat=True))
        if number % 3 == 1:
            raise Refusal("no")
        if number % 3 == 2:
            transaction.atomic().__enter__()
    turn = before, found, whoami(), Order.objects.count()
    connection.close()  # back to the pool
    return turn


# Where there is no role ---------------------------------------------------------------------------------------------


@pytest.fixture
def weak(narrowed: None, monkeypatch: Any) -> Iterator[None]:
    """A user who may not make roles, on a server that has no such role yet."""
    monkeypatch.setattr(rowsecurity, "ROLE", f"agent_tools_{os.getpid()}")
    name = f"weak_{os.getpid()}"
    with transaction.atomic():
        asked_nothing(
            f"CREATE ROLE {name} NOSUPERUSER NOCREATEROLE; GRANT ALL ON ALL TABLES IN SCHEMA public TO {name}"
        )
        asked_nothing(f"SET LOCAL SESSION AUTHORIZATION {name}")
        yield
        transaction.set_rollback(True)
    rowsecurity._known.clear()


def asked_nothing(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def test_without_the_right_to_make_the_role_it_warns_and_reads_go_on(weak: None, caplog: Any) -> None:
    assert checks.check_row_security(databases=["default"])[0].id == "agent.W002"
    with caplog.at_level(logging.WARNING):
        rowsecurity.protect()
    assert "CREATE ROLE" in caplog.text
    assert not rowsecurity.is_on()
    with only_rows_of(User(pk=1)):
        assert whoami()[0] == f"weak_{os.getpid()}"


def test_role_that_is_there_is_taken_and_repeating_changes_nothing(narrowed: None) -> None:
    with calling.statements() as sent:
        rowsecurity.protect()
    assert [sql for sql in sent if not sql.strip().startswith(("SELECT", "SAVEPOINT", "RELEASE"))] == []
    assert checks.check_row_security(databases=["default"]) == []


def test_policy_that_says_something_else_is_made_anew(narrowed: None) -> None:
    asked_nothing("COMMENT ON POLICY agent_tools ON orders_order IS 'of an older version'")
    asked_nothing("DROP POLICY agent_tools ON orders_product")
    rowsecurity.protect()
    assert_each_table_has_its_policy()


def test_migrate_may_stop_before_all_tables_are_made(narrowed: None) -> None:
    with transaction.atomic():
        asked_nothing("DROP TABLE agent_helparticle")
        rowsecurity.protect()
        assert ("agent_helparticle",) not in asked("SELECT tablename FROM pg_policies")
        transaction.set_rollback(True)


def test_before_the_first_migrate_nothing_is_missed(narrowed: None) -> None:
    with transaction.atomic():
        for rows in rowsecurity.declared():
            asked_nothing(f"DROP TABLE {rows.table} CASCADE")
        assert checks.check_row_security(databases=["default"]) == []
        transaction.set_rollback(True)


def test_a_role_of_web_and_worker_sees_everything_as_before(narrowed: None, alice: User, settings: Any) -> None:
    """`DATABASE_ROLE` does not own the tables: without a policy of its own it would find nothing."""
    name = f"site_{os.getpid()}"
    settings.AGENT = {**settings.AGENT, "DATABASE_ROLE": name}
    with transaction.atomic():
        asked_nothing(f"CREATE ROLE {name}; GRANT SELECT, UPDATE ON ALL TABLES IN SCHEMA public TO {name}")
        rowsecurity.protect()
        order(alice)
        asked_nothing(f"SET LOCAL SESSION AUTHORIZATION {name}")
        assert (Order.objects.count(), Order.objects.update(note="seen")) == (1, 1)
        with only_rows_of(User(pk=alice.pk + 1)):
            assert Order.objects.count() == 0
        transaction.set_rollback(True)


def test_on_sqlite_reads_run_as_before(alice: User) -> None:
    if connection.vendor == "sqlite":
        with only_rows_of(alice), calling.statements() as sent:
            pass
        assert (sent, rowsecurity.is_on(), checks.check_row_security(databases=["default"])) == ([], False, [])
