"""The Responses API: a conversation is a list of items, and the model's own go back to it as they came."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from agent.providers.assembly import checked_turn
from agent.providers.base import Request, Turn
from agent.providers.blocks import OPENAI_ITEM, input_of, sendable_input
from agent.providers.failures import failure, failure_in_stream
from agent.providers.openai.functions import (
    blocks_of,
    function_of,
    json_text,
    result_text,
    text_of,
    usage_as_messages_api,
)

Wire = dict[str, Any]

LAST = ("response.completed", "response.incomplete", "response.failed", "error")
# An answer that was withheld, told as an error.
POLICIES = {"bio_policy", "cyber_policy", "misalignment_policy_violation", "content_policy_violation"}
REASONS = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}


class Responses:
    """How this API is spoken."""

    def create(self, client: Any) -> Callable[..., Any]:
        """The client's method that asks."""
        method: Callable[..., Any] = client.responses.create
        return method

    def arguments(self, request: Request) -> Wire:
        """The request as keywords. Nothing is stored at the service: reasoning comes sealed, and goes back with us."""
        arguments: Wire = {
            "model": request.model,
            "input": [item for message in request.messages for item in _items(message, model=request.model)],
            "max_output_tokens": request.max_tokens,
            "store": False,
            "include": ["reasoning.encrypted_content"],
        }
        if request.system:
            arguments["instructions"] = request.system
        if request.tools:
            arguments["tools"] = [function_of(tool) for tool in request.tools]
        return arguments

    def builder(self, request: Request) -> "ResponseBuilder":
        """What puts the answer together."""
        return ResponseBuilder(model=request.model)


# To the wire -----------------------------------------------------------------------------------------------


def _items(message: Wire, *, model: str) -> Iterator[Wire]:
    blocks = blocks_of(message)
    if message["role"] == "assistant":
        yield from _without_loose_reasoning(list(_answer_items(blocks, model=model)))
        return
    for block in blocks:
        if block["type"] == "tool_result":
            yield {"type": "function_call_output", "call_id": block["tool_use_id"], "output": result_text(block)}
    if text := text_of(blocks):
        yield {"role": message["role"], "content": text}


def _answer_items(blocks: list[Wire], *, model: str) -> Iterator[Wire]:
    """The items as they came; another model's in plain, for its sealed reasoning would be refused."""
    said = 0  # blocks that an item before them has said already
    for block in blocks:
        if block["type"] == OPENAI_ITEM:
            if block["model"] == model:
                said = block["covers"]
                yield block["item"]
        elif said:
            said -= 1
        elif block["type"] == "text":
            yield {"role": "assistant", "content": block["text"]}
        elif block["type"] == "tool_use":
            arguments = json_text(sendable_input(block))
            yield {"type": "function_call", "call_id": block["id"], "name": block["name"], "arguments": arguments}


def _without_loose_reasoning(items: list[Wire]) -> list[Wire]:
    """Reasoning that nothing follows is refused; it comes of an answer that was cut off."""
    while items and items[-1].get("type") == "reasoning":
        items = items[:-1]
    return items


# From the wire ---------------------------------------------------------------------------------------------


class ResponseBuilder:
    """Puts a turn together from the events of a streamed response."""

    def __init__(self, *, model: str) -> None:
        self._asked = model
        self._started = time.monotonic()
        self._first: float | None = None
        self._done: dict[int, Wire] = {}
        self._response: Wire | None = None
        self._withheld = False

    def is_last(self, event: Wire) -> bool:
        """Whether nothing of the answer follows."""
        return event.get("type") in LAST

    def add(self, event: Wire) -> str:
        """Take one event; returns the text that it adds to the answer. Raises ProviderError."""
        try:
            return self._take(event, str(event.get("type")))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise failure("bad_turn") from error

    def _take(self, event: Wire, kind: str) -> str:
        if kind.endswith(".delta"):
            self._first = self._first or time.monotonic()
            shown = kind in ("response.output_text.delta", "response.refusal.delta")
            return str(event["delta"]) if shown else ""
        if kind == "response.output_item.done":
            self._done[event["output_index"]] = dict(event["item"])
        elif kind in ("response.completed", "response.incomplete"):
            self._response = dict(event["response"])
        elif kind in ("response.failed", "error"):
            self._fail(event)
        return ""

    def _fail(self, event: Wire) -> None:
        self._response = dict(event.get("response") or {})
        error = self._response.get("error") or event.get("error") or event
        self._withheld = error.get("code") in POLICIES
        if not self._withheld:
            raise failure_in_stream({"error": {**error, "type": None if error is event else error.get("type")}})

    def turn(self, *, request_id: str) -> Turn:
        """The turn, once the stream has ended. Raises ProviderError where it ended too early."""
        if self._response is None:
            raise failure("truncated")
        try:
            output = self._response.get("output") or [self._done[index] for index in sorted(self._done)]
            reason = self._stop_reason(output)
            content = [block for item in output for block in _blocks(item, model=self._asked, reason=reason)]
            usage = self._response.get("usage") or {}
            figures = usage_as_messages_api(usage, whole="input_tokens", output="output_tokens")
        except (KeyError, TypeError, AttributeError) as error:
            raise failure("bad_turn") from error
        return checked_turn(
            content,
            stop_reason=reason,
            usage=figures,
            model=self._response.get("model") or "",
            request_id=request_id,
            started=self._started,
            first=self._first,
        )

    def _stop_reason(self, output: list[Wire]) -> str:
        """The reason as the Messages API names it. A refusal is content here, and its calls are not meant."""
        response = self._response or {}
        if response.get("status") == "incomplete":
            reason = (response.get("incomplete_details") or {}).get("reason") or "incomplete"
            return REASONS.get(reason, str(reason))
        if self._withheld or any(part["type"] == "refusal" for item in output for part in item.get("content") or []):
            return "refusal"
        return "tool_use" if any(item["type"] == "function_call" for item in output) else "end_turn"


def _blocks(item: Wire, *, model: str, reason: str) -> list[Wire]:
    """An item as it came, and after it the plain blocks that say the same."""
    plain = _plain(item, reason=reason)
    if any(isinstance(block.get("input"), str) for block in plain):
        return plain  # no API takes such arguments back
    return [{"type": OPENAI_ITEM, "model": model, "item": item, "covers": len(plain)}, *plain]


def _plain(item: Wire, *, reason: str) -> list[Wire]:
    if item["type"] == "message":
        texts = [part.get("text") or part.get("refusal") or "" for part in item["content"]]
        return [{"type": "text", "text": text} for text in texts if text.strip()]
    if item["type"] == "function_call":
        given = input_of(item["arguments"])
        cut = isinstance(given, str) and reason != "tool_use"
        return [{"type": "tool_use", "id": item["call_id"], "name": item["name"], "input": {} if cut else given}]
    return []
