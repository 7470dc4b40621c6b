"""The model services that an agent can speak with."""

import threading
from collections.abc import Callable

from django.core.exceptions import ImproperlyConfigured

from agent.providers.anthropic import AnthropicProvider
from agent.providers.base import Provider, Request, Turn, Usage
from agent.providers.demo import DemoProvider
from agent.providers.openai import OpenAIProvider

__all__ = ["PROVIDERS", "Provider", "Request", "Turn", "Usage", "provider_named"]

PROVIDERS: dict[str, Callable[[], Provider]] = {
    "anthropic": AnthropicProvider,
    "openai": OpenAIProvider,
    "demo": DemoProvider,
}

_made: dict[str, Provider] = {}
_lock = threading.Lock()


def provider_named(name: str) -> Provider:
    """The provider of that name; one a process, shared by its threads."""
    with _lock:
        if name not in _made:
            if name not in PROVIDERS:
                raise ImproperlyConfigured(f"No model provider is called {name!r}; there are {', '.join(PROVIDERS)}.")
            _made[name] = PROVIDERS[name]()
        return _made[name]
