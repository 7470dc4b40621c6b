"""Blocks of a turn that not every API takes: what is one service's own, and arguments that are no JSON object."""

import json
from typing import Any, NoReturn

# An output item of the Responses API, kept to be sent back as it was: {"type", "model", "item", "covers"}. It stands
# before the plain blocks that say the same, `covers` of them, which are what every other API is sent.
OPENAI_ITEM = "openai_item"

Wire = dict[str, Any]


def input_of(text: str) -> Wire | str:
    """The arguments of a call, which come as JSON text; the text itself where it is no JSON object.

    Tool.parse refuses such a text, so the call gets one result, which says so.
    """
    try:
        value = json.loads(text, parse_constant=_refuse) if text.strip() else {}
    except (ValueError, RecursionError):  # the second: brackets a hundred thousand deep
        return text
    return value if isinstance(value, dict) else text


def sendable_input(block: Wire) -> Wire:
    """The arguments as they can be sent to any API: one JSON object."""
    given = block["input"]
    return given if isinstance(given, dict) else {"not_a_json_object": given}


def for_messages_api(messages: list[Wire]) -> list[Wire]:
    """The messages as the Messages API takes them. A message that holds nothing foreign is passed on as it is."""
    own = [_own(message) for message in messages]
    return [message for message in own if message["content"]]


def _own(message: Wire) -> Wire:
    content = message["content"]
    if isinstance(content, str) or not any(_is_foreign(block) for block in content):
        return message
    kept = [block for block in content if block.get("type") != OPENAI_ITEM]
    return {
        **message,
        "content": [{**block, "input": sendable_input(block)} if _is_foreign(block) else block for block in kept],
    }


def _is_foreign(block: Wire) -> bool:
    return block.get("type") == OPENAI_ITEM or isinstance(block.get("input"), str)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
