"""The site for an ASGI server, and the worker inside it where there is no broker."""

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from asgiref.sync import sync_to_async
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

site = get_asgi_application()

from django.conf import settings  # noqa: E402 - they are whole only after the line above

from agent.mcp.mount import application as programs  # noqa: E402
from config.headers import on_every_answer  # noqa: E402


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Django, and /mcp beside it, with the life of the server around them."""
    if scope["type"] == "lifespan":
        await live(receive, send)
    else:
        await start()  # a server that knows no lifespan begins here
        await answers(scope, receive, send)


async def _one_or_other(scope: Scope, receive: Receive, send: Send) -> None:
    await (programs if programs.serves(scope) else site)(scope, receive, send)


answers = on_every_answer(_one_or_other)


async def start() -> None:
    """Start what runs beside the requests; only the first call does anything."""
    if settings.EMBEDDED and not _started:
        from config.embedded import worker  # pulls in the worker, which only this process needs

        await sync_to_async(worker.start, thread_sensitive=False)()
        _started.append(True)


_started: list[bool] = []


async def live(receive: Receive, send: Send) -> None:
    """Answer the server's start and stop. A start that fails says why, and the server ends."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            try:
                await start()
            except Exception as error:
                await send({"type": "lifespan.startup.failed", "message": str(error)})
                return
            await send({"type": "lifespan.startup.complete"})
        else:
            if _started:
                from config.embedded import worker

                await sync_to_async(worker.stop, thread_sensitive=False)()
            await send({"type": "lifespan.shutdown.complete"})
            return
