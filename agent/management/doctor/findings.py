"""One sentence about a server, and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    OPEN = "open"  # not looked at, or a matter of choice


@dataclass(frozen=True)
class Finding:
    kind: Kind
    said: str
    advice: str = ""


class Stop(Exception):
    """What was found leaves nothing more to look at."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.said)
        self.finding = finding


def right(said: str) -> Finding:
    return Finding(Kind.RIGHT, said)


def wrong(said: str, advice: str) -> Finding:
    return Finding(Kind.WRONG, said, advice)


def left_open(said: str, advice: str = "") -> Finding:
    return Finding(Kind.OPEN, said, advice)
