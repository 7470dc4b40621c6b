"""Real worker processes, and a model service that answers whoever asks again the same."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, TypeVar

from celery import Celery
from django.conf import settings
from django.db import connections

from agent import inbox
from agent.models import AgentRun
from tests.providers.messages_server import MessagesServer, Reply
from tests.serving import ROOT, database_url

LEASE_SECONDS = 2
PATIENCE = 60.0
NUMBER = re.compile(r"DZ-\d+")
COMMAND = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", "-P", "threads"]

Found = TypeVar("Found")


@contextmanager
def worker(
    *options: str, redis_url: str, model_url: str, threads: int = 4, **environ: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A worker process; it is gone when the block ends, however. `options` are of Celery's own command line."""
    own = {
        "DJANGO_SETTINGS_MODULE": "tests.kill.settings",
        "DATABASE_URL": database_url(),
        "DATABASE_POOL": "16",
        "REDIS_URL": redis_url,
        "AGENT_PROVIDER": "anthropic",
        "ANTHROPIC_API_KEY": "test",
        "ANTHROPIC_BASE_URL": model_url,
        "AGENT_LEASE_SECONDS": str(LEASE_SECONDS),
    }
    process = subprocess.Popen([*COMMAND, "-c", str(threads), *options], env=os.environ | own | environ, cwd=ROOT)
    try:
        yield process
    finally:
        process.kill()
        process.wait(timeout=10)


def wait_for(condition: Callable[[], Found], what: str) -> Found:
    """Ask until there is something. The database may be away meanwhile: no connection is kept between two looks."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = condition()
        connections.close_all()
        if found:
            return found
        threading.Event().wait(0.1)
    raise AssertionError(f"{what} did not happen in {PATIENCE:.0f} s")


def ended(run: AgentRun) -> AgentRun | None:
    """The run as it is now, once it has ended."""
    run.refresh_from_db()
    return run if run.state not in AgentRun.OPEN else None


def queue_of(redis_url: str) -> Celery:
    """The broker as a web process would reach it."""
    app = Celery(broker=redis_url)
    app.conf.task_default_queue = settings.CELERY_TASK_DEFAULT_QUEUE
    return app


def send(broker: Celery, run: AgentRun, **to: str) -> None:
    """Hand the run to a worker, to one in particular with queue=..."""
    type(run.conversation).objects.filter(pk=run.conversation_id).update(provider="anthropic", model="claude-test")
    broker.send_task(inbox.TASK, args=[str(run.pk)], **to)


class Stateless(MessagesServer):
    """Answers by what it is sent: the turn is the number of answers in it, the order the one that was asked for."""

    def __init__(self, script: Callable[[str], list[Any]], *, seconds: float = 0.0) -> None:
        super().__init__()
        self.script = script
        self.seconds = seconds  # that each answer takes

    def next_reply(self, wire: ModuleType, body: dict[str, Any]) -> Reply:
        fault = wire.broken_rule(body)
        with self.lock:
            self.requests.append(body)
            self.refused += [fault] if fault else []
        self.closing.wait(self.seconds)
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        number = NUMBER.search(str(body["messages"][0]["content"]))
        assert number is not None
        return Reply(fault, status=400) if fault else Reply(self.script(number[0])[turn])
