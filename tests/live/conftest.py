"""A conversation to log into, and ways to listen to it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import AsyncClient
from django.urls import reverse

from agent.models import Conversation


def conversation_of(user: User, **changes: Any) -> Conversation:
    frozen = {"system_prompt": "Help.", "tools": [], "prefix_hash": "", "provider": "demo", "model": "demo"}
    return Conversation.objects.create(user=user, title="Where is my order", **{**frozen, **changes})


@pytest.fixture
def conversation(alice: User) -> Conversation:
    return conversation_of(alice)


class Listening:
    """One browser's stream, read event by event; each is {"event", "id", "data"} as far as it has them."""

    def __init__(self, response: Any) -> None:
        self.response = response
        self.chunks = aiter(response.streaming_content)
        self.text = ""
        self.first: Any = None  # what a test waits for while it does something else

    async def next(self) -> dict[str, str] | None:
        """The next event but the opening; None where the stream has ended."""
        while True:
            while "\n\n" not in self.text:
                try:
                    self.text += (await asyncio.wait_for(anext(self.chunks), 10)).decode()
                except StopAsyncIteration:
                    return None
            block, _, self.text = self.text.partition("\n\n")
            found = dict(
                line.split(": ", 1) for line in block.splitlines() if not line.startswith(":") and ": " in line
            )
            if found and found.get("event") != "stream-open":
                return found

    async def take(self, count: int) -> list[dict[str, str]]:
        return [event for event in [await self.next() for _ in range(count)] if event is not None]


Listener = Callable[..., Any]


@pytest.fixture
def listen(conversation: Conversation) -> Listener:
    """`await listen(user, lastEventId=..., header=...)` opens the stream of the conversation."""

    async def opened(user: User | None, *, header: str = "", of: Conversation | None = None, **query: Any) -> Any:
        client = AsyncClient()
        if user is not None:
            await client.aforce_login(user)
        url = reverse("agent:events", args=[(of or conversation).pk])
        headers = {"Last-Event-ID": header} if header else {}
        response = await client.get(url, query, headers=headers)
        return Listening(response) if response.streaming else response

    return opened
