"""A turn that is far too large is kept cut to a bound, in a form that every model service takes back.

`MAX_TOKENS` asks the service for less than this. A broken or a hostile one may send megabytes all the same, and they
would be stored, shown, and sent back with every later request.
"""

import json
from dataclasses import replace
from typing import Any

from agent.conf import setting
from agent.providers import Turn
from agent.providers.blocks import OPENAI_ITEM
from agent.providers.failures import failure
from agent.tools.schema import MAX_ARGUMENT_CHARS, too_large

Block = dict[str, Any]

CUT = " […]"


def most_text() -> int:
    """How many characters a text of a turn may have."""
    most: int = setting("MAX_TURN_CHARS") // 4
    return most


def bounded(turn: Turn) -> Turn:
    """The turn, or what is kept of it: long texts cut, and too large arguments replaced by words that say so.

    Such a call is refused as any with too large arguments, and a cut answer is told as one that was cut off. Raises
    ProviderError where the turn is too large by what cannot be cut, like signed thinking.
    """
    most = setting("MAX_TURN_CHARS")
    if _size(turn.content) <= most:
        return turn
    cut = [_cut(block) for block in turn.content]
    changed = [new is not old for new, old in zip(cut, turn.content, strict=True)]
    content = [block for at, block in enumerate(cut) if not _tells_of_changed(block, changed[at + 1 :])]
    if _size(content) > most:
        raise failure("bad_turn")
    return replace(turn, content=content, stop_reason=_reason(turn.stop_reason, content))


def _cut(block: Block) -> Block:
    """The block itself where nothing has to be cut."""
    kind = block.get("type")
    if kind == "text" and len(block["text"]) > most_text():
        return {"type": "text", "text": block["text"][: most_text()] + CUT}
    if kind == "tool_use" and (size := _size(block["input"])) > MAX_ARGUMENT_CHARS:
        return {**block, "input": too_large(size)}
    return block


def _tells_of_changed(block: Block, changed: list[bool]) -> bool:
    """Whether it is a service's own item that holds whole what was cut behind it."""
    return block.get("type") == OPENAI_ITEM and any(changed[: block["covers"]])


def _reason(reason: str, content: list[Block]) -> str:
    ends_cut = bool(content) and str(content[-1].get("text", "")).endswith(CUT)
    return "max_tokens" if reason == "end_turn" and ends_cut else reason


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))
