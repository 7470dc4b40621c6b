"""Providers on a server of the test's own, and a way to ask them."""

import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from agent.providers import Provider, Request, Turn
from agent.providers.anthropic import AnthropicProvider
from agent.providers.openai import OpenAIProvider
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
    request = Request("model-test", system, tools, list(messages or [QUESTION]), 1000)
    asked, began = Asked(), time.monotonic()
    try:
        asked.turn = provider.turn(
            request, on_text=asked.texts.append, deadline=time.monotonic() + seconds, stopped=stopped
        )
    except Exception as error:
        asked.error = error
    asked.seconds = time.monotonic() - began
    return asked


@dataclass(frozen=True)
class Service:
    """One API as the contract sees it: its provider, and what differs on its wire."""

    name: str
    provider: Provider
    server: MessagesServer
    preamble: int  # stream events before the first word
    kinds: dict[str, str]  # what it calls a failure in the stream, by our code

    def ask(self, *messages: dict[str, Any], **options: Any) -> Asked:
        return ask(self.provider, *messages, **options)


KINDS = {
    "anthropic": {
        "overloaded": "overloaded_error",
        "rate_limited": "rate_limit_error",
        "unavailable": "api_error",
        "invalid_request": "invalid_request_error",
    },
    "responses": {
        "overloaded": "server_is_overloaded",
        "rate_limited": "rate_limit_exceeded",
        "unavailable": "server_error",
        "invalid_request": "invalid_prompt",
    },
    "chat": {
        "overloaded": "overloaded_error",
        "rate_limited": "rate_limit_exceeded",
        "unavailable": "something_new",
        "invalid_request": "invalid_request_error",
    },
}
PREAMBLES = {"anthropic": 3, "responses": 3, "chat": 1}


@pytest.fixture(scope="session")
def _sdks() -> None:
    """Imported before a test looks at the clock: on a busy machine it takes seconds."""
    for name in ("anthropic", "openai"):
        module = importlib.import_module(name)
        for part in ("messages", "responses", "chat"):
            getattr(module.Client(api_key="test"), part, None)


@pytest.fixture
def server(settings, _sdks) -> Iterator[MessagesServer]:
    with MessagesServer() as running:
        settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL = "test", running.url
        settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "test", f"{running.url}/v1"
        yield running


@pytest.fixture(params=["anthropic", "responses", "chat"])
def service(request, server, settings) -> Service:
    """Each of the APIs in turn."""
    settings.OPENAI_API = request.param
    provider = AnthropicProvider() if request.param == "anthropic" else OpenAIProvider()
    return Service(request.param, provider, server, PREAMBLES[request.param], KINDS[request.param])


@pytest.fixture
def anthropic(server) -> AnthropicProvider:
    return AnthropicProvider()


@pytest.fixture
def responses(server, settings) -> OpenAIProvider:
    settings.OPENAI_API = "responses"
    return OpenAIProvider()


@pytest.fixture
def chat(server, settings) -> OpenAIProvider:
    settings.OPENAI_API = "chat"
    return OpenAIProvider()
