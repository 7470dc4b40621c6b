"""A model that makes the calls it was given, one a turn, and waits for its customer where it proposed something."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

PLEASE_CONFIRM = "Please look at what I prepared, and confirm it on its page."
DONE = "That is everything."

# Across scripts too: several may speak in one conversation.
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Call:
    """One call of a tool, as a model makes it."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)


class Script:
    """Stands where a provider's client stands: `messages.create(**kwargs)` gives the next turn.

    After a proposal it asks the customer to confirm and ends the run; the run that the decision starts goes on with
    the next call. A refused call is answered at once, so that the next one follows in the same run.
    """

    def __init__(self, calls: Sequence[Call]) -> None:
        self.left = list(calls)

    @property
    def messages(self) -> "Script":
        """As on a real client."""
        return self

    def create(self, **asked: Any) -> SimpleNamespace:
        """The next turn."""
        if _awaits_confirmation(asked["messages"][-1]):
            return _turn({"type": "text", "text": PLEASE_CONFIRM}, stop_reason="end_turn")
        if not self.left:
            return _turn({"type": "text", "text": DONE}, stop_reason="end_turn")
        call = self.left.pop(0)
        block = {"type": "tool_use", "id": f"toolu_play_{next(_numbers)}", "name": call.tool, "input": call.arguments}
        return _turn(block, stop_reason="tool_use")


def _awaits_confirmation(message: dict[str, Any]) -> bool:
    """Whether the last call was answered by a proposal."""
    results = [block for block in message["content"] if block.get("type") == "tool_result"]
    return any(_status(block["content"]) == "awaiting_confirmation" for block in results)


def _status(result: str) -> Any:
    found = json.loads(result)
    return found.get("status") if isinstance(found, dict) else None


def _turn(block: dict[str, Any], *, stop_reason: str) -> SimpleNamespace:
    usage = {"input_tokens": 0, "output_tokens": 0}
    return SimpleNamespace(content=[block], stop_reason=stop_reason, usage=usage, model="script")
