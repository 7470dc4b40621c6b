"""What a prompt cache bills: tokens read from it, written to it, and sent anew. Tokens are characters over four.

A prefix is cached where a mark stands, if it is long enough; a later request finds it from one of its own marks, a
number of blocks back at most. The mark at the top of a request stands at its last block.
"""

import hashlib
import json
from typing import Any

MIN_TOKENS = 1024
BLOCKS_BACK = 20

Usage = dict[str, int]
Body = dict[str, Any]


class PromptCache:
    """One account's cache. Nothing in it grows old: a measurement is shorter than its five minutes."""

    def __init__(self) -> None:
        self._prefixes: set[str] = set()

    def bill(self, body: Body) -> Usage:
        """The input usage of a request, and from now on its marked prefixes are known."""
        points = _points(body)
        marks = [number for number, (_, _, marked) in enumerate(points) if marked]
        read = max((self._found(points, mark) for mark in marks), default=0)
        ends = [points[mark] for mark in marks if points[mark][1] >= MIN_TOKENS]
        self._prefixes.update(key for key, _, _ in ends)
        written = max((upto - read for _, upto, _ in ends), default=0)
        return {
            "input_tokens": points[-1][1] - read - max(0, written),
            "cache_creation_input_tokens": max(0, written),
            "cache_read_input_tokens": read,
        }

    def _found(self, points: list[tuple[str, int, bool]], mark: int) -> int:
        behind = points[max(0, mark - BLOCKS_BACK + 1) : mark + 1]
        return next((upto for key, upto, _ in reversed(behind) if key in self._prefixes and upto >= MIN_TOKENS), 0)


def _points(body: Body) -> list[tuple[str, int, bool]]:
    """After each block: what names the prefix up to it, its tokens, and whether a mark stands there."""
    name, total, points = hashlib.sha256(body["model"].encode()), 0, []
    for kind, block in _blocks(body):
        plain = {key: value for key, value in block.items() if key != "cache_control"}
        text = json.dumps([kind, plain], ensure_ascii=False)
        name.update(text.encode())
        total += max(1, len(text) // 4)
        points.append((name.hexdigest(), total, "cache_control" in block))
    if body.get("cache_control"):
        points[-1] = (*points[-1][:2], True)
    return points


def _blocks(body: Body) -> list[tuple[str, dict[str, Any]]]:
    """In the order in which a model reads them."""
    blocks = [("tool", tool) for tool in body.get("tools") or []]
    blocks += [("system", block) for block in blocks_of(body.get("system") or [])]
    return blocks + [(said["role"], block) for said in body["messages"] for block in blocks_of(said["content"])]


def blocks_of(content: Any) -> list[dict[str, Any]]:
    """The blocks of a message, which may also be a text alone."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
