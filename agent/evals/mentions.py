"""Whether what an answer must say can be found in what the tools returned."""

import re
from collections.abc import Iterable
from decimal import Decimal

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?", re.ASCII)


def is_mentioned(wanted: str, texts: Iterable[str]) -> bool:
    """An amount counts in any way of writing it: 481.5, 481.50 and 1,234 for 1234. Words count in any case."""
    number = _NUMBER.fullmatch(wanted.strip().lstrip("$"))
    if number:
        return any(_value(number[0]) in _numbers(text) for text in texts)
    return any(wanted.casefold() in text.casefold() for text in texts)


def _numbers(text: str) -> set[Decimal]:
    return {_value(found) for found in _NUMBER.findall(text)}


def _value(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))
