"""Where a worker can die: before and after every commit and every call to the outside, counted as they come.

Used in the test's own process, where dying is an exception that nothing catches, and in a real worker, where it is
SIGKILL (`DIE_AT` in the environment of `tests.kill.settings`).
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from agent.tools import Tool


class Died(BaseException):
    """The worker is gone. No `except Exception` may catch it."""


class Points:
    """Counts the points that one thread passes, and dies at the one that was chosen."""

    def __init__(self, *, die_at: int = 0, die: Callable[[], None]) -> None:
        self.die_at = die_at
        self.die = die
        self.passed: list[str] = []
        self.thread = threading.get_ident()

    def reach(self, name: str) -> None:
        if threading.get_ident() != self.thread:
            return
        self.passed.append(name)
        if len(self.passed) == self.die_at:
            self.die()

    def around(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **kwargs: Any) -> Any:
            self.reach(f"before {name}")
            result = call(*args, **kwargs)
            self.reach(f"after {name}")
            return result

        return watched


@contextmanager
def watched(points: Points, *, provider: Any) -> Iterator[Points]:
    """Let the points be counted: commits of the database, turns of the provider, calls of tools."""
    commit, call = BaseDatabaseWrapper.commit, Tool.call
    BaseDatabaseWrapper.commit = points.around("a commit", commit)
    Tool.call = points.around("a tool call", call)
    turn = provider.turn
    provider.turn = points.around("a model call", turn)
    try:
        yield points
    finally:
        BaseDatabaseWrapper.commit, Tool.call, provider.turn = commit, call, turn


def die_by_exception() -> None:
    raise Died


def die_by_signal() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
