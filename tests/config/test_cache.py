"""A Redis that is away costs nobody a message, a sign-in or a run; the limits still hold."""

import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from agent.models import AgentRun
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text
from config import cache as config_cache
from tests.conftest import PASSWORD
from tests.pages.conftest import JSON, signed_in
from tests.serving import free_port

Restart = Callable[[], None]


def with_redis_at(settings: Any, port: int) -> None:
    place = {"BACKEND": "config.cache.RedisOrMemory", "LOCATION": f"redis://127.0.0.1:{port}/0"}
    settings.CACHES = {"default": {**place, "OPTIONS": settings.REDIS_CACHE_OPTIONS}}


@pytest.fixture
def away(settings: Any) -> None:
    """The cache is a Redis that nobody started."""
    with_redis_at(settings, free_port())
    cache.clear()


def test_a_message_is_kept_and_answered(away: None, alice: Any) -> None:
    answer = signed_in(alice).post("/agent/start/", {"q": "Where is my order?"}, headers=JSON)
    assert (answer.status_code, AgentRun.objects.get().state) == (202, AgentRun.State.QUEUED)
    assert run_agent_for_user("Hello", user=alice, client=ScriptedClient([text("Hello.")])).state == "done"


def test_customers_still_come_in(away: None, alice: Any, client: Client) -> None:
    answer = client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    assert (answer.status_code, answer.url) == (302, "/agent/")


def test_the_limits_hold_in_each_process(away: None, alice: Any, settings: Any) -> None:
    settings.AGENT = {**settings.AGENT, "STARTS_A_MINUTE": 2}
    browser = signed_in(alice)
    answers = [browser.post("/agent/start/", {"q": "Hello"}).status_code for _ in range(4)]
    assert answers[-1] == 429


def test_the_cache_comes_back_with_its_redis(settings: Any, redis_program: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(config_cache, "AWAY_SECONDS", 0)
    port = free_port()
    with_redis_at(settings, port)
    cache.set("place", "memory", 60)
    server = subprocess.Popen([redis_program, "--port", str(port), "--save", ""], stdout=subprocess.PIPE, text=True)
    try:
        assert any("Ready to accept connections" in line for line in server.stdout or ())
        cache.set("place", "Redis", 60)
        assert (cache.get("place"), cache.incr("count") if cache.add("count", 1) else 0) == ("Redis", 2)
    finally:
        server.terminate()
        server.wait()
    assert cache.get("place") == "memory"
