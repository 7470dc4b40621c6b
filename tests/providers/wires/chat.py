"""Chat completions."""

import json
from collections.abc import Iterator
from typing import Any

from tests.providers.wires import MODEL, Reply, arguments_of, pieces, usage_of, words

PING = b": keep-alive\n\n"
FINISH = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}


def stream_events(reply: Reply) -> Iterator[dict[str, Any]]:
    """The chunks of a whole completion; without a reason to stop it has no end."""
    yield _chunk({"role": "assistant", "content": ""})
    index = -1
    for block in reply.blocks:
        if block["type"] == "text":
            yield from (_chunk({"content": piece}) for piece in words(block["text"]))
        if block["type"] == "tool_use":
            index += 1
            call = {"index": index, "id": block["id"], "type": "function"}
            yield _chunk({"tool_calls": [{**call, "function": {"name": block["name"], "arguments": ""}}]})
            for piece in pieces(arguments_of(block)):
                yield _chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    if reply.reason:
        yield _chunk({}, finish=FINISH.get(reply.reason, reply.reason))
        yield _chunk(None) | {"usage": _usage(reply)}


def frame(event: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(event)}\n\n".encode()


def end(reply: Reply) -> bytes:
    return b"data: [DONE]\n\n"


def whole(reply: Reply) -> dict[str, Any]:
    text = "".join(block["text"] for block in reply.blocks if block["type"] == "text")
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": FINISH[reply.reason or ""],
    }
    return {"id": "chatcmpl-test", "object": "chat.completion", "model": MODEL, "choices": [choice]}


def broken_rule(body: dict[str, Any]) -> str:
    """The first basic rule that a request breaks, or nothing. Arguments are read by the templates of many models."""
    messages = body.get("messages") or []
    if not messages or messages[-1]["role"] == "assistant":
        return "messages: nothing to answer"
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return f"tool_call_id {message['tool_call_id']} answers no call"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return f"tool calls {waiting} were not answered"
        calls = message.get("tool_calls") or []
        if not message["content"] and not calls:
            return "messages: content must not be empty"
        if any(type(json.loads(call["function"]["arguments"])) is not dict for call in calls):
            return "messages: arguments must be a JSON object"
        waiting = [call["id"] for call in calls]
    return f"tool calls {waiting} were not answered" if waiting else ""


def error(status: int, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "SomeError", "param": None, "code": status}}


def error_event(kind: str) -> dict[str, Any]:
    return {"error": {"message": "injected", "type": kind, "code": None}}


def _usage(reply: Reply) -> dict[str, Any]:
    return usage_of(reply, whole="prompt_tokens", output="completion_tokens")


def _chunk(delta: dict[str, Any] | None, *, finish: str | None = None) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": choices}
