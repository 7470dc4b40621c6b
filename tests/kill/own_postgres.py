"""A PostgreSQL of the test's own, to be stopped and started, and the test's connection pointed at it."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection, connections

from tests.serving import PATIENCE, free_port, wait_until

NAME = "countersign"
FAST = ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=60"]


def programs() -> Path | None:
    """The folder of initdb and postgres, the newest version; None where there is none."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    elsewhere = shutil.which("initdb")
    found = [path.parent for path in installed] or ([Path(elsewhere).resolve().parent] if elsewhere else [])
    return found[-1] if found else None


def _somebody() -> str | None:
    """Whom to become: PostgreSQL refuses to run as root. None where that is not needed."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


class OwnPostgres:
    """A cluster in a folder of its own; the folder goes with it."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.user, self.port = folder, _somebody(), free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="countersign-postgres-"))
        if self.user:
            shutil.chown(self.folder, self.user)
        self.process: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "test", "-A", "trust", "--no-sync", "-E", "UTF8")

    def start(self) -> None:
        command = [self.bin / "postgres", "-D", self.folder / "data", "-p", str(self.port), "-k", self.folder, *FAST]
        out = subprocess.DEVNULL
        self.process = subprocess.Popen(command, user=self.user, cwd=self.folder, stdout=out, stderr=out)
        wait_until(self.answers)

    def stop(self) -> None:
        """As a restart does it: every session is ended at once, what is open is rolled back."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=PATIENCE)
            self.process = None

    def answers(self) -> bool:
        command = [self.bin / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command, check=False).returncode == 0

    def create(self) -> None:
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "test", NAME)

    def _run(self, program: str, *arguments: str) -> None:
        command = [self.bin / program, *arguments]
        subprocess.run(command, user=self.user, cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def own_postgres(folder: Path) -> Iterator[OwnPostgres]:
    """The test's default database lies in this cluster, with all tables, until the block ends."""
    server = OwnPostgres(folder)
    before: dict[str, Any] = dict(connection.settings_dict)
    try:
        server.start()
        server.create()
        connections.close_all()
        own = {"HOST": "127.0.0.1", "PORT": server.port, "USER": "test", "PASSWORD": "", "NAME": NAME}
        connection.settings_dict.update(own)
        call_command("migrate", verbosity=0)
        yield server
    finally:
        connections.close_all()
        connection.settings_dict.update(before)
        server.remove()
