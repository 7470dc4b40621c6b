"""Chat completions: what OpenAI, vLLM, Ollama and llama.cpp all speak, each a little differently."""

import re
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

from agent.providers.assembly import checked_turn
from agent.providers.base import Request, Turn
from agent.providers.blocks import input_of, sendable_input
from agent.providers.failures import failure, failure_in_stream
from agent.providers.openai.functions import (
    blocks_of,
    function_of,
    is_openai_itself,
    json_text,
    result_text,
    text_of,
    usage_as_messages_api,
)

Wire = dict[str, Any]

PLAIN_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")  # OpenAI takes no longer one back
REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
WITH_CALLS = ("stop", "tool_calls", "function_call")  # some servers say "stop" after a call
NOTICE = "Notice from the shop's system, not written by the customer:"


class Chat:
    """How this API is spoken."""

    def create(self, client: Any) -> Callable[..., Any]:
        """The client's method that asks."""
        method: Callable[..., Any] = client.chat.completions.create
        return method

    def arguments(self, request: Request) -> Wire:
        """The request as keywords. OpenAI's newer models know only the new name of the limit, Ollama only the old."""
        messages = [wire for message in request.messages for wire in _messages(message)]
        system = [{"role": "system", "content": request.system}] if request.system else []
        arguments: Wire = {
            "model": request.model,
            "messages": [*system, *(messages if is_openai_itself() else _in_turns(messages))],
            "max_completion_tokens" if is_openai_itself() else "max_tokens": request.max_tokens,
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            functions = [function_of(tool) for tool in request.tools]
            arguments["tools"] = [{"type": each.pop("type"), "function": each} for each in functions]
        return arguments

    def builder(self, request: Request) -> "ChatBuilder":
        """What puts the answer together."""
        return ChatBuilder(used=_call_ids(request.messages))


# To the wire -----------------------------------------------------------------------------------------------


def _messages(message: Wire) -> Iterator[Wire]:
    blocks = blocks_of(message)
    text = text_of(blocks)
    calls = [_call(block) for block in blocks if block["type"] == "tool_use"]
    for block in blocks:
        if block["type"] == "tool_result":
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": result_text(block)}
    if calls:
        yield {"role": "assistant", "content": text, "tool_calls": calls}
    elif text:
        yield {"role": message["role"], "content": text}


def _call(block: Wire) -> Wire:
    function = {"name": block["name"], "arguments": json_text(sendable_input(block))}
    return {"id": block["id"], "type": "function", "function": function}


def _in_turns(messages: list[Wire]) -> list[Wire]:
    """As the templates of many open models want it: no system message but the first, and no two of the customer.

    News becomes a marked part of the customer's message. A customer can imitate the mark, and gains nothing: no
    news makes the host do anything.
    """
    turns: list[Wire] = []
    for message in messages:
        if message["role"] == "system":
            message = {"role": "user", "content": f"{NOTICE} {message['content']}"}
        if turns and message["role"] == "user" == turns[-1]["role"]:
            turns[-1] = {"role": "user", "content": f"{turns[-1]['content']}\n\n{message['content']}"}
        else:
            turns.append(message)
    return turns


def _call_ids(messages: list[Wire]) -> set[str]:
    return {block["id"] for message in messages for block in blocks_of(message) if block["type"] == "tool_use"}


# From the wire ---------------------------------------------------------------------------------------------


class ChatBuilder:
    """Puts a turn together from the chunks of a streamed completion.

    `used` are the call ids of the conversation: a server that counts anew in each answer, or gives none, gets others
    back. They only tie a result to its call.
    """

    def __init__(self, *, used: set[str]) -> None:
        self._used = set(used)
        self._started = time.monotonic()
        self._first: float | None = None
        self._text: list[str] = []
        self._refused = False
        self._calls: list[Wire] = []  # {id, name, arguments}
        self._place: dict[int, int] = {}  # the index on the wire: the newest call under it
        self._finish: str | None = None
        self._usage: Wire = {}
        self._model = ""

    def is_last(self, event: Wire) -> bool:
        """Whether nothing of the answer follows; otherwise its end is a mark that is no event."""
        return bool(event.get("error"))

    def add(self, event: Wire) -> str:
        """Take one chunk; returns the text that it adds to the answer. Raises ProviderError."""
        if event.get("error"):
            raise failure_in_stream(event)
        try:
            self._model = event.get("model") or self._model
            self._usage = event.get("usage") or self._usage
            return "".join([self._take(choice) for choice in event.get("choices") or []])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise failure("bad_turn") from error

    def _take(self, choice: Wire) -> str:
        delta = choice.get("delta") or {}
        self._finish = choice.get("finish_reason") or self._finish
        for piece in delta.get("tool_calls") or []:
            self._add_to_call(piece)
        self._refused = self._refused or bool(delta.get("refusal"))
        text = f"{delta.get('content') or ''}{delta.get('refusal') or ''}"
        if text or delta.get("tool_calls"):
            self._first = self._first or time.monotonic()
        self._text.append(text)
        return text

    def _add_to_call(self, piece: Wire) -> None:
        """A new index begins a call, and so does a new id: some servers number every call 0."""
        index, given = piece.get("index") or 0, piece.get("id") or ""
        place = self._place.get(index)
        if place is None or given not in ("", self._calls[place]["id"]):
            place = self._place[index] = len(self._calls)
            self._calls.append({"id": given, "name": "", "arguments": ""})
        function = piece.get("function") or {}
        self._calls[place]["name"] = self._calls[place]["name"] or function.get("name") or ""
        self._calls[place]["arguments"] += function.get("arguments") or ""

    def turn(self, *, request_id: str) -> Turn:
        """The turn, once the stream has ended. Raises ProviderError where it ended too early."""
        if self._finish is None:
            raise failure("truncated")
        reason = self._stop_reason(self._finish)
        text = [{"type": "text", "text": "".join(self._text)}]
        return checked_turn(
            [*text, *(self._block(call, reason=reason) for call in self._calls)],
            stop_reason=reason,
            usage=usage_as_messages_api(self._usage, whole="prompt_tokens", output="completion_tokens"),
            model=self._model,
            request_id=request_id,
            started=self._started,
            first=self._first,
        )

    def _stop_reason(self, finish: str) -> str:
        """The reason as the Messages API names it. A refusal is content here, and its calls are not meant."""
        if self._refused:
            return "refusal"
        if finish in ("tool_calls", "function_call") or (self._calls and finish in WITH_CALLS):
            return "tool_use"
        return REASONS.get(finish, finish)

    def _block(self, call: Wire, *, reason: str) -> Wire:
        given = input_of(call["arguments"])
        cut = isinstance(given, str) and reason != "tool_use"
        return {"type": "tool_use", "id": self._own_id(call), "name": call["name"], "input": {} if cut else given}

    def _own_id(self, call: Wire) -> str:
        given = call["id"]
        if given in self._used or not PLAIN_ID.fullmatch(given):
            given = f"call_{uuid4().hex[:24]}"
        self._used.add(given)
        return given
