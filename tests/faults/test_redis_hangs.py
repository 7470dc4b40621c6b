"""A Redis that takes connections and answers nothing: the message is stored, nobody waits for it three times."""

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from celery import Celery
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import F
from django_eventstream import eventstream

from agent import away, events, inbox
from agent.models import AgentRun, Message
from agent.runs import leases
from config.celery import app
from config.env import redis_arguments
from tests.pages.conftest import JSON, signed_in
from tests.serving import OwnRedis

pytestmark = pytest.mark.django_db(transaction=True)

MOST_SECONDS = 2.0  # that a message may take to be accepted


@pytest.fixture
def own_redis(redis_program: str, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnRedis]:
    """The cache, the live events and the broker are one Redis of this test's own, as a shop has it."""
    server = OwnRedis(redis_program, tmp_path)
    server.start()
    place = {"BACKEND": "config.cache.RedisOrMemory", "LOCATION": server.url, "OPTIONS": settings.REDIS_CACHE_OPTIONS}
    settings.CACHES = {"default": place}
    settings.EVENTSTREAM_REDIS = redis_arguments(server.url)
    monkeypatch.setattr(eventstream, "redis_client", redis.Redis(**settings.EVENTSTREAM_REDIS))
    broker = Celery(broker=server.url)
    broker.conf.broker_transport_options = settings.REDIS_BROKER_OPTIONS
    broker.conf.task_publish_retry_policy = app.conf.task_publish_retry_policy
    broker.conf.task_default_queue = app.conf.task_default_queue
    broker.set_current()
    yield server
    app.set_current()
    server.stop()


def waiting_at(server: OwnRedis) -> int:
    """Tasks in the broker."""
    return int(redis.Redis(port=server.port).llen(app.conf.task_default_queue))


def test_messages_are_kept_at_once_and_start_when_it_is_back(own_redis: OwnRedis, alice: User, bob: User) -> None:
    cache.set("is", "warm")
    own_redis.hang()
    for customer in (alice, bob):
        browser, began = signed_in(customer), time.monotonic()
        asked = browser.post("/agent/start/", {"q": "Where is my order?"}, headers=JSON)
        assert (asked.status_code, time.monotonic() - began < MOST_SECONDS) == (202, True)
        page = browser.get(f"/agent/conversations/{asked.json()['conversation']}/").content.decode()
        assert "Received. The answer will start shortly." in page
    assert (Message.objects.count(), leases.sweep()) == (2, 0)
    own_redis.go_on()
    away._until.clear()
    AgentRun.objects.update(enqueued_at=F("enqueued_at") - leases.STALE_QUEUE - timedelta(seconds=1))
    assert (leases.sweep(), waiting_at(own_redis)) == (2, 2)


@pytest.mark.parametrize("knows", [False, True])
def test_each_way_to_it_alone_gives_up_soon(own_redis: OwnRedis, alice: User, knows: bool) -> None:
    """Whoever is the first to ask, with a connection from before or without one."""
    run = AgentRun(pk=1)
    ways = (lambda: cache.set("place", "Redis"), lambda: events.knock([run.pk]), lambda: inbox.enqueue(run.pk))
    if knows:
        for ask in ways:
            ask()
    own_redis.hang()
    for ask in ways:
        away._until.clear()
        began = time.monotonic()
        ask()
        assert time.monotonic() - began < 2 * MOST_SECONDS
