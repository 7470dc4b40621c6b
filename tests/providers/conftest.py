"""A provider on a server of the test's own, and a way to ask it."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from agent.providers import Provider, Request, Turn
from agent.providers.anthropic import AnthropicProvider
from tests.providers.messages_server import MessagesServer

QUESTION = {"role": "user", "content": "Where is my order?"}
TOOLS = [
    {
        "name": "order_status",
        "description": "Where an order is.",
        "input_schema": {
            "type": "object",
            "properties": {"order_number": {"type": "string"}},
            "required": ["order_number"],
            "additionalProperties": False,
        },
    }
]


@dataclass
class Asked:
    """What came of one call."""

    texts: list[str] = field(default_factory=list)
    turn: Turn | None = None
    error: BaseException | None = None
    seconds: float = 0.0


def ask(
    provider: Provider,
    *messages: dict[str, Any],
    seconds: float = 10.0,
    stopped: Callable[[], bool] = lambda: False,
    system: str = "You help.",
    tools: list[dict[str, Any]] = TOOLS,
) -> Asked:
    """Ask once; an error is kept, not raised."""
    request = Request("claude-test", system, tools, list(messages or [QUESTION]), 1000)
    asked, began = Asked(), time.monotonic()
    try:
        asked.turn = provider.turn(
            request, on_text=asked.texts.append, deadline=time.monotonic() + seconds, stopped=stopped
        )
    except Exception as error:
        asked.error = error
    asked.seconds = time.monotonic() - began
    return asked


@pytest.fixture
def server(settings) -> Iterator[MessagesServer]:
    with MessagesServer() as running:
        settings.ANTHROPIC_API_KEY = "test"
        settings.ANTHROPIC_BASE_URL = running.url
        yield running


@pytest.fixture
def anthropic(server) -> AnthropicProvider:
    return AnthropicProvider()
