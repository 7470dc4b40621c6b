"""The official client, known by the address of a document instead of a registration: signed in, listed, read."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from allauth.idp.oidc.models import Client as Known
from django.contrib.auth.models import User
from django.core.asgi import get_asgi_application
from django.db import connections
from django.test import Client as Browser
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from pydantic import AnyUrl

from agent.mcp.mount import Mount
from agent.models import Conversation
from tests.access.program import CALLBACK, RESOURCE, told
from tests.browser.program import Memory
from tests.untrusted.tls_server import PageServer, Reply

pytestmark = pytest.mark.django_db(transaction=True)

DOCUMENT = "https://shop.example/client.json"


@pytest.fixture
def document(monkeypatch: pytest.MonkeyPatch) -> Iterator[PageServer]:
    """The program's own page, over TLS; what is looked up leads to this machine."""
    about = {"client_id": DOCUMENT, "client_name": "Desk", "redirect_uris": [CALLBACK]}
    with PageServer() as running:
        monkeypatch.setattr("agent.untrusted.fetch.Internet", running.internet)
        running.pages["/client.json"] = Reply(json.dumps(about).encode(), headers={"Content-Type": "application/json"})
        yield running


class Customer:
    """Signed in, and says yes. Their browser is another thread's, as it is another program's."""

    def __init__(self, user: User) -> None:
        self.browser = Browser()
        self.browser.force_login(user)
        self.answer: dict[str, str] = {}

    async def open(self, address: str) -> None:
        await asyncio.to_thread(self._say_yes, address)

    def _say_yes(self, address: str) -> None:
        try:
            self.answer = told(self.browser.post(address, {"decision": "allow", "scope": "propose"}))
        finally:
            connections.close_all()

    async def came_back(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(**self.answer)


async def site(scope: Any, receive: Any, send: Any) -> None:
    """Both doors of the site, in this process: only here the document's address leads somewhere."""
    await (_mount if _mount.serves(scope) else _pages)(scope, receive, send)


_mount, _pages = Mount(), get_asgi_application()


def test_official_client_is_known_by_its_document(document: PageServer, alice: User, order: Any) -> None:
    customer, memory = Customer(alice), Memory()

    async def connected() -> Any:
        sign_in = OAuthClientProvider(
            server_url=RESOURCE,
            client_metadata=OAuthClientMetadata(redirect_uris=[AnyUrl(CALLBACK)]),
            storage=memory,
            redirect_handler=customer.open,
            callback_handler=customer.came_back,
            client_metadata_url=DOCUMENT,
        )
        here = httpx2.ASGITransport(app=site)
        async with (
            httpx2.AsyncClient(auth=sign_in, transport=here, timeout=30) as http,
            Client(streamable_http_client(RESOURCE, http_client=http)) as client,
        ):
            return (await client.call_tool("order_status", {"order_number": order.number})).structured_content

    assert asyncio.run(connected())["order_number"] == order.number
    assert [known.pk for known in Known.objects.all()] == [DOCUMENT]  # and nothing was registered
    assert Conversation.objects.get().client_name == "Desk"
    assert len(document.requests) == 1
