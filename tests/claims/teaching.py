"""Weights for `agent/claims/weighing.py`, from every labelled sentence but those that are kept apart."""

import base64
import math
import random
import zlib
from collections.abc import Iterator

from agent.claims.reading import read
from agent.claims.weighing import BITS, features, norm
from tests.claims.labelled import TAUGHT, foreign, sentences

ROUNDS = 12
RATE = 0.5
SURE = 0.02  # what is nearer to its label teaches nothing more
MOST = 127  # a signed byte


def taught() -> dict:
    """What `weights.json` holds: stochastic gradient descent, each weight at a pace of its own (AdaGrad)."""
    rows = [(features(read(text)), label) for text, label in lessons()]
    share = sum(label for _, label in rows) / len(rows)
    pace = {1: 0.5 / share, 0: 0.5 / (1 - share)}  # both labels count the same
    bias, weights, squares = 0.0, [0.0] * 2**BITS, [1e-3] * 2**BITS
    shuffled = random.Random(1)
    for _ in range(ROUNDS):
        shuffled.shuffle(rows)
        for found, label in rows:
            length = norm(found)
            odds = bias + sum(weights[place] for place in found) / length
            error = (1 / (1 + math.exp(-odds)) - label) * pace[label]
            if abs(error) < SURE:
                continue
            bias -= error * RATE / 10
            slope = error / length
            for place in found:
                squares[place] += slope * slope
                weights[place] -= RATE * slope / math.sqrt(squares[place])
    return packed(bias, weights)


def lessons() -> Iterator[tuple[str, int]]:
    """Each sentence with 1 for a claim. What rows back teaches nothing: it is a claim, and may be shown."""
    for row in sentences("false", "harmless"):
        yield row.text, int(row.label == "false")
    for name in TAUGHT:
        for told in foreign(name):
            if told.is_claim or not any(told.facts.values()):
                yield told.text, int(told.is_claim)


def packed(bias: float, weights: list[float]) -> dict:
    step = max(map(abs, weights)) / MOST
    units = bytes(round(weight / step) % 256 for weight in weights)
    return {"bias": bias, "step": step, "weights": base64.b64encode(zlib.compress(units, 9)).decode("ascii")}
