"""The cache of several processes: Redis, and each process's own memory while Redis is away.

What it holds can be lost: counts of requests, and switches whose rows are read again. A message, a sign-in or a run
must not fail for it.
"""

import logging
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from agent import away

logger = logging.getLogger(__name__)

AWAY_SECONDS = 2.0  # no request in this time waits for a server that did not answer
METHODS = (
    "add", "get", "set", "touch", "delete", "get_many", "has_key", "incr", "set_many", "delete_many", "clear",
)  # fmt: skip


class RedisOrMemory(RedisCache):
    """Redis; while that is away counts hold within their process, and what has no time limit of its own soon ends."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.memory = LocMemCache("while-redis-is-away", {"TIMEOUT": AWAY_SECONDS})
        self.away_until = 0.0  # time.monotonic()
        self.name = away.server_of(server)


def _or_in_memory(name: str) -> Callable[..., Any]:
    in_redis = getattr(RedisCache, name)

    @wraps(in_redis)
    def do(self: RedisOrMemory, *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() >= self.away_until and not away.is_away(self.name):
            try:
                return in_redis(self, *args, **kwargs)
            except (RedisError, OSError) as error:
                self.away_until = time.monotonic() + AWAY_SECONDS
                away.note(self.name, error)
                logger.warning("the cache is away", extra={"error": repr(error)})
        return getattr(self.memory, name)(*args, **kwargs)

    return do


for _name in METHODS:
    setattr(RedisOrMemory, _name, _or_in_memory(_name))
