"""From what a service sent to a Turn: event by event, or from a whole message."""

import json
import time
from typing import Any, NoReturn

from agent.errors import ProviderError
from agent.providers.base import Turn, Usage
from agent.providers.blocks import input_of
from agent.providers.failures import failure, failure_in_stream

# The attributes of blocks of any known kind, for objects that cannot say what they hold.
BLOCK_FIELDS = ("type", "text", "citations", "id", "name", "input", "thinking", "signature", "data")


class TurnBuilder:
    """Puts a turn together from raw stream events, given as the dicts that were sent.

    The SDK's own accumulation is not used: it calls a cut stream a message, and completes half a tool's input.
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._first: float | None = None
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, list[str]] = {}  # a tool's arguments, in pieces of JSON
        self._open: set[int] = set()
        self._cut = False  # a tool's arguments ended in the middle
        self._usage: dict[str, Any] = {}
        self._model = ""
        self._stop_reason: str | None = None
        self._complete = False

    def add(self, event: dict[str, Any]) -> str:
        """Take one event; returns the text that it adds to the answer. Raises ProviderError."""
        take = getattr(self, f"_on_{event.get('type')}", None)
        try:
            return (take(event) if take else None) or ""  # kinds that are not known yet are passed over
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise failure("bad_turn") from error

    def is_last(self, event: dict[str, Any]) -> bool:
        """Whether nothing of the answer follows."""
        return event.get("type") in ("message_stop", "error")

    def turn(self, *, request_id: str) -> Turn:
        """The turn, once the stream has ended. Raises ProviderError where it ended too early."""
        if not self._complete or self._open:
            raise failure("truncated")
        if self._cut and self._stop_reason == "tool_use":
            raise failure("bad_turn")
        return checked_turn(
            [self._blocks[index] for index in sorted(self._blocks)],
            stop_reason=self._stop_reason,
            usage=self._usage,
            model=self._model,
            request_id=request_id,
            started=self._started,
            first=self._first,
        )

    def _on_message_start(self, event: dict[str, Any]) -> None:
        self._model = event["message"].get("model") or ""
        self._usage.update(event["message"].get("usage") or {})

    def _on_content_block_start(self, event: dict[str, Any]) -> str | None:
        self._blocks[event["index"]] = block = dict(event["content_block"])
        self._open.add(event["index"])
        return block.get("text") if block["type"] == "text" else None

    def _on_content_block_delta(self, event: dict[str, Any]) -> str | None:
        self._first = self._first or time.monotonic()
        block, delta = self._blocks[event["index"]], event["delta"]
        if delta["type"] == "input_json_delta":
            self._inputs.setdefault(event["index"], []).append(delta["partial_json"])
        elif delta["type"] == "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta["citation"]]
        elif delta["type"] == "signature_delta":
            block["signature"] = delta["signature"]
        else:  # text_delta {text}, thinking_delta {thinking}, and the like: the named field grows
            for name in delta.keys() - {"type"}:
                block[name] = (block.get(name) or "") + delta[name]
        return delta["text"] if delta["type"] == "text_delta" else None

    def _on_content_block_stop(self, event: dict[str, Any]) -> None:
        self._open.discard(event["index"])
        text = "".join(self._inputs.get(event["index"], []))
        if not text:
            return
        given = input_of(text)
        self._cut = self._cut or isinstance(given, str)
        self._blocks[event["index"]]["input"] = {} if isinstance(given, str) else given

    def _on_message_delta(self, event: dict[str, Any]) -> None:
        self._stop_reason = event["delta"].get("stop_reason") or self._stop_reason
        # Cumulative: a figure replaces the one before it, a missing one leaves it.
        self._usage.update({k: v for k, v in (event.get("usage") or {}).items() if v is not None})

    def _on_message_stop(self, event: dict[str, Any]) -> None:
        self._complete = True

    def _on_error(self, event: dict[str, Any]) -> NoReturn:
        raise failure_in_stream(event)


def turn_of(message: Any, *, started: float) -> Turn:
    """The turn of a whole message: an SDK's object, or any object with content, stop_reason and usage."""
    return checked_turn(
        [_mapping_of(item) for item in message.content or []],
        stop_reason=message.stop_reason,
        usage=_mapping_of(getattr(message, "usage", None)),
        model=_text(getattr(message, "model", "")),
        request_id=_text(getattr(message, "_request_id", "")),
        started=started,
        first=None,
    )


def checked_turn(
    content: list[dict[str, Any]],
    *,
    stop_reason: str | None,
    usage: dict[str, Any],
    model: str,
    request_id: str,
    started: float,
    first: float | None,
) -> Turn:
    """A turn that can be stored, run and sent back; raises ProviderError for one that cannot."""
    if not stop_reason:
        raise failure("truncated")
    content = [block for block in content if block.get("type") != "text" or str(block.get("text") or "").strip()]
    broken = _fault_in(content, stop_reason=stop_reason)
    if broken:
        raise broken
    return Turn(
        content=content,
        stop_reason=stop_reason,
        usage=usage_of(usage),
        model=model,
        request_id=request_id,
        first_token_ms=round((first - started) * 1000) if first else None,
        duration_ms=round((time.monotonic() - started) * 1000),
    )


def usage_of(usage: dict[str, Any]) -> Usage:
    """Every figure may be missing or None."""
    return Usage(
        input_tokens=usage.get("input_tokens") or 0,
        cache_read_tokens=usage.get("cache_read_input_tokens") or 0,
        cache_write_tokens=usage.get("cache_creation_input_tokens") or 0,
        output_tokens=usage.get("output_tokens") or 0,
    )


def _fault_in(content: list[dict[str, Any]], *, stop_reason: str) -> ProviderError | None:
    calls = [block for block in content if block.get("type") == "tool_use"]
    ids = {block.get("id") for block in calls}
    whole = all(block.get("id") and block.get("name") and isinstance(block.get("input"), dict | str) for block in calls)
    if not whole or len(ids) < len(calls) or (stop_reason == "tool_use" and not calls):
        return failure("bad_turn")
    try:
        # A lone surrogate could be stored, and would then break every later request of the conversation.
        json.dumps(content, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError):
        return failure("bad_turn")
    return None


def _mapping_of(item: Any) -> dict[str, Any]:
    """A dict, an SDK's or pydantic's object, or a plain object, as a dict."""
    if item is None or isinstance(item, dict):
        return dict(item or {})
    for name in ("to_dict", "model_dump"):
        dump = getattr(item, name, None)
        found = dump() if callable(dump) else None
        if isinstance(found, dict):
            return found
    attributes = {name: getattr(item, name, None) for name in (*BLOCK_FIELDS, *getattr(item, "__dict__", {}))}
    return {k: v for k, v in attributes.items() if isinstance(v, str | int | list | dict) and not k.startswith("_")}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
