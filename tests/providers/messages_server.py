"""A small model service over real HTTP: plays replies in order, fails on demand, remembers what it was asked.

    with MessagesServer(Reply("Hello."), Reply(status=529)) as server:
        ...Anthropic(base_url=server.url)...

It speaks the Messages API, Responses and chat completions, each under its own path. A request that breaks a basic
rule of its API is answered with 400 and uses no reply; `server.refused` says why.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any, Self

from tests.providers.wires import Reply, chat, messages, responses

__all__ = ["MessagesServer", "Reply"]

WIRES: dict[str, ModuleType] = {
    "/v1/messages": messages,
    "/v1/responses": responses,
    "/v1/chat/completions": chat,
}
HANG_LIMIT_SECONDS = 30.0


class MessagesServer:
    """Listens on a free port of the loopback while it is entered."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.refused: list[str] = []
        self.connections = 0
        self.asked = threading.Event()  # set by each request, when its fault or answer begins
        self.closing = threading.Event()
        self.lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.owner = self  # type: ignore[attr-defined]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def next_reply(self, wire: ModuleType, body: dict[str, Any]) -> Reply:
        with self.lock:
            self.requests.append(body)
            fault = wire.broken_rule(body)
            if fault:
                self.refused.append(fault)
                return Reply(fault, status=400)
            if not self.replies:
                return Reply("the script of the test has no reply left", status=500)
            return self.replies.pop(0)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each small event waits 40 ms for an acknowledgement

    def do_POST(self) -> None:
        owner: MessagesServer = self.server.owner  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        wire = WIRES[self.path.partition("?")[0]]
        reply = owner.next_reply(wire, body)
        owner.asked.set()
        if reply.fault == "hang" and not reply.after:
            owner.closing.wait(HANG_LIMIT_SECONDS)
        if reply.fault in ("hang", "close") and not reply.after:
            self.close_connection = True
        elif reply.body is not None:
            self._send(reply, reply.body, kind="text/html")
        elif reply.status != 200:
            self._send(reply, json.dumps(wire.error(reply.status, str(reply.content))).encode())
        elif body.get("stream"):
            self._stream(reply, owner, wire)
        else:
            self._send(reply, json.dumps(wire.whole(reply)).encode())

    def _send(self, reply: Reply, data: bytes, *, kind: str = "application/json") -> None:
        self._head(reply, kind=kind, length=len(data))
        self.wfile.write(data)

    def _head(self, reply: Reply, *, kind: str, length: int | None = None) -> None:
        self.send_response(reply.status)
        headers = {"content-type": kind, "request-id": "req_test", "x-request-id": "req_test", **reply.headers}
        headers |= {"transfer-encoding": "chunked"} if length is None else {"content-length": str(length)}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _stream(self, reply: Reply, owner: MessagesServer, wire: ModuleType) -> None:
        self._head(reply, kind="text/event-stream")
        for sent, event in enumerate(reply.events or wire.stream_events(reply)):
            if reply.fault and sent == reply.after:
                break
            self._chunk(wire.frame(event))
        else:
            if reply.reason and wire.end(reply):
                self._chunk(wire.end(reply))
        if reply.fault == "hang":
            # Pings, as a live service sends them: no read timeout ever ends this.
            while not owner.closing.wait(0.1):
                self._chunk(wire.PING)
        if reply.fault == "cut":
            self.close_connection = True
            return
        if reply.fault == "error":
            self._chunk(wire.frame(wire.error_event(reply.error_type)))
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def setup(self) -> None:
        super().setup()
        self.server.owner.connections += 1  # type: ignore[attr-defined]

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True  # the client has hung up

    def log_message(self, format: str, *args: Any) -> None:
        """Tests print nothing."""
