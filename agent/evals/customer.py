"""The customer's side of a play: signed in, asking and deciding through the site's own pages."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from agent import selectors
from agent.models import AgentRun, PendingAction


class NotServed(AssertionError):
    """A page of the site did not answer as it promises; the text holds its status and its words."""


class Customer:
    """A signed-in browser in this process: every request passes the middleware and the views."""

    def __init__(self, user: Any) -> None:
        self.user = user
        site = urlsplit(settings.PUBLIC_URL)
        self._secure = site.scheme == "https"
        self._client = Client(SERVER_NAME=site.hostname or "localhost", headers={"accept": "application/json"})
        self._client.force_login(user)

    def ask(self, text: str, *, conversation: Any = None) -> AgentRun:
        """Send a message, as the chat's form does. Returns the run that will answer it."""
        form = {"q": text, **({"conversation": str(conversation.pk)} if conversation else {})}
        answer = self._client.post(reverse("agent:start"), form, secure=self._secure)
        return selectors.run_of(self.user, _body(answer, expected=202)["run"])

    def read(self, action: PendingAction) -> dict[str, Any]:
        """The confirmation page, as it is shown before anything is decided."""
        return _body(self._client.get(_page(action), secure=self._secure), expected=200)

    def decide(self, action: PendingAction, decision: str, *, digest: str) -> HttpResponseBase:
        """Press one of the buttons under the facts that the digest stands for."""
        form = {"decision": decision, "digest": digest}
        return self._client.post(_page(action), form, secure=self._secure)

    def confirm(self, action: PendingAction) -> HttpResponseBase:
        """Read the page and confirm what it shows."""
        return self.decide(action, "confirm", digest=self.read(action)["digest"])

    def decline(self, action: PendingAction) -> HttpResponseBase:
        """Read the page and say no."""
        return self.decide(action, "reject", digest=self.read(action)["digest"])


def _page(action: PendingAction) -> str:
    return reverse("agent:action", args=[action.pk])


def _body(answer: Any, *, expected: int) -> dict[str, Any]:
    if answer.status_code != expected:
        raise NotServed(f"{answer.status_code} instead of {expected}: {answer.content[:300]!r}")
    return answer.json()
