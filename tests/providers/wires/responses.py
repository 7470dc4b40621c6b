"""The Responses API."""

import json
from collections.abc import Iterator
from typing import Any

from tests.providers.wires import MODEL, Reply, arguments_of, pieces, usage_of, words

PING = b": keep-alive\n\n"
INCOMPLETE = {"max_tokens": "max_output_tokens", "refusal": "content_filter"}
KINDS = {"message", "function_call", "function_call_output", "reasoning"}


def stream_events(reply: Reply) -> Iterator[dict[str, Any]]:
    """The events of a whole response, numbered; its end is missing where the reply has no reason to stop."""
    for number, event in enumerate(_events(reply)):
        yield {**event, "sequence_number": number}


def _events(reply: Reply) -> Iterator[dict[str, Any]]:
    begun = _response(reply) | {"output": [], "status": "in_progress", "usage": None}
    yield {"type": "response.created", "response": begun}
    for index, item in enumerate(items_of(reply)):
        place = {"output_index": index, "item_id": item["id"]}
        yield {"type": "response.output_item.added", **place, "item": {**item, "status": "in_progress"}}
        yield {"type": "response.content_part.added", **place, "content_index": 0, "part": {}}
        for part in item.get("content") or []:
            kind = "response.refusal.delta" if part["type"] == "refusal" else "response.output_text.delta"
            for piece in words(part.get("text", part.get("refusal"))):
                yield {"type": kind, **place, "content_index": 0, "delta": piece}
        for piece in pieces(item.get("arguments", "")):
            yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
        yield {"type": "response.output_item.done", **place, "item": item}
    if reply.reason:
        response = _response(reply)
        yield {"type": f"response.{response['status']}", "response": response}


def frame(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def end(reply: Reply) -> bytes:
    return b""


def whole(reply: Reply) -> dict[str, Any]:
    return _response(reply)


def items_of(reply: Reply) -> list[dict[str, Any]]:
    """The reply's blocks as output items; a block of kind `item` is one already."""
    return [_item(block, number) for number, block in enumerate(reply.blocks)]


def _item(block: dict[str, Any], number: int) -> dict[str, Any]:
    if block["type"] == "text":
        part = {"type": "output_text", "text": block["text"], "annotations": [], "logprobs": []}
        return {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}
    if block["type"] == "tool_use":
        call = {"call_id": block["id"], "name": block["name"], "arguments": arguments_of(block)}
        return {"type": "function_call", "id": f"fc_{number}", "status": "completed", **call}
    if block["type"] == "thinking":
        return {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": block["signature"]}
    return block["item"]


def _response(reply: Reply) -> dict[str, Any]:
    cut = INCOMPLETE.get(reply.reason or "")
    return {
        "id": "resp_test",
        "object": "response",
        "model": MODEL,
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": cut} if cut else None,
        "error": None,
        "output": items_of(reply),
        "usage": usage_of(reply, whole="input_tokens", output="output_tokens"),
    }


def broken_rule(body: dict[str, Any]) -> str:
    """The first basic rule that a request breaks, or nothing."""
    items = body.get("input") or []
    kinds = [item.get("type", "message") for item in items]
    if not items or kinds[-1] not in ("message", "function_call_output") or set(kinds) - KINDS:
        return "input: an item of no known kind, or nothing to answer"
    if any(not (item.get("content") or kind != "message") for item, kind in zip(items, kinds, strict=True)):
        return "input: content must not be empty"
    if any(kind == "reasoning" and after in ("reasoning", "function_call_output") for kind, after in _pairs(kinds)):
        return "input: a reasoning item without the item that must follow it"
    calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
    outputs = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    if calls != outputs:
        return f"function calls {calls} were answered by {outputs}"
    loose = [tool["name"] for tool in body.get("tools", []) if not isinstance(tool.get("strict"), bool)]
    return f"tools: strict is missing from {loose}" if loose else ""


def _pairs(kinds: list[str]) -> list[tuple[str, str]]:
    return list(zip(kinds, [*kinds[1:], "reasoning"], strict=True))


def error(status: int, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


def error_event(kind: str) -> dict[str, Any]:
    return {"type": "error", "code": kind, "message": "injected", "param": None}
