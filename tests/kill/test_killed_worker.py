"""A worker dies by SIGKILL in the middle of a run; another one ends the run, and no call is made twice."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from celery import Celery
from django.conf import settings
from django.db import connection, connections

from agent import inbox
from agent.models import AgentRun, AgentStep, Event, PendingAction
from agent.runs import start
from agent.testing import tool_use
from agent.tools import registry
from tests.agent.conftest import paid_order
from tests.providers.messages_server import MessagesServer, Reply

pytestmark = [pytest.mark.kill, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).parents[2]
LEASE_SECONDS = 2
PATIENCE = 60.0


def database_url() -> str:
    """The address of the test's own database, for a process that is not the test."""
    found = connection.settings_dict
    place = f"{found['USER']}:{found['PASSWORD']}@{found['HOST']}:{found['PORT'] or 5432}"
    return f"postgresql://{place}/{found['NAME']}"


@contextmanager
def worker(*, redis_url: str, model_url: str) -> Iterator[subprocess.Popen]:
    """A real worker process; it is gone when the block ends, however."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.kill.settings",
        "DATABASE_URL": database_url(),
        "REDIS_URL": redis_url,
        "AGENT_PROVIDER": "anthropic",
        "ANTHROPIC_API_KEY": "test",
        "ANTHROPIC_BASE_URL": model_url,
        "AGENT_LEASE_SECONDS": str(LEASE_SECONDS),
    }
    command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", "-P", "threads", "-c", "4"]
    process = subprocess.Popen(command, env=environment, cwd=ROOT)
    try:
        yield process
    finally:
        process.kill()
        process.wait(timeout=10)


def wait_for(condition, what: str):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = condition()
        connections.close_all()
        if found:
            return found
        threading.Event().wait(0.1)
    raise AssertionError(f"{what} did not happen in {PATIENCE:.0f} s")


@pytest.fixture
def queue(redis_url):
    """The broker as a web process would reach it."""
    app = Celery(broker=redis_url)
    app.conf.task_default_queue = settings.CELERY_TASK_DEFAULT_QUEUE
    return app


@pytest.fixture
def shop_with_slow_tool(postgres):
    registry.load([*settings.AGENT["TOOL_MODULES"], "tests.kill.slow_tool"])
    yield
    registry.load()


def asked(customer, queue) -> AgentRun:
    run = start.accept(customer, "Look, then give me 10 euros of DZ-10001 back.")
    type(run.conversation).objects.update(provider="anthropic", model="claude-test")
    queue.send_task(inbox.TASK, args=[str(run.pk)])
    return run


def ended(run) -> AgentRun | None:
    run.refresh_from_db()
    return run if run.state not in AgentRun.OPEN else None


def assert_whole(run, *, calls: list[str]) -> None:
    steps = list(run.steps.values_list("tool", "outcome"))
    assert steps == [(name, "proposed" if name == "refund_order" else "ok") for name in calls]
    assert (run.state, run.attempt, PendingAction.objects.count()) == (AgentRun.State.DONE, 2, 1)
    numbers = list(Event.objects.filter(conversation=run.conversation).values_list("seq", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))


REFUND = tool_use("refund_order", order_number="DZ-10001", amount="10.00", id="toolu_refund")
STATUS = tool_use("order_status", order_number="DZ-10001", id="toolu_status")


def test_worker_killed_while_the_model_thinks_is_replaced(alice, queue, redis_url, shop_with_slow_tool):
    paid_order(alice, number="DZ-10001")
    replies = [Reply([STATUS]), Reply(fault="hang"), Reply([REFUND]), Reply("Please confirm.")]
    with MessagesServer(*replies) as model:
        with worker(redis_url=redis_url, model_url=model.url) as first:
            run = asked(alice, queue)
            wait_for(lambda: len(model.requests) == 2, "the second request")
            first.send_signal(signal.SIGKILL)
            first.wait(timeout=10)
        with worker(redis_url=redis_url, model_url=model.url):
            run = wait_for(lambda: ended(run), "the end of the run")
        assert model.refused == []
    assert_whole(run, calls=["order_status", "refund_order"])


def test_worker_killed_inside_a_read_leaves_it_to_be_run_again(alice, queue, redis_url, shop_with_slow_tool):
    paid_order(alice, number="DZ-10001")
    slow = tool_use("slow_look", id="toolu_slow")
    replies = [Reply([slow]), Reply([REFUND]), Reply("Please confirm.")]
    started = AgentStep.objects.filter(tool="slow_look", outcome=AgentStep.Outcome.STARTED)
    with MessagesServer(*replies) as model:
        with worker(redis_url=redis_url, model_url=model.url) as first:
            run = asked(alice, queue)
            wait_for(started.exists, "the first call")
            first.send_signal(signal.SIGKILL)
            first.wait(timeout=10)
        with worker(redis_url=redis_url, model_url=model.url):
            run = wait_for(lambda: ended(run), "the end of the run")
        assert model.refused == []
    assert_whole(run, calls=["slow_look", "refund_order"])
    assert run.steps.get(tool="slow_look").result == '{"looked": true, "attempt": 2}'
