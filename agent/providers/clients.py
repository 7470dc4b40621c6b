"""The clients of the SDKs: one a process, service, key and address, for it keeps the connections."""

import threading
from importlib import import_module
from typing import Any

from agent.providers.base import Watch

CLASSES = {"anthropic": "Anthropic", "openai": "OpenAI"}
CONNECT_SECONDS = 5.0

_clients: dict[tuple[str, str, str | None], Any] = {}
_lock = threading.Lock()


def sdk_client(sdk: str, *, key: str, base_url: str | None) -> Any:
    """The client of that SDK."""
    with _lock:
        if (sdk, key, base_url) not in _clients:
            # Imported here: it takes up to two seconds and 86 MB, and most processes never call a model.
            make = getattr(import_module(sdk), CLASSES[sdk])
            # The key explicitly, or the SDK may find somebody's credentials on the disk. No retries: those are the
            # loop's, inside the run's deadline, and a retry-after header is obeyed by the SDK without any limit.
            _clients[sdk, key, base_url] = make(api_key=key, base_url=base_url, max_retries=0)
        return _clients[sdk, key, base_url]


def time_limits(watch: Watch) -> Any:
    """For one request: until the deadline, and only a moment for the connection."""
    from httpx2 import Timeout  # comes with the SDKs, and is as slow to import

    left = watch.left()
    return Timeout(left, connect=min(CONNECT_SECONDS, left))
