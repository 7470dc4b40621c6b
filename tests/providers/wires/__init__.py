"""What a server answers, and how three APIs put it on the wire: the same reply, spoken by any of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

MODEL = "model-test"


@dataclass(frozen=True)
class Reply:
    """One answer, in the words of the Messages API. `after` counts the stream events sent before the fault."""

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


class Wire(Protocol):
    """One API. Each module of this package is one."""

    PING: bytes  # what a live service sends while it has nothing to say

    def stream_events(self, reply: Reply) -> Iterator[dict[str, Any]]: ...

    def frame(self, event: dict[str, Any]) -> bytes: ...

    def end(self, reply: Reply) -> bytes: ...

    def whole(self, reply: Reply) -> dict[str, Any]: ...

    def broken_rule(self, body: dict[str, Any]) -> str: ...

    def error(self, status: int, message: str) -> dict[str, Any]: ...

    def error_event(self, kind: str) -> dict[str, Any]: ...


def words(text: str) -> list[str]:
    """As a model speaks: a word at a time, with the space behind it."""
    each = text.split(" ")
    return [word + " " for word in each[:-1]] + each[-1:]


def arguments_of(block: dict[str, Any]) -> str:
    """A call's arguments as JSON text; a string is sent as it stands, broken as it may be."""
    return block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])


def pieces(text: str) -> list[str]:
    return [text[at : at + 7] for at in range(0, len(text), 7)]


def usage_of(reply: Reply, *, whole: str, output: str) -> dict[str, Any]:
    """The figures as OpenAI names them: the input is the sum, and what was cached of it stands in the details."""
    told = {name: figure for name, figure in reply.usage.items() if figure is not None}
    if not told:
        return {whole: None, f"{whole}_details": None, output: None}
    read, written = told.get("cache_read_input_tokens", 0), told.get("cache_creation_input_tokens", 0)
    return {
        whole: told.get("input_tokens", 0) + read + written,
        f"{whole}_details": {"cached_tokens": read, "cache_write_tokens": written},
        output: told.get("output_tokens", 0),
    }
