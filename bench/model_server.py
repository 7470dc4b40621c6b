"""A fast local Messages API for measuring: `python -m bench.model_server` prints its port and serves until stopped.

The customer's words say what it answers, e.g. "track 10 orders [tool=track_parcel steps=10 latency=0]": that many
calls of the tool, one a turn, each with another order number; then a closing sentence. It keeps no conversation, so a
resumed run gets the same answers. A call that was not answered is refused, as the real service refuses it.
GET /_stats says what was served and how long that took; POST /_reset begins anew.
"""

import asyncio
import json
import re
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from bench.prompt_cache import PromptCache, blocks_of

FIRST_ORDER = 10_001
SCRIPT = re.compile(r"\[tool=(?P<tool>\w+) steps=(?P<steps>\d+) latency=(?P<latency>[\d.]+)\]")

Block = dict[str, Any]
Body = dict[str, Any]


class Refused(Exception):
    """A request that the real service would not take."""


@dataclass
class Served:
    """What the server has done since the last reset."""

    requests: int = 0
    busy_seconds: float = 0.0  # spent on requests, without the latency that was asked for
    in_flight: int = 0
    most_in_flight: int = 0
    refused: list[str] = field(default_factory=list)
    usages: list[dict[str, int]] = field(default_factory=list)


class ModelServer:
    """Answers requests; what it counts is read from outside."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything, the prompt cache too."""
        self.served, self.cache = Served(), PromptCache()

    async def client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, request by request."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):  # clients hang up
            while request := await _read_request(reader):
                writer.write(await self._answer(*request))
                await writer.drain()
        writer.close()

    async def _answer(self, path: str, raw: bytes) -> bytes:
        if path == "/_stats":
            return _whole(200, vars(self.served))
        if path == "/_reset":
            self.reset()
            return _whole(200, {})
        began = time.perf_counter()
        served = self.served
        served.requests += 1
        served.in_flight += 1
        served.most_in_flight = max(served.most_in_flight, served.in_flight)
        try:
            body = json.loads(raw)
            message, latency = self._message(body)
        except Refused as refusal:
            served.refused.append(str(refusal))
            return _whole(400, {"type": "error", "error": {"type": "invalid_request_error", "message": str(refusal)}})
        finally:
            served.in_flight -= 1
        answer = _streamed(message) if body.get("stream") else _whole(200, message)
        served.busy_seconds += time.perf_counter() - began
        if latency:
            served.in_flight += 1
            await asyncio.sleep(latency)
            served.in_flight -= 1
        return answer

    def _message(self, body: Body) -> tuple[dict[str, Any], float]:
        _check_answered(body["messages"])
        words, turn = _place(body["messages"])
        script = SCRIPT.search(words)
        if script is None:
            raise Refused("the customer's words hold no script")
        content = _content(script, turn)
        usage = self.cache.bill(body) | {"output_tokens": len(json.dumps(content)) // 4}
        self.served.usages.append(usage)
        about = {"id": f"msg_{self.served.requests}", "type": "message", "role": "assistant", "model": body["model"]}
        reason = "tool_use" if content[-1]["type"] == "tool_use" else "end_turn"
        closing = {"content": content, "stop_reason": reason, "stop_sequence": None, "usage": usage}
        return about | closing, float(script["latency"])


def _content(script: re.Match[str], turn: int) -> list[Block]:
    if turn >= int(script["steps"]):
        return [{"type": "text", "text": "All of them are on their way."}]
    given = {"order_number": f"DZ-{FIRST_ORDER + turn}"}
    return [{"type": "tool_use", "id": f"toolu_{turn:04}", "name": script["tool"], "input": given}]


def _place(messages: list[dict[str, Any]]) -> tuple[str, int]:
    """The customer's newest words, and how many turns have answered them."""
    turn = 0
    for message in reversed(messages):
        blocks = blocks_of(message["content"])
        turn += message["role"] == "assistant"
        if message["role"] == "user" and all(block["type"] == "text" for block in blocks):
            return "\n".join(block["text"] for block in blocks), turn
    raise Refused("nobody asked anything")


def _check_answered(messages: list[dict[str, Any]]) -> None:
    waiting: set[str] = set()
    for message in messages:
        blocks = blocks_of(message["content"])
        answered = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
        if answered != waiting:
            raise Refused(f"calls {sorted(waiting)} and results {sorted(answered)} do not belong together")
        waiting = {block["id"] for block in blocks if block["type"] == "tool_use"}
    if waiting:
        raise Refused(f"calls {sorted(waiting)} have no result")


# HTTP ------------------------------------------------------------------------------------------------------


async def _read_request(reader: asyncio.StreamReader) -> tuple[str, bytes] | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    length = re.search(r"^content-length: *(\d+)", head, re.MULTILINE | re.IGNORECASE)
    return head.split(" ", 2)[1], await reader.readexactly(int(length[1]) if length else 0)


def _whole(status: int, value: Any) -> bytes:
    data = json.dumps(value).encode()
    head = f"HTTP/1.1 {status} OK\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
    return head.encode() + data


def _streamed(message: dict[str, Any]) -> bytes:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    chunks = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in _events(message))
    return head + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


def _events(message: dict[str, Any]) -> Iterable[dict[str, Any]]:
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": {"output_tokens": message["usage"]["output_tokens"]}}
    yield {"type": "message_stop"}


async def serve() -> None:
    """Serve on a free port of the loopback, which is the first line of the output."""
    server = await asyncio.start_server(ModelServer().client, "127.0.0.1", 0, backlog=1024, limit=2**22)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(serve())
    except KeyboardInterrupt:
        sys.exit(0)
