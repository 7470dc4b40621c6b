"""The worker inside the web process, where there is no broker: real Celery over a queue in memory.

The queue ends with the process; the rows do not, so the next start goes on with what was left.
"""

import fcntl
import hashlib
import logging
import os
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

from celery.worker import WorkController
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections

from agent.runs import leases
from config.celery import app

logger = logging.getLogger(__name__)

CONCURRENCY = 8
STOP_SECONDS = 2
ONE_PROCESS = (
    "Without a broker the worker lives in the web process, and there can be only one: another process already serves "
    "this database. Stop it, or set REDIS_URL and start `make worker`."
)
NO_TABLES = "The database has no tables yet, or does not answer. Run `python manage.py migrate`."


class EmbeddedWorker:
    """One worker and its keeper in threads of this process. `start` and `stop` are safe to call twice."""

    def __init__(self) -> None:
        self.guard = threading.Lock()
        self.controller: WorkController | None = None
        self.thread: threading.Thread | None = None
        self.only_process: IO[str] | None = None

    def start(self) -> None:
        """Void what an earlier process left behind, then work. Raises ImproperlyConfigured beside another process."""
        with self.guard:
            if self.thread is not None:
                return
            self.only_process = self.only_process or _only_process()
            _take_over()
            self.controller = controller = WorkController(
                app=app,
                pool_cls="threads",
                concurrency=CONCURRENCY,
                without_gossip=True,
                without_mingle=True,
                without_heartbeat=True,
                loglevel="WARNING",
            )
            name = settings.EMBEDDED_THREAD
            self.thread = threading.Thread(target=self._work, args=[controller], name=name, daemon=True)
            self.thread.start()
            leases.start_keeper()

    def stop(self) -> None:
        """Take no new task and give the ones at work a moment; the next start takes up what did not end in it.

        The lock stays until the process has ended: until then a run may still be at work in it.
        """
        with self.guard:
            thread, self.thread = self.thread, None
        if thread is None or self.controller is None:
            return
        leases.stop_keeper()
        stopping = threading.Thread(target=self.controller.stop, name="embedded-stop", daemon=True)
        stopping.start()
        stopping.join(STOP_SECONDS)
        if stopping.is_alive():
            # Python would wait for the run's thread before it ends, for as long as the model lets it wait.
            last = threading.Timer(STOP_SECONDS, os._exit, args=[0])
            last.daemon = True
            last.start()

    def _work(self, controller: WorkController) -> None:
        controller.start()
        if self.thread is not None:  # nobody asked it to stop: /readyz says so
            logger.error("the embedded worker has ended")


def _take_over() -> None:
    """Nothing else works on this database, so what is leased or waits is ours."""
    try:
        leases.void_all()
        leases.sweep()
    except DatabaseError as error:
        raise ImproperlyConfigured(f"{NO_TABLES} ({error})") from error
    finally:
        connections.close_all()


def _only_process() -> IO[str]:
    """A lock that the system takes back when the process ends, however it ends."""
    lock = _lock_file(connections["default"].settings_dict).open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise ImproperlyConfigured(ONE_PROCESS) from error
    return lock


def _lock_file(database: dict[str, Any]) -> Path:
    """Beside a database that is a file, else among this machine's temporary files."""
    if database["ENGINE"].endswith("sqlite3") and ":memory:" not in str(database["NAME"]):
        return Path(f"{database['NAME']}.lock").resolve()
    name = "|".join(str(database[part]) for part in ("ENGINE", "HOST", "PORT", "NAME"))
    key = hashlib.sha256(f"{os.getuid()}|{name}".encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"countersign-{key}.lock"


worker = EmbeddedWorker()
