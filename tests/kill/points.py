"""Where a worker can die: before and after every commit and every call to the outside, counted as they come.

Commits are those of transactions and of single statements beside them, whoever wrote the SQL; outside are the model,
the tools, and Redis: what is published and what is handed to the broker.

Used in the test's own process, where dying is an exception that nothing catches, and in a real worker, where it is
SIGKILL (`DIE_AT` in the environment of `tests.kill.settings`).
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from agent import events, inbox
from agent.tools import Tool

WRITES = ("INSERT", "UPDATE", "DELETE")


class Died(BaseException):
    """The worker is gone. No `except Exception` may catch it."""


class Points:
    """Counts the points that one thread passes, and dies at the one that was chosen."""

    def __init__(self, *, die_at: int = 0, die: Callable[[], None]) -> None:
        self.die_at = die_at
        self.die = die
        self.passed: list[str] = []
        self.thread = threading.get_ident()

    @property
    def is_dead(self) -> bool:
        return 0 < self.die_at <= len(self.passed)

    def reach(self, name: str) -> None:
        if threading.get_ident() != self.thread:
            return
        if not self.is_dead:
            self.passed.append(name)
        if self.is_dead:
            self.die()  # again, where what is rolled back or runs on commit would go on

    def around(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **kwargs: Any) -> Any:
            self.reach(f"before {name}")
            result = call(*args, **kwargs)
            self.reach(f"after {name}")
            return result

        return watched

    def around_statement(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        """One that stands in no transaction is committed by itself."""
        writes = sql.lstrip().upper().startswith(WRITES) and not connection.in_atomic_block
        return (self.around("a single write", execute) if writes else execute)(sql, *rest)


@contextmanager
def watched(points: Points, *, provider: Any) -> Iterator[Points]:
    """Let the points be counted, in this thread."""
    places = [
        (BaseDatabaseWrapper, "commit", "a commit"),
        (Tool, "call", "a tool call"),
        (provider, "turn", "a model call"),
        (events, "send_event", "a publication"),
        (inbox, "enqueue", "a hand-over"),
    ]
    before = [getattr(owner, name) for owner, name, _ in places]
    for owner, name, what in places:
        setattr(owner, name, points.around(what, getattr(owner, name)))
    try:
        with connection.execute_wrapper(points.around_statement):
            yield points
    finally:
        for (owner, name, _), call in zip(places, before, strict=True):
            setattr(owner, name, call)


def die_by_exception() -> None:
    """A commit that is not reached ends its transaction: Django would raise an error about it, and hide the death."""
    if not connection.in_atomic_block:
        connection.rollback()
    raise Died


def die_by_signal() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
