"""A program on this device that asks its customer for access: where the browser comes back to, and what it brings."""

import base64
import hashlib
import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

VERIFIER = "v" * 64
PATIENCE = 90  # seconds


class Listener:
    """The program's own address on loopback, and the parameters that the last browser brought there."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}/callback"
        self.came = threading.Event()
        self.told: dict[str, str] = {}

    def waited(self) -> dict[str, str]:
        assert self.came.wait(PATIENCE), "no browser came back"
        self.came.clear()
        return self.told


@contextmanager
def listening() -> Iterator[Listener]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><html lang=en><title>Connected</title><p>You can go back.</p></html>")
            if parts.path == "/callback":
                listener.told = {name: values[0] for name, values in parse_qs(parts.query).items()}
                listener.came.set()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener = Listener(server.server_port)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield listener
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def register(site: str, callback: str, *, name: str) -> str:
    """The new program's client_id."""
    body = {"client_name": name, "redirect_uris": [callback]}
    return str(_posted(f"{site}/oauth/register", json.dumps(body).encode(), kind="application/json")["client_id"])


def consent_page(site: str, callback: str, *, client_id: str) -> str:
    """Where the program sends its customer."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
    asked = {
        "response_type": "code", "client_id": client_id, "redirect_uri": callback, "scope": "read propose",
        "code_challenge": challenge, "code_challenge_method": "S256", "resource": f"{site}/mcp", "state": "s",
    }  # fmt: skip
    return f"{site}/oauth/authorize?{urlencode(asked)}"


def redeem(site: str, callback: str, *, client_id: str, code: str) -> dict[str, Any]:
    form = {
        "grant_type": "authorization_code", "code": code, "redirect_uri": callback, "client_id": client_id,
        "code_verifier": VERIFIER, "resource": f"{site}/mcp",
    }  # fmt: skip
    return _posted(f"{site}/oauth/token", urlencode(form).encode(), kind="application/x-www-form-urlencoded")


def _posted(address: str, body: bytes, *, kind: str) -> dict[str, Any]:
    request = urllib.request.Request(address, data=body, headers={"Content-Type": kind})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        read: dict[str, Any] = json.load(answer)
    return read
