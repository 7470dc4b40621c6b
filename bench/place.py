"""Where a measurement runs: processes, a database and a Redis of its own. All are gone when their block ends."""

import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 30.0  # seconds, for a process to come up or to end
PEERS = ROOT / ".venv-bench"  # other frameworks, with an interpreter of their own
SECRET_KEY = secrets.token_urlsafe(50)  # the site and whoever makes its sessions share it

Environ = dict[str, str]


class Missing(Exception):
    """What a part needs and this machine has not; the part is skipped with these words."""


def environment(**changes: str) -> Environ:
    """Nothing of a running shop's environment: what is measured is what is named here."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ}
    own = {"DJANGO_SETTINGS_MODULE": "bench.settings", "SECRET_KEY": SECRET_KEY, "STATIC_FROM_SOURCE": "1"}
    return {**kept, **own, "LOG_LEVEL": "ERROR", "LOG_FORMAT": "text", **changes}


def with_model(url: str) -> Environ:
    """The variables that make the local server the model."""
    return {"AGENT_PROVIDER": "anthropic", "ANTHROPIC_API_KEY": "local", "ANTHROPIC_BASE_URL": url}


class Talk:
    """A process that is told something in a line and answers in one line of JSON."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, line: str, *, patience: float = 120.0) -> Any:
        """Its next answer. Fails where the process has ended, or does not answer in time."""
        stdin, stdout = _pipes(self.process)
        stdin.write(line + "\n")
        stdin.flush()
        return json.loads(_line(stdout, patience=patience))

    def hear(self, *, patience: float = 120.0) -> Any:
        """What it says unasked."""
        return json.loads(_line(_pipes(self.process)[1], patience=patience))


@contextmanager
def process(*command: str, env: Environ) -> Iterator[Talk]:
    """A process of ours until the block ends: asked to end first, then ended."""
    started = subprocess.Popen(
        command, env=env, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    try:
        yield Talk(started)
    finally:
        _end(started)


@contextmanager
def inside(module: str, *arguments: str, env: Environ) -> Iterator[Talk]:
    """A module of the benchmark that needs the project's models."""
    with process(sys.executable, "-m", "bench.inside", module, *arguments, env=env) as talk:
        yield talk


def manage(*arguments: str, env: Environ) -> None:
    """A command of manage.py, waited for."""
    subprocess.run([sys.executable, "manage.py", *arguments], env=env, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def model_server() -> Iterator[str]:
    """The address of a local Messages API."""
    with process(sys.executable, "-m", "bench.model_server", env=environment()) as talk:
        yield f"http://127.0.0.1:{talk.hear(patience=PATIENCE)}"


def served(model_url: str) -> dict[str, Any]:
    """What the model server has done since the last `forget`."""
    with urllib.request.urlopen(f"{model_url}/_stats", timeout=10) as answer:  # noqa: S310 - the loopback
        stats: dict[str, Any] = json.load(answer)
    if stats["refused"]:
        raise RuntimeError(f"the model server refused: {stats['refused'][0]}")
    return stats


def forget(model_url: str) -> None:
    """Let the model server count from nothing."""
    urllib.request.urlopen(f"{model_url}/_reset", data=b"", timeout=10).close()  # noqa: S310 - the loopback


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for files of the measurement."""
    with tempfile.TemporaryDirectory(prefix="countersign-bench-", ignore_cleanup_errors=True) as path:
        yield Path(path)


@contextmanager
def own_database() -> Iterator[str]:
    """The URL of an empty PostgreSQL database on the server that DATABASE_URL names; it is dropped at the end."""
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith(("postgres://", "postgresql://")):
        raise Missing("DATABASE_URL names no PostgreSQL")
    name = f"countersign_bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield urlsplit(server)._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def own_redis() -> Iterator[str]:
    """The URL of a Redis that nobody else publishes through."""
    program = shutil.which("redis-server")
    if program is None:
        raise Missing("redis-server is not installed")
    port = free_port()
    with folder() as path:
        quiet = ("--save", "", "--appendonly", "no", "--dir", str(path), "--logfile", str(path / "log"))
        with process(program, "--bind", "127.0.0.1", "--port", str(port), *quiet, env=environment()):
            _wait_for_port(port)
            yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def site(env: Environ) -> Iterator[tuple[str, int]]:
    """The address of the site, served as `make serve` serves it, and its process id."""
    port = free_port()
    with process(sys.executable, "-m", "config.serve", env={**env, "PORT": str(port)}) as talk:
        _wait_for_port(port)
        yield f"http://127.0.0.1:{port}", talk.process.pid


def megabytes(pid: int) -> float:
    """The resident set of a process, at its highest since it began."""
    found = re.search(r"^VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def free_port() -> int:
    """A port of the loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for_port(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens on port {port} after {PATIENCE:.0f} s")


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("a process without pipes")
    return process.stdin, process.stdout


def _line(stdout: IO[str], *, patience: float) -> str:
    """The next line; the alarm stands for a process that hangs, which no read of a pipe can see."""

    def too_late(*_: object) -> None:
        raise TimeoutError(f"a process said nothing for {patience:.0f} s")

    before = signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, patience)
    try:
        line = stdout.readline()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if not line:
        raise RuntimeError("a process ended without an answer")
    return line


def _end(process: subprocess.Popen[str]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=PATIENCE)
    if process.stdout is not None:
        process.stdout.close()
