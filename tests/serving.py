"""Real processes for tests: the site on a port of its own, over the test's own database, and a Redis to restart."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import redis
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 90  # seconds, for a process to come up on a busy machine
between_looks = threading.Event()  # never set


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(**changes: str) -> dict[str, str]:
    """What a process needs that shares this test's database and reads its sessions."""
    own = {"SECRET_KEY": settings.SECRET_KEY, "DATABASE_URL": database_url(), "AGENT_PROVIDER": "demo"}
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, **own, "LOG_LEVEL": "WARNING", "LOG_FORMAT": "text", "STATIC_FROM_SOURCE": "1", **changes}


def database_url() -> str:
    """The URL of the database that this test writes to."""
    about = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{about['NAME']}"
    password = f":{about['PASSWORD']}" if about["PASSWORD"] else ""
    return f"postgresql://{about['USER']}{password}@{about['HOST']}:{about['PORT'] or 5432}/{about['NAME']}"


class Site:
    """A served site and how to reach it."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    def stop(self, sig: int = signal.SIGINT) -> float:
        """Send the signal; returns how many seconds the process took to end."""
        began = time.monotonic()
        self.process.send_signal(sig)
        self.process.wait(timeout=PATIENCE)
        return time.monotonic() - began

    def ask(self, question: str, *, cookie: str, **form: str) -> dict[str, str]:
        """Send a message as the page does; returns the answer of /agent/start/."""
        token = "t" * 32
        headers = {"Cookie": f"{cookie}; csrftoken={token}", "X-CSRFToken": token, "Accept": "application/json"}
        body = urllib.parse.urlencode({"q": question, **form}).encode()
        request = urllib.request.Request(f"{self.url}/agent/start/", data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            started: dict[str, str] = json.load(answer)
        return started

    def answers(self, path: str = "/healthz") -> bool:
        try:
            with urllib.request.urlopen(self.url + path, timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


@contextmanager
def site(*command: str, **environ: str) -> Iterator[Site]:
    """`python -m config.serve`, or another command, on a free port until the block ends."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, *(command or ("-m", "config.serve"))],
        cwd=ROOT,
        env=environment(PORT=str(port), UVICORN_PORT=str(port), **environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    served = Site(process, port)
    try:
        wait_until(served.answers, process=process)
        yield served
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(timeout=PATIENCE)
        if process.stdout is not None:
            process.stdout.close()


def wait_until(so: Callable[[], bool], *, process: subprocess.Popen[str] | None = None) -> None:
    """Ask until the callable is true. Fails after PATIENCE, or at once when the process has ended."""
    until = time.monotonic() + PATIENCE
    while not so():
        if process is not None and process.poll() is not None:
            said = process.stdout.read() if process.stdout else ""
            raise AssertionError(f"the process ended with {process.returncode}:\n{said}")
        assert time.monotonic() < until, f"not so after {PATIENCE} s"
        between_looks.wait(0.02)


def cookie_of(user: User) -> str:
    """The Cookie header of a session of the user's in this test's database."""
    client = Client()
    client.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


class OwnRedis:
    """A Redis that the test may stop and start; it keeps nothing."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder, self.port = program, folder, free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            [self.program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder)],
            stdout=subprocess.DEVNULL,
        )
        wait_until(self.answers)

    def stop(self) -> None:
        if self.process is not None:
            self.go_on()
            self.process.terminate()
            self.process.wait(timeout=PATIENCE)
            self.process = None

    def hang(self) -> None:
        """It takes connections, and answers nothing; until `go_on`, or `stop`."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, sig: int) -> None:
        if self.process is not None:
            self.process.send_signal(sig)

    def answers(self) -> bool:
        try:
            return bool(redis.Redis(port=self.port, retry=None).ping())
        except redis.ConnectionError:
            return False
