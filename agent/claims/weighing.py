"""How much the words of a sentence weigh for a claim, as labelled sentences taught: a logistic regression.

`weights.json` is written by `make claims` from `tests/claims`: {"bias": the sum to begin with, "step": what one unit of
a weight is worth, "weights": 2 ** BITS signed bytes, compressed, in base64}.
"""

import base64
import json
import math
import re
import zlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

BITS = 16
FILE = Path(__file__).parent / "weights.json"

_ID = re.compile(r"#?\b[a-z]{1,5}-?\d{3,}\b")
_MONEY = re.compile(r"[€$£] ?\d[\d.,]*|\d[\d.,]* ?(?:€|\b(?:eur|euros?|usd|gbp)\b)")
_NUMBER = re.compile(r"\d[\d.,:]*")
_TOKEN = re.compile(r"\w+|[?!.,;:]")
_PIECES = (3, 4, 5)  # letters


class Weights(NamedTuple):
    bias: float
    step: float
    units: memoryview

    def of(self, text: str) -> float:
        """The logarithm of the odds that a read text claims something: above 0 it is more likely than not."""
        found = features(text)
        return self.bias + self.step * sum(self.units[place] for place in found) / norm(found)


def weigh(text: str) -> float:
    """The odds of a read text, by the weights that are shipped."""
    return _shipped().of(text)


def features(text: str) -> frozenset[int]:
    """Where the weights of a read text stand: of its words alone, in twos and threes and near each other, and of pieces
    of words. Two that share a place by chance share its weight."""
    plain = _NUMBER.sub(" n_ ", _MONEY.sub(" money_ ", _ID.sub(" id_ ", text)))
    tokens = ["^", *_TOKEN.findall(plain), "$"]
    names = {" ".join(tokens[at : at + length]) for length in (1, 2, 3) for at in range(len(tokens) - length + 1)}
    names |= {f"{first}..{tokens[at + gap]}" for gap in (2, 3) for at, first in enumerate(tokens[:-gap])}
    for word in {f"<{token}>" for token in tokens[1:-1]}:
        names |= {f"/{word[at : at + size]}" for size in _PIECES for at in range(len(word) - size + 1)}
    return frozenset(zlib.crc32(name.encode()) % 2**BITS for name in names)


def norm(found: frozenset[int]) -> float:
    """By which a long sentence weighs no more than a short one."""
    return math.sqrt(len(found))


def unpacked(kept: dict[str, Any]) -> Weights:
    """The weights of a file's content."""
    units = zlib.decompress(base64.b64decode(kept["weights"]))
    return Weights(kept["bias"], kept["step"], memoryview(units).cast("b"))


@cache
def _shipped() -> Weights:
    return unpacked(json.loads(FILE.read_text(encoding="ascii")))
