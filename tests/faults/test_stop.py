"""After a stop is acknowledged nothing starts: no call of a tool, no write, no request to the model."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from agent.errors import ProviderError
from agent.models import AgentRun, Handoff, Message
from agent.providers.anthropic import AnthropicProvider
from agent.providers.base import Request, Turn
from agent.runs import leases, loop, speaking, start
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import registry
from tests.faults.conftest import NUMBER

pytestmark = pytest.mark.django_db

State = AgentRun.State
NOT_RUN = ("refused", '{"error": "not run: the run ended"}')


@pytest.fixture(autouse=True)
def odd_tools() -> Iterator[None]:
    registry.load([*settings.AGENT["TOOL_MODULES"], "tests.faults.odd_tools"])
    yield
    registry.load()


def worked_on(run: AgentRun, provider: Any) -> AgentRun:
    lease = leases.claim(run.pk)
    assert lease is not None
    loop.carry_out(lease, provider=provider)
    run.refresh_from_db()
    return run


def played(run: AgentRun, *calls: dict[str, Any]) -> AgentRun:
    """One turn with these calls, and words that must never be said."""
    return worked_on(run, AnthropicProvider(client=ScriptedClient([list(calls), [text("Done.")]]), stream=False))


def assert_stopped(run: AgentRun) -> None:
    assert (run.state, run.error_code, run.stop_requested_by) == (State.STOPPED, "stopped", run.user)
    assert "Stopped." in run.messages.filter(author=Message.Author.AGENT).last().text


def test_stop_during_a_call_lets_the_next_one_not_start(customer: User, called: list[str]) -> None:
    run = start.accept(customer, "Look.")
    played(run, tool_use("look_until_stopped"), tool_use("order_status", order_number=NUMBER))
    assert called == ["look_until_stopped"]
    assert list(run.steps.values_list("outcome", "result")) == [("ok", '{"looked": true}'), NOT_RUN]
    assert_stopped(run)


def test_stop_during_a_read_lets_the_write_of_its_turn_not_happen(customer: User, called: list[str]) -> None:
    run = start.accept(customer, "Look, then give me to a person.")
    played(run, tool_use("hand_off", reason="policy", summary="?"), tool_use("look_until_stopped"))
    assert called == ["look_until_stopped"]
    assert list(run.steps.values_list("outcome", "result")) == [NOT_RUN, ("ok", '{"looked": true}')]
    assert not Handoff.objects.exists()
    assert_stopped(run)


class Killed(BaseException):
    """The worker is gone."""


def test_stopped_run_of_a_dead_worker_starts_nothing_with_the_next(
    customer: User, called: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any) -> None:
        raise Killed

    run = start.accept(customer, "Look.")
    with monkeypatch.context() as dying:
        dying.setattr(loop.dispatch, "answer_calls", die)
        with pytest.raises(Killed):
            played(run, tool_use("order_status", order_number=NUMBER))
    start.request_stop(run, by=customer)
    AgentRun.objects.update(lease_until=timezone.now())
    played(run)
    assert called == []
    assert list(run.steps.values_list("outcome", "result")) == [NOT_RUN]
    assert_stopped(run)


class StoppedWhileBusy:
    """A service that is busy; Stop is pressed before it says so."""

    name = "busy"

    def __init__(self, run: AgentRun) -> None:
        self.run = run
        self.asked = 0

    def turn(self, request: Request, *, on_text: Callable[[str], None], deadline: float, stopped: Any) -> Turn:
        self.asked += 1
        start.request_stop(self.run, by=self.run.user)
        raise ProviderError("Busy.", code="overloaded", retryable=True)


@pytest.mark.parametrize("seconds", [0.0, 0.1])
def test_stop_during_a_pause_lets_the_next_try_not_start(
    customer: User, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(speaking, "MOST_BACKOFF", seconds)
    run = start.accept(customer, "Look.")
    busy = StoppedWhileBusy(run)
    assert_stopped(worked_on(run, busy))
    assert busy.asked == 1
