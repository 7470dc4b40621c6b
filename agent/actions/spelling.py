"""Whether a text holds a value, in any of the ways in which people write it. Knows no shop and no row."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

_WORD = re.compile(r"[^\W\d_]+|[0-9]+")
_END = re.compile(r"[.!?;\n]+")
_CURRENCY = re.compile(r"[€$£¥]|(?<![^\W_])(?:eur|usd|gbp|chf)(?=\s?[0-9])|(?<=[0-9])\s?(?:euros?|eur|usd|gbp|chf)\b")
_MOMENT = re.compile(r"\b[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\b|\b[0-9]{1,2}:[0-9]{2}\b")
# Not the digits of DZ-10423 or of #5; thousands apart, or none, and at most two places.
_NUMBER = re.compile(
    r"(?<![^\W_])(?<![^\W\d_]-)(?<!#)(?<![0-9][.,])"
    r"(?:([0-9]{1,3}(?:([ '’.,])[0-9]{3})(?:\2[0-9]{3})*)|([0-9]{1,12}))(?:[.,]([0-9]{1,2}))?(?![^\W_])"
)
_AMOUNT = re.compile(r"[0-9]{1,12}\.[0-9]{1,2}")
_NUMBERED = re.compile(r"#?[a-z]+(?:[ _-][a-z]+)*[ _-]?([0-9]{4,12})")


def plain(text: str) -> str:
    """Of one width and case, with the digits that everybody reads, and without what nobody sees."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(_digit(char) for char in folded if unicodedata.category(char) != "Cf")


def _digit(char: str) -> str:
    return str(unicodedata.decimal(char)) if char.isdecimal() else char


@dataclass(frozen=True)
class Text:
    """Somebody's words, to be asked for values."""

    text: str

    @cached_property
    def plain(self) -> str:
        return plain(self.text)

    @cached_property
    def words(self) -> str:
        """The words and numbers, one space before and after each."""
        return f" {' '.join(_WORD.findall(self.plain))} "

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        """Every number that stands for itself, be it 1,234.50 or 1.234,50; not times and dates."""
        text = _CURRENCY.sub(" ", _MOMENT.sub(" ", self.plain))
        return frozenset(number for found in _NUMBER.finditer(text) for number in _read(found))

    def holds(self, value: Any, *, loosely: bool = False) -> bool:
        """Whether the value stands here. `loosely`: the number of DZ-10423 is enough, as people leave out the rest."""
        if isinstance(value, bool):
            return False
        wanted = plain(str(value)).strip()
        if not isinstance(value, str) or _AMOUNT.fullmatch(wanted):
            return _is_number(wanted) and Decimal(wanted) in self.numbers
        words = " ".join(_WORD.findall(wanted))
        if words and f" {words} " in self.words:
            return True
        numbered = _NUMBERED.fullmatch(wanted) if loosely else None
        return numbered is not None and Decimal(numbered[1]) in self.numbers

    def says(self, phrase: str) -> bool:
        """Whether one sentence has words that begin as those of the phrase, in their order."""
        wanted = _WORD.findall(plain(phrase))
        return bool(wanted) and any(_in_order(wanted, _WORD.findall(part)) for part in _END.split(self.plain))


def _read(found: re.Match[str]) -> list[Decimal]:
    """1.234 is a thousand and more; "12 500" may also be two numbers."""
    grouped, separator, digits, places = found.groups()
    fraction = f".{places}" if places else ""
    if grouped is None:
        return [Decimal(digits + fraction)]
    parts = grouped.split(separator)
    whole = Decimal("".join(parts) + fraction)
    return [whole, *map(Decimal, parts[:-1]), Decimal(parts[-1] + fraction)] if separator == " " else [whole]


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?", text) is not None


def _in_order(wanted: Sequence[str], words: Sequence[str]) -> bool:
    rest = iter(words)
    return all(any(word.startswith(beginning) for word in rest) for beginning in wanted)
