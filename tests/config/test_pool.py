"""The pool of database connections: it is bounded, and a restart of the server is over with the first that looks."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.db import connection

from config import env
from config.env.services import POOL
from config.postgresql.base import DatabaseWrapper

SIZE = 6  # so many dead connections, tried one after the other with growing waits, would outlast the pool's patience
ENOUGH = {"SECRET_KEY": "0123456789-abcdefghijklmnopqrstuvwxyz"}
POSTGRES = "postgresql://shop@127.0.0.1/shop"


@pytest.fixture
def pool_options(postgres: None) -> Iterator[dict[str, Any]]:
    """The test's database, through a pool of its own."""
    options = {**POOL, "max_size": SIZE}
    yield {**connection.settings_dict, "OPTIONS": {"pool": options}}
    one_of({**connection.settings_dict, "OPTIONS": {"pool": options}}).close_pool()


def one_of(settings: dict[str, Any]) -> DatabaseWrapper:
    """What a thread has: its own object, and the process's pool."""
    return DatabaseWrapper(settings, alias="pooled")


def pid_of(wrapper: DatabaseWrapper) -> int:
    with wrapper.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def opened(settings: dict[str, Any], *, count: int) -> set[int]:
    """So many connections at once, then all back in the pool."""
    with ExitStack() as stack:
        wrappers = [one_of(settings) for _ in range(count)]
        for wrapper in wrappers:
            stack.callback(wrapper.close)
        return {pid_of(wrapper) for wrapper in wrappers}


def test_pool_gives_the_same_connections_again(pool_options: dict[str, Any]) -> None:
    first = opened(pool_options, count=SIZE)
    assert (len(first), opened(pool_options, count=SIZE)) == (SIZE, first)


def test_dead_connections_are_all_made_anew_by_the_first_that_looks(pool_options: dict[str, Any]) -> None:
    before = opened(pool_options, count=SIZE)
    with connection.cursor() as cursor:
        for pid in before:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    assert not before & opened(pool_options, count=SIZE)


@pytest.mark.parametrize(("url", "size", "found"), [
    (POSTGRES, "", 16), (POSTGRES, "4", 4), (POSTGRES, "0", None), ("sqlite:////tmp/nowhere.sqlite3", "", None),
])  # fmt: skip
def test_pool_has_the_size_that_is_set_and_sqlite_has_none(url: str, size: str, found: int | None) -> None:
    database = env.read({**ENOUGH, "DATABASE_URL": url, "DATABASE_POOL": size}).database
    assert database["OPTIONS"].get("pool", {}).get("max_size") == found
