"""Redis and PostgreSQL are restarted in the middle of twenty runs: none is lost, and the open streams go on."""

import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from agent.models import AgentRun, AuditEntry, Event, Message, PendingAction
from agent.testing import text, tool_use
from tests.agent.conftest import paid_order
from tests.conftest import missing
from tests.kill.own_postgres import OwnPostgres, own_postgres, programs
from tests.kill.workers import Stateless, wait_for, worker
from tests.serving import OwnRedis, Site, cookie_of, site

pytestmark = pytest.mark.kill

RUNS = 20
THREADS = 6  # fewer than runs: some wait in the broker, which loses them
SECONDS_A_TURN = 0.4
AWAY = 1.0
ANSWER = "Please confirm the refund."
STATES = {AgentRun.State.DONE, AgentRun.State.FAILED, AgentRun.State.OUT_OF_BUDGET, AgentRun.State.STOPPED}


def script(number: str) -> list[Any]:
    return [
        [tool_use("order_status", order_number=number, id="toolu_1")],
        [tool_use("refund_order", order_number=number, amount="10.00", id="toolu_2")],
        [text(ANSWER)],
    ]


@pytest.fixture
def postgres_of_its_own(django_db_blocker: Any) -> Iterator[OwnPostgres]:
    folder = programs()
    if connection.vendor != "postgresql" or folder is None:
        missing("initdb is not installed" if folder is None else "DATABASE_URL names no PostgreSQL")
    assert folder is not None
    with django_db_blocker.unblock(), own_postgres(folder) as server:
        yield server


class Following(threading.Thread):
    """A browser that follows one conversation: it comes back whenever the server lets go of it."""

    def __init__(self, url: str, *, cookie: str) -> None:
        super().__init__(daemon=True)
        self.url, self.cookie = url, cookie
        self.last_id = ""
        self.seqs: list[int] = []
        self.state = ""
        self.ends = 0  # how often the server let go of it
        self.leaving = threading.Event()

    def run(self) -> None:
        while not self.leaving.is_set() and self.state not in STATES:
            try:
                self._listen()
            except OSError:
                self.leaving.wait(0.2)
            self.ends += self.state not in STATES

    def _listen(self) -> None:
        headers = {"Cookie": self.cookie, **({"Last-Event-ID": self.last_id} if self.last_id else {})}
        request = urllib.request.Request(self.url, headers=headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            for line in answer:
                if line.startswith(b"id: "):
                    self.last_id = line[4:].decode().strip()
                if line.startswith(b"data: {"):
                    self._hear(json.loads(line[6:]))
                if self.leaving.is_set() or self.state in STATES:
                    return

    def _hear(self, event: dict[str, Any]) -> None:
        if "seq" in event:
            self.seqs.append(event["seq"])
            self.state = event.get("state", self.state) if event["kind"] == "run" else self.state


def customer(number: int) -> User:
    user = User.objects.create_user(f"customer-{number}")
    paid_order(user, number=f"DZ-{number}")
    return user


def question_of(user: User, *, served: Site) -> Following:
    """Ask through the page, and follow the answer."""
    cookie, order = cookie_of(user), user.username.replace("customer", "DZ")
    started = served.ask(f"Look, then give me 10 euros of {order} back.", cookie=cookie)
    following = Following(served.url + started["events_url"], cookie=cookie)
    following.start()
    return following


@contextmanager
def restarted(server: OwnRedis | OwnPostgres) -> Iterator[None]:
    server.stop()
    threading.Event().wait(AWAY)
    yield
    server.start()


def still_open() -> int:
    return AgentRun.objects.filter(state__in=AgentRun.OPEN).count()


def assert_nothing_lost(run: AgentRun) -> None:
    """As if there had been no restart: the steps, one proposal, the answer, events without a gap."""
    assert list(run.steps.values_list("tool", "outcome")) == [("order_status", "ok"), ("refund_order", "proposed")]
    assert (run.state, run.error_code, run.actions.count()) == (AgentRun.State.DONE, "", 1)
    said = run.messages.filter(author=Message.Author.AGENT).values_list("text", flat=True)
    assert [each.startswith(ANSWER) for each in said] == [True]
    seqs = list(Event.objects.filter(conversation=run.conversation_id).values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))


def test_restarts_lose_no_run_and_browsers_see_each_event_once(
    postgres_of_its_own: OwnPostgres, own_redis: OwnRedis
) -> None:
    customers = [customer(number) for number in range(1, RUNS + 1)]
    with Stateless(script, seconds=SECONDS_A_TURN) as model:
        where = {"redis_url": own_redis.url, "model_url": model.url}
        service = {"ANTHROPIC_API_KEY": "test", "ANTHROPIC_BASE_URL": model.url, "AGENT_PROVIDER": "anthropic"}
        with site(REDIS_URL=own_redis.url, **service) as served, worker(threads=THREADS, **where) as process:
            threading.Thread(target=served.process.stdout.read, daemon=True).start()  # or a full pipe would block it
            browsers = [question_of(user, served=served) for user in customers]
            wait_for(lambda: len(model.requests) > RUNS // 2, "the first answers")
            with restarted(own_redis):
                assert still_open() > THREADS
            asked = len(model.requests)
            wait_for(lambda: len(model.requests) > asked + 4, "the answers after Redis came back")
            with restarted(postgres_of_its_own):
                pass
            assert still_open() > THREADS // 2
            wait_for(lambda: not still_open(), "the end of all runs")
            wait_for(lambda: all(each.state in STATES for each in browsers), "the end in all browsers")
            assert (process.poll(), served.process.poll()) == (None, None)
        assert model.refused == []
    for run in AgentRun.objects.all():
        assert_nothing_lost(run)
    assert AuditEntry.objects.filter(kind="action.proposed").count() == PendingAction.objects.count() == RUNS
    for each in browsers:
        assert each.seqs == list(range(1, len(each.seqs) + 1))
    # Each over one connection, from the question to the end.
    assert [each.ends for each in browsers] == [0] * RUNS
