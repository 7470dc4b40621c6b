"""What keeps a browser from being used against its owner: on every answer, whoever gave it.

Django's middleware sets most of them on pages. A file, a redirect before it, and what `/mcp` answers go round that
middleware, so the server's last step adds what is still missing and changes nothing that is there.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from csp.utils import build_policy
from django.conf import settings

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

# No page asks for any of these, and none that a page is talked into showing shall.
PERMISSIONS = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"


def on_every_answer(application: Application) -> Application:
    """The application, with each safety header on whatever it answers."""
    wanted = _wanted()
    hsts = f"max-age={settings.SECURE_HSTS_SECONDS}".encode() if settings.SECURE_HSTS_SECONDS else b""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        missing = {**wanted, b"strict-transport-security": hsts} if hsts and _is_https(scope) else wanted

        async def sent(message: Mapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))
                there = {name.lower() for name, _value in headers}
                headers += [(name, value) for name, value in missing.items() if name not in there]
                message = {**message, "headers": headers}
            await send(message)

        await application(scope, receive, sent)

    return answer


def _wanted() -> dict[bytes, bytes]:
    found = {
        "x-content-type-options": "nosniff",
        "x-frame-options": settings.X_FRAME_OPTIONS,
        "referrer-policy": settings.SECURE_REFERRER_POLICY,
        "cross-origin-opener-policy": settings.SECURE_CROSS_ORIGIN_OPENER_POLICY,
        "permissions-policy": PERMISSIONS,
    }
    if not settings.DEBUG:  # Django's own pages of a fault, which only a developer sees, have their styles inside
        found["content-security-policy"] = build_policy()
    return {name.encode(): str(value).encode("latin-1") for name, value in found.items()}


def _is_https(scope: Scope) -> bool:
    """As Django takes it: the server's own word, or the proxy's."""
    said = dict(scope["headers"]).get(b"x-forwarded-proto", b"")
    return bool(scope.get("scheme") == "https" or said == b"https")
