"""A small Messages API over real HTTP: plays replies in order, fails on demand, remembers what it was asked.

    with MessagesServer(Reply("Hello."), Reply(status=529)) as server:
        ...Anthropic(base_url=server.url)...

A request that breaks a basic rule of the API is answered with 400 and uses no reply; `server.refused` says why.
"""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
HANG_LIMIT_SECONDS = 30.0


@dataclass(frozen=True)
class Reply:
    """One answer. `after` counts the stream events sent before the fault."""

    content: Any = ()  # blocks, or a string for one text block
    stop_reason: str | None = ""  # empty: tool_use where there is a call, else end_turn
    usage: dict[str, Any] = field(default_factory=lambda: {"input_tokens": 10, "output_tokens": 5})
    fault: str = ""  # hang, close, cut (connection lost), end (cleanly), error (event)
    after: int = 0
    error_type: str = "overloaded_error"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None  # sent as it is, as text/html
    events: list[dict[str, Any]] | None = None  # sent instead of those made from the content

    @property
    def blocks(self) -> list[dict[str, Any]]:
        return [{"type": "text", "text": self.content}] if isinstance(self.content, str) else list(self.content)

    @property
    def reason(self) -> str | None:
        if self.stop_reason != "":
            return self.stop_reason
        return "tool_use" if any(block["type"] == "tool_use" for block in self.blocks) else "end_turn"


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

    def next_reply(self, body: dict[str, Any]) -> Reply:
        with self.lock:
            self.requests.append(body)
            fault = broken_rule(body)
            if fault:
                self.refused.append(fault)
                return Reply(fault, status=400)
            if not self.replies:
                return Reply("the script of the test has no reply left", status=500)
            return self.replies.pop(0)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        owner: MessagesServer = self.server.owner  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply = owner.next_reply(body)
        owner.asked.set()
        if reply.fault == "hang" and not reply.after:
            owner.closing.wait(HANG_LIMIT_SECONDS)
        if reply.fault in ("hang", "close") and not reply.after:
            self.close_connection = True
        elif reply.body is not None:
            self._send(reply, reply.body, kind="text/html")
        elif reply.status != 200:
            self._send(reply, json.dumps(_error(_type_of(reply.status), str(reply.content))).encode())
        elif body.get("stream"):
            self._stream(reply, owner)
        else:
            self._send(reply, json.dumps(_message(reply)).encode())

    def _send(self, reply: Reply, data: bytes, *, kind: str = "application/json") -> None:
        self._head(reply, kind=kind, length=len(data))
        self.wfile.write(data)

    def _head(self, reply: Reply, *, kind: str, length: int | None = None) -> None:
        self.send_response(reply.status)
        headers = {"content-type": kind, "request-id": "req_test", **reply.headers}
        headers |= {"transfer-encoding": "chunked"} if length is None else {"content-length": str(length)}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _stream(self, reply: Reply, owner: MessagesServer) -> None:
        self._head(reply, kind="text/event-stream")
        for sent, event in enumerate(reply.events or stream_events(reply)):
            if reply.fault and sent == reply.after:
                break
            self._chunk(event)
        if reply.fault == "hang":
            # Pings, as a live service sends them: no read timeout ever ends this.
            while not owner.closing.wait(0.1):
                self._chunk({"type": "ping"})
        if reply.fault == "cut":
            self.close_connection = True
            return
        if reply.fault == "error":
            self._chunk(_error(reply.error_type, "injected"))
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, event: dict[str, Any]) -> None:
        data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
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


def stream_events(reply: Reply) -> Iterator[dict[str, Any]]:
    """The events of a whole message, text by words and a tool's arguments in pieces of seven characters."""
    yield {"type": "message_start", "message": _message(reply) | {"content": [], "stop_reason": None}}
    yield {"type": "ping"}
    for index, block in enumerate(reply.blocks):
        start, deltas = _in_pieces(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    usage = {"output_tokens": reply.usage.get("output_tokens")}
    yield {"type": "message_delta", "delta": {"stop_reason": reply.reason}, "usage": usage}
    yield {"type": "message_stop"}


def broken_rule(body: dict[str, Any]) -> str:
    """The first basic rule that a request breaks, or nothing."""
    messages = body.get("messages") or []
    if not messages or messages[0]["role"] != "user" or messages[-1]["role"] == "assistant":
        return "messages: begin with the user, do not end with the assistant"
    waiting: list[str] = []
    for message in messages:
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if sorted(results) != sorted(waiting):
            return f"tool_use ids {waiting} were answered by {results}"
        if not message["content"] or any(b["type"] == "text" and not b["text"].strip() for b in blocks):
            return "messages: content must not be empty"
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
    return f"tool_use ids {waiting} were not answered" if waiting else ""


def _in_pieces(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        words = block["text"].split(" ")
        pieces = [word + " " for word in words[:-1]] + words[-1:]
        return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces]
    if block["type"] == "tool_use":
        text = json.dumps(block["input"]) if isinstance(block["input"], dict) else block["input"]
        pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": block["thinking"]}] if block["thinking"] else []
        signature = {"type": "signature_delta", "signature": block["signature"]}
        return {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signature]
    return block, []


def _message(reply: Reply) -> dict[str, Any]:
    return {
        "id": "msg_test",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "content": reply.blocks,
        "stop_reason": reply.reason,
        "stop_sequence": None,
        "usage": reply.usage,
    }


def _type_of(status: int) -> str:
    return TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_test"}
