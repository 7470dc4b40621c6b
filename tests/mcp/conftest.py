"""A served site, the official client with a token of one customer's, and plain HTTP for what no client would send."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple

import httpx2
import mcp_types as types
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from agent.access import personal
from agent.mcp.mount import Mount
from agent.tools import registry
from tests.agent.conftest import paid_order
from tests.serving import Site, site

MODERN, LEGACY = "2026-07-28", "2025-11-25"
BOTH = ["auto", "legacy"]  # the client's modes: each speaks one of the two
META = "io.modelcontextprotocol"


@pytest.fixture(scope="module")
def served(django_db_setup: None) -> Iterator[Site]:
    """One server for the tests of a file; it reads and writes the test's database."""
    with site() as running:
        yield running


def token_of(user: User, *scopes: str, name: str = "Desk") -> str:
    return personal.make_token(user, name=name, scopes=list(scopes or ("read", "propose")), days=7)[1]


@pytest.fixture
def odd_tools() -> Iterator[None]:
    """The registry of this process with `tests.mcp.odd_tools` besides the shop's."""
    registry.load([*settings.AGENT["TOOL_MODULES"], "tests.mcp.odd_tools"])
    yield
    registry.load()


@pytest.fixture
def order(alice: User) -> Any:
    return paid_order(alice, number="DZ-10001")


@pytest.fixture
def token(alice: User) -> str:
    """Alice's, for everything."""
    return token_of(alice)


def ask(served: Site, token: str, work: Callable[[Client], Awaitable[Any]], **options: Any) -> Any:
    """Connect as the official client does, and return what `work(client)` returns, or raise its MCPError as it is."""

    async def connected() -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
            async with Client(transport, **options) as client:
                try:
                    return await work(client)
                except MCPError as error:  # the client's task groups would wrap it
                    return error

    outcome = asyncio.run(connected())
    if isinstance(outcome, MCPError):
        raise outcome
    return outcome


def called(served: Site, token: str, name: str, arguments: dict[str, Any], **options: Any) -> types.CallToolResult:
    return ask(served, token, lambda client: client.call_tool(name, arguments), **options)


class Answer(NamedTuple):
    """What came over HTTP."""

    status: int
    headers: dict[str, str]
    body: Any


def message(method: str, *, able: dict[str, Any] | None = None, **params: Any) -> dict[str, Any]:
    """A request of the newest revision."""
    info = {"name": "tests", "version": "1"}
    meta = {
        f"{META}/protocolVersion": MODERN,
        f"{META}/clientCapabilities": able or {},
        f"{META}/clientInfo": info,
    }
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}


def headers_of(body: Any, token: str | None) -> dict[str, str]:
    """What a client of the newest revision sends with it."""
    sent = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN,
    }
    if isinstance(body, dict) and "method" in body:
        sent["Mcp-Method"] = body["method"]
        name = body.get("params", {}).get("name") or body.get("params", {}).get("uri")
        sent |= {"Mcp-Name": name} if name else {}
    if token is not None:
        sent["Authorization"] = f"Bearer {token}"
    return sent


def post(
    served: Site, body: Any, token: str | None = None, *, verb: str = "POST", query: str = "", **headers: str
) -> Answer:
    """Send it as it is. A header is named with _ for -; an empty one is left out."""
    sent = headers_of(body, token)
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(
        f"{served.url}/mcp{query}",
        data=data if verb != "GET" else None,
        headers={name: value for name, value in sent.items() if value},
        method=verb,
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return _read(answer)
    except urllib.error.HTTPError as error:
        return _read(error)


def _read(answer: Any) -> Answer:
    headers = {name.lower(): value for name, value in answer.headers.items()}
    return Answer(answer.status, headers, _parsed(answer.read().decode()))


def _parsed(text: str) -> Any:
    return json.loads(text) if text.startswith(("{", "[")) else text


def in_process(*bodies: Any, token: str) -> list[Answer]:
    """The same requests to a mount in this process, where a test may change settings and the registry."""

    async def asked() -> list[Answer]:
        transport = httpx2.ASGITransport(app=Mount())
        answers = []
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost", timeout=30) as http:
            for body in bodies:
                response = await http.post("/mcp", json=body, headers=headers_of(body, token))
                answers.append(Answer(response.status_code, dict(response.headers), _parsed(response.text)))
        return answers

    return asyncio.run(asked())
