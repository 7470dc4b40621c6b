"""Database work beside the event loop, in threads that hold no connection while they wait."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from asgiref.sync import sync_to_async

from agent.db import release

AT_ONCE = 8

Found = TypeVar("Found")

_pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="mcp")


async def in_thread(work: Callable[..., Found], *args: Any, **kwargs: Any) -> Found:
    """Call `work` in a thread and return what it returns, or raise what it raises."""

    def with_connection() -> Found:
        try:
            return work(*args, **kwargs)
        finally:
            release()

    return await sync_to_async(with_connection, thread_sensitive=False, executor=_pool)()
