"""The cast and the services that tests share."""

import inspect
import os
import shutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import hypothesis
import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Permission, User
from django.core.cache import cache
from django.db import connection, connections
from django.utils import translation

from tests.result_shapes import faults, look_at_every_result

# How long a draw takes says how busy the machine is, and nothing of the code. What holds a change back draws the same
# every time; whoever runs the tests by hand looks further.
hypothesis.settings.register_profile(
    "shared machine",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("shared machine")

PASSWORD = "correct horse battery"  # everybody's


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A coroutine runs in a loop of its own; its database work in this thread, in the test's transaction."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    async_to_sync(pyfuncitem.obj)(**{name: pyfuncitem.funcargs[name] for name in names})
    return True


@pytest.fixture(autouse=True)
def _fresh_start() -> None:
    """Rate limits of one test are not the next one's, and neither is its language."""
    cache.clear()
    translation.activate("en")


@pytest.fixture(autouse=True, scope="session")
def _every_result_is_looked_at() -> None:
    look_at_every_result()


@pytest.fixture(autouse=True)
def _results_keep_their_schemas(_every_result_is_looked_at: None) -> Iterator[None]:
    """What a tool answered in the test is what it publishes. Not with an assertion: the run loop would catch it."""
    yield
    assert faults() == []


@pytest.fixture(autouse=True, scope="session")
def _emptied_between_tests() -> None:
    """The audit refuses to be emptied, between tests too: there its triggers go and come back, as its owner may."""
    held = import_module("agent.migrations.0011_audit_is_kept")
    operations: Any = type(connections["default"].ops)
    emptied = operations.sql_flush
    vendor = connections["default"].vendor

    def sql_flush(self: Any, style: Any, tables: Any, **options: Any) -> list[str]:
        statements = emptied(self, style, tables, **options)
        triggers = [sql for sql in held.holding(vendor) if "FUNCTION agent_audit_stays() RETURNS" not in sql]
        # In the order in which the anchor of a served site takes them: else each may wait for the other.
        first = ["LOCK TABLE agent_auditanchor, agent_auditentry"] if vendor == "postgresql" else []
        return [*first, *held.releasing(vendor), *statements, *triggers] if statements else statements

    operations.sql_flush = sql_flush


def _person(username: str, **about: Any) -> User:
    return User.objects.create_user(username, f"{username}@example.com", PASSWORD, **about)


@pytest.fixture
def alice(db: None) -> User:
    """A customer; the one whose rows are at stake."""
    return _person("alice", first_name="Alice")


@pytest.fixture
def bob(db: None) -> User:
    """Another customer: the stranger."""
    return _person("bob", first_name="Bob")


@pytest.fixture
def staff(db: None) -> User:
    """A member of staff who may review runs, and nothing else."""
    person = _person("staff", first_name="Sam", is_staff=True)
    person.user_permissions.add(Permission.objects.get(codename="view_agentrun"))
    return person


def missing(what: str) -> None:
    """End the test: a failure with CI=true, else a skip with the reason."""
    # `make test` runs once without services, on purpose, also in CI.
    if os.environ.get("CI") == "true" and not os.environ.get("TEST_WITHOUT_SERVICES"):
        pytest.fail(f"{what}: with CI=true that is a failure")
    pytest.skip(what)


@pytest.fixture
def redis_url() -> str:
    """A running Redis, shared with others: use names of your own."""
    url = os.environ["TEST_REDIS_URL"]
    if not url:
        missing("REDIS_URL names no Redis")
    return url


@pytest.fixture
def redis_program() -> str:
    """The path of redis-server, for a Redis of the test's own."""
    program = shutil.which("redis-server")
    if program is None:
        missing("redis-server is not installed")
    return program or ""


@pytest.fixture
def postgres(transactional_db: None) -> None:
    """The test runs on PostgreSQL, with real commits."""
    if connection.vendor != "postgresql":
        missing("DATABASE_URL names no PostgreSQL")
