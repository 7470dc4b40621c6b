"""The strict stand-in of the Messages API behind the real SDK, and runs that are worked on in the test's own thread."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from agent.models import AgentRun
from agent.runs import leases, loop, speaking, start
from agent.tools import Tool
from tests.agent.conftest import paid_order
from tests.providers.test_stand_in import StandIn, process, stand_in

__all__ = ["process", "stand_in"]

NUMBER = "DZ-10001"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wait between two tries, whatever the service asks for."""
    monkeypatch.setattr(speaking, "MOST_BACKOFF", 0.01)


@pytest.fixture
def model(stand_in: StandIn, settings: Any, quick: None) -> StandIn:
    """The stand-in is the shop's model service."""
    settings.AGENT = {**settings.AGENT, "PROVIDER": "anthropic", "MODEL": "claude-test"}
    return stand_in


@pytest.fixture
def customer(alice: User) -> User:
    paid_order(alice, number=NUMBER)
    return alice


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The name of each tool that really ran, as often as it did."""
    names: list[str] = []
    call = Tool.call

    def counted(tool: Tool, *args: Any, **kwargs: Any) -> Any:
        names.append(tool.name)
        return call(tool, *args, **kwargs)

    monkeypatch.setattr(Tool, "call", counted)
    return names


Ask = Callable[..., AgentRun]


@pytest.fixture
def answered(customer: User) -> Ask:
    """`answered(text, conversation=...)` asks and works until the run has ended."""

    def ask(text: str, conversation: Any = None) -> AgentRun:
        run = start.accept(customer, text, conversation=conversation)
        lease = leases.claim(run.pk)
        assert lease is not None
        loop.carry_out(lease)
        run.refresh_from_db()
        return run

    return ask
