"""The Messages API."""

import json
from collections.abc import Iterator
from typing import Any

from tests.providers.wires import MODEL, Reply, arguments_of, pieces, words

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
PING = b'event: ping\ndata: {"type": "ping"}\n\n'


def stream_events(reply: Reply) -> Iterator[dict[str, Any]]:
    """The events of a whole message, text by words and a tool's arguments in pieces of seven characters."""
    yield {"type": "message_start", "message": whole(reply) | {"content": [], "stop_reason": None}}
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


def frame(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def end(reply: Reply) -> bytes:
    return b""


def whole(reply: Reply) -> dict[str, Any]:
    return {
        "id": "msg_test",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": reply.blocks,
        "stop_reason": reply.reason,
        "stop_sequence": None,
        "usage": reply.usage,
    }


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
        calls = [block for block in blocks if block["type"] == "tool_use"]
        if any(block["type"] == "openai_item" for block in blocks) or any(type(b["input"]) is not dict for b in calls):
            return "messages: a block of no known kind"
        waiting = [block["id"] for block in calls]
    return f"tool_use ids {waiting} were not answered" if waiting else ""


def error(status: int, message: str) -> dict[str, Any]:
    kind = TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return _error(kind, message)


def error_event(kind: str) -> dict[str, Any]:
    return _error(kind, "injected")


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_test"}


def _in_pieces(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in words(block["text"])]
    if block["type"] == "tool_use":
        sent = pieces(arguments_of(block))
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in sent]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": block["thinking"]}] if block["thinking"] else []
        signature = {"type": "signature_delta", "signature": block["signature"]}
        return {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signature]
    return block, []
