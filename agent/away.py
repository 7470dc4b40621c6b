"""Servers that let somebody wait in vain: for a moment nobody else waits for them.

One that hangs takes its whole time limit from everybody who asks. A message asks Redis three times, as the cache, for
the live events and as the broker, and must not wait three times.
"""

import time
from urllib.parse import urlsplit

from redis.exceptions import TimeoutError as RedisTimeout

SECONDS = 2.0

_until: dict[str, float] = {}  # by server, on the clock of time.monotonic()


def server_of(url: str) -> str:
    """Its name here, for any URL of a broker."""
    parts = urlsplit(url)
    usual = 6379 if parts.scheme.startswith("redis") else 0
    return f"{parts.hostname}:{parts.port or usual}"


def is_away(server: str) -> bool:
    """Whether somebody waited for it in vain a moment ago."""
    return time.monotonic() < _until.get(server, 0.0)


def note(server: str, error: BaseException) -> None:
    """Remember it where the error is a wait in vain. One that refuses at once costs nobody anything, and is asked."""
    if isinstance(error, RedisTimeout) or isinstance(error.__cause__, RedisTimeout):
        _until[server] = time.monotonic() + SECONDS
