"""A program with the official client, its own OAuth included. It runs in a thread; the test is its customer."""

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from mcp_types import ElicitResult
from pydantic import AnyUrl

from tests.browser.oauth import PATIENCE, Listener

Work = Callable[[Client], Awaitable[Any]]


class Memory:
    """What the client keeps between two connections."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Program:
    """Connects with `start(work)`; each address that its customer is to open comes out of `opened()`."""

    def __init__(self, site: str, listener: Listener, *, name: str, mode: str = "auto", leads: bool = True) -> None:
        self.address, self.listener, self.mode, self.leads = f"{site}/mcp", listener, mode, leads
        self.about = OAuthClientMetadata(client_name=name, redirect_uris=[AnyUrl(listener.address)])
        self.memory = Memory()
        self.decided = threading.Event()
        self._opened: queue.Queue[str] = queue.Queue()
        self._thread = ThreadPoolExecutor(max_workers=1)

    def start(self, work: Work) -> "Future[Any]":
        return self._thread.submit(lambda: asyncio.run(self._connected(work)))

    def opened(self) -> str:
        return self._opened.get(timeout=PATIENCE)

    def stop(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _connected(self, work: Work) -> Any:
        sign_in = OAuthClientProvider(
            server_url=self.address,
            client_metadata=self.about,
            storage=self.memory,
            redirect_handler=self._open,
            callback_handler=self._came_back,
        )
        options = {"elicitation_callback": self._lead} if self.leads else {}
        async with httpx2.AsyncClient(auth=sign_in, timeout=PATIENCE) as http:
            transport = streamable_http_client(self.address, http_client=http)
            async with Client(transport, mode=self.mode, **options) as client:
                return await work(client)

    async def _open(self, address: str) -> None:
        self._opened.put(address)

    async def _came_back(self) -> AuthorizationCodeResult:
        told = await asyncio.to_thread(self.listener.waited)
        return AuthorizationCodeResult(code=told["code"], state=told.get("state"), iss=told.get("iss"))

    async def _lead(self, _context: Any, params: Any) -> ElicitResult:
        """The customer goes to the page, and comes back when the test says so."""
        self._opened.put(params.url)
        await asyncio.to_thread(self.decided.wait, PATIENCE)
        return ElicitResult(action="accept")
