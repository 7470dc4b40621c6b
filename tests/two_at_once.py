"""Two transactions that meet on the same rows, on PostgreSQL: one holds them, the other comes and has to wait."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from tests.conftest import missing

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def need_postgresql() -> None:
    if connection.vendor != "postgresql":
        missing("DATABASE_URL names no PostgreSQL")


def in_thread(work: Callable[[], object], told: list[object]) -> threading.Thread:
    """A thread that does the work when it is started; what comes of it, or its error, is told."""

    def run() -> None:
        try:
            told.append(work())
        except Exception as error:
            told.append(error)
        finally:
            connection.close()

    return threading.Thread(target=run)


def until_somebody_waits() -> None:
    """Until another transaction waits for a lock; two seconds at most."""
    with connection.cursor() as cursor:
        for _ in range(100):
            cursor.execute("SELECT pg_stat_clear_snapshot(), pg_sleep(0.02)")
            cursor.execute(WAITING)
            if cursor.fetchone()[0]:
                return


class Other:
    """The one that comes second."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.told: list[object] = []
        self.thread = in_thread(work, self.told)

    def comes(self) -> None:
        """It begins, and now waits."""
        if self.thread.ident is None:
            self.thread.start()
            until_somebody_waits()


@contextmanager
def beside(work: Callable[[], object]) -> Iterator[Other]:
    """The block is a transaction. The work comes at its end, or when the block says so, and waits for its commit."""
    other = Other(work)
    with transaction.atomic():
        yield other
        other.comes()
    other.thread.join(timeout=20)
