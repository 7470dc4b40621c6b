"""Records in the results of tools, and which of them a sentence means: by the words that both share."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agent.providers.demo.words import english, stems, tokens, words_of

ALL = frozenset({"all", "both", "every", "everything", "each", "whole"})
_EXCEPT = re.compile(
    r"\b(?:except|außer|bis auf)\b|\b(?:all|everything|alles|alle)\b.*\b(?:but|without|ohne|nicht|not)\b", re.I | re.S
)
COUNTS = {"one": 1, "ein": 1, "eine": 1, "einen": 1, "single": 1, "two": 2, "zwei": 2, "three": 3, "drei": 3}
_ONE_OF = re.compile(r"\b(?:one of|eine[nrs]? (?:der|von))\b", re.I)
_MONEY = re.compile(r"(?<!\d)\d++\.\d\d [A-Z]{3}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_REJECTED = re.compile(r"\b(?:instead of|rather than|not|statt|anstatt|anstelle|nicht)\b[^,.;:!?\n]*", re.I)


@dataclass(frozen=True)
class Record:
    """A row of a result, with the id that a tool is called with."""

    id: str
    row: Mapping[str, Any] = field(compare=False)

    @cached_property
    def name(self) -> str:
        """What people call it."""
        return str(self.row.get("name") or self.row.get("label") or self.row.get("title") or self.id)

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The words of its name; of something without one, those of its id."""
        is_named = "name" in self.row or "title" in self.row
        return tokens(self.name if is_named else f"{self.id} {self.name}")

    @cached_property
    def options(self) -> dict[str, str]:
        """What tells it from others of its name: colour and size, say."""
        nested = [value for value in self.row.values() if isinstance(value, dict)]
        return {str(key): str(value) for options in nested for key, value in options.items()}

    @cached_property
    def words(self) -> frozenset[str]:
        """All of its words."""
        texts = [value for value in self.row.values() if isinstance(value, str)]
        plain = [text for text in texts if not _MONEY.fullmatch(text) and not _DAY.match(text)]
        return self.name_words.union(*map(tokens, [*self.options.values(), *plain]))

    @property
    def in_words(self) -> str:
        """For a list to choose from: "Desk Lamp (brass, mains), 74.00 EUR"; of what has no name, the first facts."""
        if self.name == self.id:
            facts = [value for value in self.row.values() if isinstance(value, str) and value]
            return ", ".join(facts[:6])
        options = ", ".join(self.options.values())
        amounts = [value for value in self.row.values() if isinstance(value, str) and _MONEY.fullmatch(value)]
        return ", ".join([f"{self.name} ({options})" if options else self.name, *amounts])


def records(result: Any, name: str) -> list[Record]:
    """The rows with a value for the parameter of that name: `skus` is told by `sku`, `new_sku` too, and
    `payment_method` by the `id` of a row among `payment_methods`."""
    single = name.removesuffix("s")
    fields = [name, single, single.rpartition("_")[2]]
    for key, row in _rows(result):
        listed = next((field for field in fields if isinstance(row.get(field), str)), None)
        if listed is None and isinstance(row.get("id"), str) and stems(key.replace("_", " ")) & stems(_apart(single)):
            listed = "id"
        if listed:
            return [Record(row[listed], row) for _, row in _rows(result) if isinstance(row.get(listed), str)]
    return []


def _rows(value: Any, key: str = "", name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every row of every list, with the list's name. A row inside a named row has that name."""
    if isinstance(value, dict):
        for each, item in value.items():
            yield from _rows(item, each, name)
    elif isinstance(value, list):
        for row in value:
            if isinstance(row, dict):
                yield key, {"name": name, **row} if name else row
                yield from _rows(row, key, str(row.get("name", "")))


def _apart(name: str) -> str:
    return name.replace("_", " ")


def wanted_part(text: str) -> str:
    """The sentence without what it says is not meant: "brass instead of black" wants brass."""
    return _REJECTED.sub("", text)


def named_in(text: str, rows: list[Record], but: frozenset[str] = frozenset()) -> list[Record]:
    """The records that a sentence names: by id, by name, else by other words; of each name those that fit best."""
    spoken = {word.strip(".,;:!?()\"'").casefold() for word in text.split()}
    by_id = [row for row in rows if row.id.casefold() in spoken]
    if by_id:
        return by_id
    said = tokens(wanted_part(text)) - but
    found = [row for row in rows if said & row.name_words]
    if not found:
        best = max((len(said & row.words) for row in rows), default=0)
        return [row for row in rows if best and len(said & row.words) == best]
    # "the coffee grinder" does not name the coffee beans beside it.
    found = [r for r in found if not any(said & r.name_words < said & other.name_words for other in found)]
    best_of = {row.name: max(len(said & r.words) for r in found if r.name == row.name) for row in found}
    return [row for row in found if len(said & row.words) == best_of[row.name]]


def named_by(texts: list[str], rows: list[Record], but: frozenset[str] = frozenset()) -> list[Record]:
    """The same by all that was said, newest first: the newest that names any decides, older ones help to choose."""
    for number, text in enumerate(texts):
        found = named_in(text, rows, but)
        if found:
            for older in texts[number + 1 :]:
                narrower = named_in(older, found, but) if is_open(found) else []
                found = narrower or found
            return found
    return []


def is_open(found: list[Record]) -> bool:
    """Whether different things of one name are left, so that nobody can tell which is meant."""
    return any(count > 1 for count in Counter(row.name for row in set(found)).values())


def wants_all(texts: list[str]) -> bool:
    """Whether everything is asked for, or both."""
    return bool(tokens(" ".join(texts)) & ALL)


def leaves_out(texts: list[str]) -> bool:
    """Whether something is named only to be left out: "all but the mug"."""
    return any(_EXCEPT.search(text) for text in texts)


def plural_said(texts: list[str], row: Record) -> bool:
    """Whether "mugs" is said of what is called a mug."""
    if any(_ONE_OF.search(text) for text in texts):
        return False
    own = set(words_of(row.name))
    return any(w not in own and w.endswith("s") and tokens(w) & row.name_words for w in words_of(" ".join(texts)))


def how_many(texts: list[str], row: Record, most: int) -> int:
    """How many of several equal ones are meant; 0 where it is not said."""
    if most == 1:
        return 1
    counts, names = "|".join([*COUNTS, r"\d"]), "|".join(map(re.escape, words_of(row.name)))
    counted = rf"\b({counts})(?:\s+(?:of|der|von))?(?:\s+[^\W\d]+)?\s+(?:{names})|^(?:\w+\s+)?({counts})\W*$"
    texts = [english(text) for text in texts]
    for text in texts:
        found = re.search(counted, text, re.I)
        if found:
            said = (found[1] or found[2]).lower()
            return min(COUNTS.get(said) or int(said), most)
    if wants_all(texts) or plural_said(texts, row):
        return most
    single = "|".join(re.escape(word) for word in words_of(row.name) if not word.endswith("s"))
    said_once = rf"\b(?:the|a|an|my|den|einen)\s+(?:\w+\s+)?(?:{single or '$^'})\b"
    return int(any(re.search(said_once, text, re.I) for text in texts))
