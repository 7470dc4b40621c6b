"""The APIs of OpenAI, and of every server that is compatible with them, streamed through the SDK."""

from collections.abc import Callable
from typing import Any, Protocol

from django.conf import settings

from agent.providers.base import Request, Turn, Watch
from agent.providers.clients import sdk_client, time_limits
from agent.providers.failures import failure, sorted_failures
from agent.providers.openai.chat import Chat
from agent.providers.openai.functions import OPENAI
from agent.providers.openai.responses import Responses
from agent.providers.reading import Builder, read_turn

NO_KEY = "none"  # for a server that asks for no key; the SDK insists on one


class Dialect(Protocol):
    """One of the two APIs: how a request is put, and how its answer is read."""

    def arguments(self, request: Request) -> dict[str, Any]:
        """The request as keywords of the SDK."""

    def builder(self, request: Request) -> Builder:
        """What puts the answer together."""

    def create(self, client: Any) -> Callable[..., Any]:
        """The client's method that asks."""


DIALECTS: dict[str, Dialect] = {"responses": Responses(), "chat": Chat()}


class OpenAIProvider:
    """Responses or chat completions, as settings.OPENAI_API says."""

    name = "openai"

    def turn(
        self, request: Request, *, on_text: Callable[[str], None], deadline: float, stopped: Callable[[], bool]
    ) -> Turn:
        """See Provider.turn. The cause of a failure is logged, without anything that was said."""
        watch = Watch(deadline=deadline, stopped=stopped)
        watch.check()
        dialect = DIALECTS[settings.OPENAI_API]
        create = dialect.create(_client())
        with sorted_failures():
            arguments = {**dialect.arguments(request), "stream": True, "timeout": time_limits(watch)}
            return read_turn(lambda: create(**arguments), dialect.builder(request), on_text=on_text, watch=watch)


def _client() -> Any:
    """Raises ProviderError where a key is needed and there is none."""
    key, base_url = settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL
    if not key and not base_url:
        raise failure("authentication")
    # The address always: the SDK would take another from the environment.
    return sdk_client("openai", key=key or NO_KEY, base_url=base_url or OPENAI)
