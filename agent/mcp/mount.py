"""/mcp beside the site: lets a request in, and hands it to the SDK. The first one imports the SDK and starts it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from agent.access.challenge import RESOURCE_PATH
from agent.mcp.guard import Admitted, Receive, Scope, TurnedAway, admit
from agent.mcp.threads import in_thread

Send = Callable[[Mapping[str, Any]], Awaitable[None]]

CALLER = "agent.caller"  # the key of the request's scope
SECURITY = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]


class Mount:
    """An ASGI application. `make_manager` makes the SDK's session manager; tests have one with more tools."""

    def __init__(self, make_manager: Callable[[], Any] | None = None) -> None:
        self._make = make_manager or _make_manager
        self._serving: WeakKeyDictionary[Any, asyncio.Task[Any]] = WeakKeyDictionary()  # one in each event loop

    def serves(self, scope: Scope) -> bool:
        """Whether the request is for here."""
        return bool(scope["type"] == "http" and scope["path"].removeprefix(scope.get("root_path", "")) == RESOURCE_PATH)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            admitted = await admit(scope, receive)
        except TurnedAway as away:
            await _answer(away, send)
            return
        manager = await self._manager()
        await manager.handle_request({**scope, CALLER: admitted.caller}, _again(admitted, receive), _closed(send))

    async def _manager(self) -> Any:
        loop = asyncio.get_running_loop()
        if loop not in self._serving:
            self._serving[loop] = loop.create_task(self._start())
        starting = self._serving[loop]
        try:
            return await asyncio.shield(starting)  # a program that hangs up does not stop the start for others
        except Exception:
            self._serving.pop(loop, None)
            raise

    async def _start(self) -> Any:
        manager = await in_thread(self._make)  # a second of work, which must not hold up the streams
        running = asyncio.Event()
        self._held = asyncio.get_running_loop().create_task(_hold(manager, running))
        await running.wait()
        return manager


async def _hold(manager: Any, running: asyncio.Event) -> None:
    """The SDK's tasks live in here until the loop ends, also under a server that knows no lifespan."""
    async with manager.run():
        running.set()
        await asyncio.Event().wait()


def _make_manager() -> Any:
    from agent.mcp import protocol  # the SDK: a second and 60 MB, which only a shop with such callers spends

    return protocol.make_manager(protocol.make_server())


def _again(admitted: Admitted, receive: Receive) -> Receive:
    """The body that was read, as if it came now."""
    waiting = [{"type": "http.request", "body": admitted.body, "more_body": False}]

    async def received() -> Mapping[str, Any]:
        return waiting.pop() if waiting else await receive()

    return received


def _closed(send: Send) -> Send:
    """Whatever is answered here is one customer's, and for no cache."""

    async def sent(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *SECURITY]}
        await send(message)

    return sent


async def _answer(away: TurnedAway, send: Send) -> None:
    body = json.dumps({"error": away.reason}).encode()
    headers = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in away.headers.items()]
    own = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *SECURITY]
    await send({"type": "http.response.start", "status": away.status.value, "headers": [*own, *headers]})
    await send({"type": "http.response.body", "body": body})


application = Mount()
