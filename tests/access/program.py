"""A program that asks for access as the specifications have it, without any library of ours or theirs."""

import base64
import hashlib
import json
import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.http import HttpResponse
from django.test import Client

CALLBACK = "http://127.0.0.1:33418/callback"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
RESOURCE = "http://127.0.0.1:8000/mcp"
ISSUER = "http://127.0.0.1:8000"


def register(*redirect_uris: str, **metadata: Any) -> HttpResponse:
    about = {"client_name": "Probe", "redirect_uris": list(redirect_uris) or [CALLBACK], **metadata}
    return Client().post("/oauth/register", json.dumps(about), content_type="application/json")


class Program:
    """One registered program, and what it holds."""

    def __init__(self, *, client_id: str = "", callback: str = CALLBACK, **metadata: Any) -> None:
        self.client_id = client_id or register(callback, **metadata).json()["client_id"]
        self.callback = callback

    def address(self, **changes: str | None) -> str:
        """Where it sends the customer's browser. A parameter that is None is left out."""
        asked = {
            "response_type": "code", "client_id": self.client_id, "redirect_uri": self.callback, "state": "s-1",
            "scope": "read propose", "code_challenge": CHALLENGE, "code_challenge_method": "S256",
            "resource": RESOURCE, **changes,
        }  # fmt: skip
        return "/oauth/authorize?" + urlencode({name: value for name, value in asked.items() if value is not None})

    def let_in(self, browser: Client, *, scope: str = "propose", **changes: str | None) -> dict[str, str]:
        """The customer says yes; returns what the program's callback gets."""
        answer = browser.post(self.address(**changes), {"decision": "allow", "scope": scope})
        assert answer.status_code == 302, answer.text
        assert answer["Location"].startswith(self.callback)
        return told(answer)

    def redeem(self, code: str, **changes: str | None) -> HttpResponse:
        return self.post(
            {"grant_type": "authorization_code", "code": code, "redirect_uri": self.callback,
             "code_verifier": VERIFIER, "resource": RESOURCE, **changes}
        )  # fmt: skip

    def refresh(self, refresh_token: str, **changes: str | None) -> HttpResponse:
        return self.post({"grant_type": "refresh_token", "refresh_token": refresh_token, **changes})

    def post(self, form: dict[str, str | None], *, path: str = "/oauth/token") -> HttpResponse:
        form = {"client_id": self.client_id, **form}
        return Client().post(path, {name: value for name, value in form.items() if value is not None})

    def tokens(self, browser: Client, **changes: Any) -> dict[str, Any]:
        """The whole round."""
        answer = self.redeem(self.let_in(browser, **changes)["code"])
        assert answer.status_code == 200, answer.text
        return answer.json()


def told(answer: HttpResponse) -> dict[str, str]:
    """The parameters with which the browser is sent to the program."""
    return {name: values[0] for name, values in parse_qs(urlsplit(answer["Location"]).query).items()}


def hidden(text: str) -> list[str]:
    return re.findall(r'<input type="hidden" name="scope" value="(\w+)"', text)
