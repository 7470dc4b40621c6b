"""Stop is acknowledged at once and the run ends soon after, also while the model says nothing at all."""

import threading
import time
from contextlib import closing
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client
from django.urls import reverse

from agent.models import AgentRun, Event, Message
from agent.runs import start
from agent.testing import tool_use
from tests.agent.conftest import paid_order
from tests.kill.workers import queue_of, send, wait_for, worker
from tests.providers.messages_server import MessagesServer, Reply
from tests.serving import OwnRedis

pytestmark = [pytest.mark.kill, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("postgres")]

ACKNOWLEDGED, ENDED = 1.0, 1.5  # seconds after the button was pressed
STATUS = tool_use("order_status", order_number="DZ-10001", id="toolu_status")
SILENCES = [
    (Reply(fault="hang"), ""),
    (Reply(fault="hang"), ""),
    (Reply("I look at your order.", fault="hang", after=6), "I look"),
    (Reply("I look at your order.", fault="hang", after=6), "I look"),
    (Reply(status=529, headers={"retry-after": "30"}), ""),
]


def seconds_to_the_end(run: AgentRun, *, since: float) -> float:
    """Asked every few milliseconds, with one connection: how long the run went on."""
    ended = AgentRun.objects.filter(pk=run.pk).exclude(state__in=AgentRun.OPEN)
    until = since + 10
    while not ended.exists() and time.monotonic() < until:
        threading.Event().wait(0.01)
    return time.monotonic() - since


def pressed(run: AgentRun) -> tuple[float, float]:
    """Press Stop as the page does; how long until it was acknowledged, and until the run had ended."""
    client = Client()
    client.force_login(run.user)
    began = time.monotonic()
    answer = client.post(reverse("agent:stop", args=[run.pk]), headers={"accept": "application/json"})
    acknowledged = time.monotonic() - began
    assert answer.status_code == 200
    return acknowledged, seconds_to_the_end(run, since=began)


def asked(user: User, broker: Any, *, model: MessagesServer) -> AgentRun:
    """A run whose model has been asked for its second turn."""
    before = len(model.requests)
    run = start.accept(user, "Where is my order?")
    send(broker, run)
    wait_for(lambda: len(model.requests) == before + 2, "the second request")
    return run


def test_stop_ends_a_run_whose_model_is_silent(alice: User, own_redis: OwnRedis) -> None:
    paid_order(alice, number="DZ-10001")
    replies = [reply for silence, _ in SILENCES for reply in (Reply([STATUS]), silence)]
    with (
        MessagesServer(*replies) as model,
        worker(redis_url=own_redis.url, model_url=model.url),
        closing(connections["default"]),
    ):
        for number, (_, said) in enumerate(SILENCES, start=1):
            run = asked(alice, queue_of(own_redis.url), model=model)
            threading.Event().wait(0.23 * number)  # pressed at any moment between two looks of the run
            acknowledged, ended = pressed(run)
            assert (acknowledged < ACKNOWLEDGED, ended < ENDED) == (True, True), (number, acknowledged, ended)
            assert_stopped(run, by=alice, said=said)
            threading.Event().wait(1.0)
            assert (len(model.requests), run.steps.count()) == (number * 2, 1)


def assert_stopped(run: AgentRun, *, by: User, said: str) -> None:
    """What was said stays, and the rows say who stopped it and when; the browser's last event is the end."""
    run.refresh_from_db()
    assert (run.state, run.error_code, run.stop_requested_by) == (AgentRun.State.STOPPED, "stopped", by)
    assert run.started_at < run.stop_requested_at <= run.finished_at
    assert list(run.steps.values_list("tool", "outcome")) == [("order_status", "ok")]
    last = run.messages.filter(author=Message.Author.AGENT).last()
    assert last.text.startswith(said or "Stopped.")
    assert "Stopped." in last.text
    assert Event.objects.filter(conversation=run.conversation).last().data["state"] == AgentRun.State.STOPPED
