"""A server that does one thing wrong: a right one by default, each of whose answers a test may replace."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

HTML = {"content-type": "text/html"}
META = "/.well-known/oauth-protected-resource/mcp"
ISSUER = "/.well-known/oauth-authorization-server"
GOOD = "a-good-token"


class Said(NamedTuple):
    """An answer. `wait` is an event that it waits for before it comes."""

    status: int = 200
    body: Any = ""
    headers: dict[str, str] = {}
    wait: threading.Event | None = None


class Broken:
    """Answers by (method of the protocol, or path), and keeps every header that came."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers, self.seen = answers, []
        self.url = ""

    def answer(self, name: str, *, token: str) -> Said:
        given = self.answers.get(name) or self.answers.get("every")
        if given is not None:
            return given(token) if callable(given) else given
        if name in (META, ISSUER):
            return Said(200, self.document(name))
        if token != f"Bearer {GOOD}":
            return self.turned_away('error="invalid_token", ' if token else "")
        results = {
            "server/discover": {"supportedVersions": ["2026-07-28"]},
            "tools/list": {"tools": [tool("look")]},
            "tools/call": {"content": [{"type": "text", "text": "{}"}], "isError": False},
        }
        return Said(200, {"jsonrpc": "2.0", "id": 1, "result": results[name]})

    def document(self, name: str, **changes: Any) -> dict[str, Any]:
        if name == META:
            return {"resource": f"{self.url}/mcp", "authorization_servers": [self.url], **changes}
        return {
            "issuer": self.url, "authorization_endpoint": f"{self.url}/a", "token_endpoint": f"{self.url}/t",
            "code_challenge_methods_supported": ["S256"], "response_types_supported": ["code"],
            "registration_endpoint": f"{self.url}/r", **changes,
        }  # fmt: skip

    def turned_away(self, error: str = "") -> Said:
        return Said(401, {}, {"WWW-Authenticate": f'Bearer {error}resource_metadata="{self.url}{META}"'})


def tool(name: str, **changes: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}, **changes}


@contextmanager
def broken(answers: dict[str, Any], *, tls: ssl.SSLContext | None = None) -> Iterator[Broken]:
    """The server, on this machine, until the block ends."""
    about = Broken(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.say(self.path)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.say(json.loads(body)["method"])

        def say(self, name: str) -> None:
            about.seen.append((name, dict(self.headers)))
            said = about.answer(name, token=self.headers.get("Authorization", ""))
            if said.wait is not None:
                said.wait.wait(30)
            body = said.body if isinstance(said.body, bytes | str) else json.dumps(said.body)
            self.send_response(said.status)
            for key, value in {"content-type": "application/json", **said.headers}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body.encode() if isinstance(body, str) else body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    about.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield about
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
