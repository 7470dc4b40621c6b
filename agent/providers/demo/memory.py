"""What the demo model knows of a conversation: read anew from the messages each time, as a real model does."""

import json
from dataclasses import dataclass, field
from typing import Any

MOST_CHARS = 500  # of what somebody asks: a wish is told in the first of its sentences


@dataclass
class Call:
    """A call that was made, with its result once it is there."""

    name: str
    arguments: dict[str, Any]
    result: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Exchange:
    """What was asked, what was called for it, and the answer."""

    asks: list[str]
    calls: list[Call]
    answer: str

    @property
    def ends_in_question(self) -> bool:
        """Whether the next words of the customer may be the answer to it."""
        return self.answer.rstrip().endswith("?") or "?\n- " in self.answer


@dataclass
class Memory:
    """`asks`, `news` and `calls` are of the answer in the making; `past` lies before it, oldest first."""

    asks: list[str] = field(default_factory=list)
    news: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    past: list[Exchange] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """What the customer wrote, newest first."""
        return [*reversed(self.asks), *(ask for exchange in reversed(self.past) for ask in reversed(exchange.asks))]

    @property
    def past_calls(self) -> list[Call]:
        """The calls of all answers before."""
        return [call for exchange in self.past for call in exchange.calls]

    @property
    def open_exchanges(self) -> list[Exchange]:
        """The last exchanges, all of which ended in a question of ours, oldest first."""
        found: list[Exchange] = []
        for exchange in reversed(self.past):
            if not exchange.ends_in_question:
                break
            found.insert(0, exchange)
        return found

    def made(self, name: str, arguments: dict[str, Any]) -> Call | None:
        """The same call with its result, made for this answer or for the questions that led to it."""
        known = [*self.calls, *(call for exchange in self.open_exchanges for call in exchange.calls)]
        return next((call for call in known if (call.name, call.arguments) == (name, arguments)), None)

    def value_of(self, name: str) -> Any:
        """The newest value that a call was given, or a result had, under that name."""
        for call in [*reversed(self.calls), *reversed(self.past_calls)]:
            value = call.arguments.get(name, call.result.get(name))
            if value and "error" not in call.result:
                return value
        return None

    def made_last(self, name: str) -> Call | None:
        """The newest call of that tool."""
        return next((call for call in reversed([*self.past_calls, *self.calls]) if call.name == name), None)


def remember(messages: list[dict[str, Any]]) -> Memory:
    """Read the messages of a request."""
    memory, open_calls = Memory(), dict[str, Call]()
    for message in messages:
        blocks = _blocks(message["content"])
        words = [block["text"] for block in blocks if block["type"] == "text"]
        if message["role"] == "system":
            memory.news += [text for text in words if not text.startswith("Today is ")]
        elif message["role"] == "user":
            memory.asks += [text[:MOST_CHARS] for text in words]
            _take_results(blocks, open_calls)
        else:
            _take_turn(memory, blocks, open_calls)
    return memory


def _take_turn(memory: Memory, blocks: list[dict[str, Any]], open_calls: dict[str, Call]) -> None:
    calls = {b["id"]: Call(b["name"], dict(b["input"])) for b in blocks if b["type"] == "tool_use"}
    open_calls.update(calls)
    memory.calls += calls.values()
    if not calls:  # an answer: what was asked until here is dealt with
        answer = "\n".join(block["text"] for block in blocks if block["type"] == "text")
        memory.past.append(Exchange(memory.asks, memory.calls, answer))
        memory.asks, memory.calls, memory.news = [], [], []


def _take_results(blocks: list[dict[str, Any]], open_calls: dict[str, Call]) -> None:
    for block in blocks:
        call = open_calls.get(block.get("tool_use_id", ""))
        if call is not None:
            call.result = _result(block.get("content"))


def _result(content: Any) -> dict[str, Any]:
    text = "".join(part.get("text", "") for part in content) if isinstance(content, list) else str(content or "")
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return value if isinstance(value, dict) else {"result": value}


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
