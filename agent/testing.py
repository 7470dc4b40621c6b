"""For tests of tools and prompts: a model that says what it was told to say.

A complete test::

    from agent.models import PendingAction
    from agent.runs import run_agent_for_user
    from agent.testing import ScriptedClient, text, tool_use

    def test_refund_waits_for_the_customer(customer, order):
        client = ScriptedClient(
            [tool_use("refund_order", order_number=order.number, amount="10.00")],
            [text("Please confirm the refund on the page.")],
        )
        run = run_agent_for_user("Refund 10 euros of my order", user=customer, client=client)
        assert PendingAction.objects.get(run=run).tool == "refund_order"
        assert "awaiting_confirmation" in str(client.requests[1]["messages"][-1])
"""

import copy
import itertools
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Self

# Across clients too: two runs of one conversation may each have their own.
_numbers = itertools.count(1)


class ScriptEnded(AssertionError):
    """The model was asked once more than the script has turns."""


def text(words: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": words}


def tool_use(
    name: str, arguments: dict[str, Any] | None = None, /, *, id: str | None = None, **kwargs: Any
) -> dict[str, Any]:
    """A call of a tool: `tool_use("f", a=1)`, `tool_use("f", {"a": 1})` or `tool_use("f", input={"a": 1})`.

    Without `id` it gets one of its own each time the script is played.
    """
    if arguments is None and kwargs.keys() == {"input"} and isinstance(kwargs["input"], dict):
        kwargs = kwargs["input"]
    return {"type": "tool_use", "id": id, "name": name, "input": {**(arguments or {}), **kwargs}}


class ScriptedClient:
    """Answers each `messages.create(**kwargs)` with the next turn of its script; remembers what it was asked.

    A turn is a block, a list of blocks, a string, an exception (raised), or a dict {"content": ..., "stop_reason":
    ...}. The turns are the arguments, or the items of the one list that is the only argument: ScriptedClient(a, b)
    and ScriptedClient([a, b]) are the same. In such a list a block of text right before a call belongs to the call's
    turn: alone it would end the run. The stop reason is "tool_use" where a turn holds a call, else "end_turn".
    """

    def __init__(self, *turns: Any) -> None:
        only = turns[0] if len(turns) == 1 else None
        self._turns = _turns_in(only) if isinstance(only, list | tuple) else list(turns)
        self.requests: list[dict[str, Any]] = []  # the keywords of each call, as they were at that moment

    @property
    def messages(self) -> Self:
        """As on a real client: `client.messages.create(...)`."""
        return self

    def create(self, **kwargs: Any) -> SimpleNamespace:
        """The next turn: an object with content (dicts), stop_reason, usage and model."""
        self.requests.append(copy.deepcopy(kwargs))
        played = len(self.requests)
        if played > len(self._turns):
            raise ScriptEnded(f"the script has {len(self._turns)} turns, and the model was asked for number {played}")
        turn = self._turns[played - 1]
        if isinstance(turn, BaseException) or (isinstance(turn, type) and issubclass(turn, BaseException)):
            raise turn
        turn = turn if isinstance(turn, dict) and "content" in turn else {"content": turn}
        content = [_played(block) for block in _blocks(turn["content"])]
        calls = any(block["type"] == "tool_use" for block in content)
        return SimpleNamespace(
            content=content,
            stop_reason=turn.get("stop_reason", "tool_use" if calls else "end_turn"),
            usage=turn.get("usage", {"input_tokens": 1, "output_tokens": 1}),
            model=kwargs.get("model", ""),
        )


def _turns_in(items: Sequence[Any]) -> list[Any]:
    turns: list[Any] = []
    spoken: list[Any] = []  # blocks of text that may belong to a call
    for item in items:
        kind = item.get("type") if isinstance(item, dict) else None
        if kind == "tool_use":
            turns.append([*spoken, item])
            spoken = []
            continue
        turns += spoken
        spoken = [item] if kind == "text" else []
        turns += [] if spoken else [item]
    return turns + spoken


def _blocks(content: Any) -> list[Any]:
    return list(content) if isinstance(content, list | tuple) else [content]


def _played(block: Any) -> dict[str, Any]:
    if isinstance(block, str):
        return text(block)
    block = copy.deepcopy(block)
    if block["type"] == "tool_use" and not block.get("id"):
        block["id"] = f"toolu_scripted_{next(_numbers)}"
    return block
