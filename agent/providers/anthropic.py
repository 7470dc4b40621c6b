"""The Messages API, streamed, through its SDK."""

import time
from collections.abc import Callable
from typing import Any

from django.conf import settings

from agent.providers.assembly import TurnBuilder, turn_of
from agent.providers.base import Request, Turn, Watch
from agent.providers.blocks import for_messages_api
from agent.providers.clients import sdk_client, time_limits
from agent.providers.failures import failure, sorted_failures
from agent.providers.reading import read_turn


class AnthropicProvider:
    """The Messages API; `client` is anything with `messages.create(**kwargs)`, by default the SDK's.

    `stream=False` is for a client that returns whole messages (content, stop_reason, usage). Such a call is not
    interrupted: its client has its own time limit.
    """

    name = "anthropic"

    def __init__(self, client: Any = None, *, stream: bool = True) -> None:
        self._client = client
        self._stream = stream

    def turn(
        self, request: Request, *, on_text: Callable[[str], None], deadline: float, stopped: Callable[[], bool]
    ) -> Turn:
        """See Provider.turn. The cause of a failure is logged here, without anything that was said."""
        watch = Watch(deadline=deadline, stopped=stopped)
        watch.check()
        client = self._client or _own_client()
        ask = self._streamed if self._stream else self._whole
        with sorted_failures():
            return ask(client, _arguments(request), on_text=on_text, watch=watch)

    def _streamed(
        self, client: Any, arguments: dict[str, Any], *, on_text: Callable[[str], None], watch: Watch
    ) -> Turn:
        arguments |= {"stream": True, "timeout": time_limits(watch)}
        return read_turn(lambda: client.messages.create(**arguments), TurnBuilder(), on_text=on_text, watch=watch)

    def _whole(self, client: Any, arguments: dict[str, Any], *, on_text: Callable[[str], None], watch: Watch) -> Turn:
        turn = turn_of(client.messages.create(**arguments), started=time.monotonic())
        watch.check()
        for block in turn.content:
            if block["type"] == "text":
                on_text(block["text"])
        return turn


def _arguments(request: Request) -> dict[str, Any]:
    """The request as keywords. The cache mark at the top moves along with the end of the conversation."""
    arguments: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": for_messages_api(request.messages),
        "cache_control": {"type": "ephemeral"},
    }
    if request.system:
        arguments["system"] = request.system
    if request.tools:
        arguments["tools"] = request.tools
    if settings.AGENT.get("THINKING"):  # left out, each model thinks as is usual for it
        arguments["thinking"] = settings.AGENT["THINKING"]
    return arguments


def _own_client() -> Any:
    """Raises ProviderError where there is no key."""
    if not settings.ANTHROPIC_API_KEY:
        raise failure("authentication")
    return sdk_client("anthropic", key=settings.ANTHROPIC_API_KEY, base_url=settings.ANTHROPIC_BASE_URL or None)
