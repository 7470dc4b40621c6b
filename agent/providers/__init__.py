"""The model services that an agent can speak with."""

import threading
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from agent.providers.anthropic import AnthropicProvider
from agent.providers.base import Provider, Request, Turn, Usage
from agent.providers.demo import DemoProvider
from agent.providers.failover import Failover
from agent.providers.openai import OpenAIProvider

__all__ = ["PROVIDERS", "Provider", "Request", "Turn", "Usage", "provider_named"]

PROVIDERS: dict[str, Callable[[], Provider]] = {
    "anthropic": AnthropicProvider,
    "openai": OpenAIProvider,
    "demo": DemoProvider,
}

_made: dict[tuple[str, ...], Provider] = {}
_lock = threading.Lock()


def provider_named(name: str) -> Provider:
    """The provider of that name; one a process, shared by its threads.

    Where the settings name a FALLBACK_PROVIDER, it takes over, with its FALLBACK_MODEL, while that one is down.
    """
    second, model = settings.AGENT.get("FALLBACK_PROVIDER", ""), settings.AGENT.get("FALLBACK_MODEL", "")
    with _lock:
        first = _one(name)
        if not second or name == "demo":  # which needs nobody outside
            return first
        if (name, second, model) not in _made:
            _made[name, second, model] = Failover(first, _one(second), model=model)
        return _made[name, second, model]


def _one(name: str) -> Provider:
    if (name,) not in _made:
        if name not in PROVIDERS:
            raise ImproperlyConfigured(f"No model provider is called {name!r}; there are {', '.join(PROVIDERS)}.")
        _made[name,] = PROVIDERS[name]()
    return _made[name,]
