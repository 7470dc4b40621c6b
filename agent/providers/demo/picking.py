"""Which of the records that were looked up the customer means; where it is open, a question that names them."""

import re
from collections import Counter

from agent.providers.demo import speaking
from agent.providers.demo.arguments import Parameter
from agent.providers.demo.choosing import vocabulary
from agent.providers.demo.options import other_variant
from agent.providers.demo.records import (
    Record,
    how_many,
    is_open,
    leaves_out,
    named_by,
    plural_said,
    records,
    wants_all,
)
from agent.providers.demo.sources import Scene, named_source, result_of, source_of
from agent.providers.demo.wishes import Wish
from agent.providers.demo.words import NEWEST, stems, tokens

AS_BEFORE = stems("original same before ursprüngliche gleiche dieselbe bisherige")
_FROM_TO = re.compile(r"\b(?:from|von)\b[^,.;:!?\n]*?\b(?=(?:to|auf|zu)\b)", re.I)  # "from my card to PayPal"


def pick_one(item: Parameter, found: list[Record], wish: Wish, scene: Scene) -> Record | None:
    """The record that is named; the newest or the one used before where the customer says so; the only one there is,
    unless something else is named."""
    dated = [key for key in (found[0].row if found else {}) if re.search("date|placed|ordered|created", key)]
    if stems(wish.text) & NEWEST and dated:
        return max(found, key=lambda record: str(record.row[dated[0]]))
    texts = [_FROM_TO.sub("", text) for text in wish.texts] if named_source(item, scene) else wish.texts
    kinds = vocabulary(item.name, scene.tools)
    spoken = next((number for number, text in enumerate(texts) if tokens(text) & kinds), len(texts))
    named = set(named_by(texts[: spoken + 1], found, but=tokens(wish.tool.name)))  # the newest word on it counts
    if not named and stems(wish.text) & AS_BEFORE:
        told = " ".join(str(call.result) for call in scene.memory.calls if not records(call.result, item.name))
        named = {record for record in found if record.name in told}
    if len(named) == 1:
        return named.pop()
    is_other = tokens(wish.text) & kinds
    return found[0] if len(set(found)) == 1 and not is_other else None


def pick(item: Parameter, found: list[Record], wish: Wish, scene: Scene) -> list[Record]:
    """The things that are named, each as often as it is meant; none where that has to be asked."""
    texts = wish.texts
    named = named_by(texts, found)
    if not named and (wants_all(texts) or (len(set(found)) == 1 and not _strange(wish, found))):
        named = found
    if _names_more(wish, found) or leaves_out(texts[:1]):
        named = []
    several = wants_all(texts) or any(plural_said(texts, record) for record in named)
    if not named or (is_open(named) and not several):
        choices = dict.fromkeys(record.in_words for record in named or found)
        wish.say(speaking.which(item.name, list(choices), scene.language))
        return []
    picked: list[Record] = []
    for record, most in Counter(named).items():
        count = how_many(texts, record, most)
        if not count:
            wish.say(speaking.say("ask_many", scene.language, what=record.in_words, most=str(most)))
            return []
        picked += [record] * count
    return picked


def pick_swaps(item: Parameter, old: list[Record], wish: Wish, scene: Scene) -> list[tuple[Record, Record]]:
    """Each thing with what it is to become; none where something has to be looked up or asked first."""
    source = source_of(item, wish, scene)
    if source is None:
        return []
    results = {record.name: result_of(source, wish, scene, about=record.name) for record in old}
    if None in results.values():
        return []
    swaps = []
    for record in old:
        beside = [other for other in old if other.name != record.name]
        rows = records(results[record.name], item.name)
        choice = other_variant(record, rows, wish.texts, beside=beside)
        if choice.variant is None:
            wish.say(speaking.which_instead(record.in_words, [o.in_words for o in choice.others], scene.language))
            return []
        swaps.append((record, choice.variant))
    return swaps


def _names_more(wish: Wish, found: list[Record]) -> bool:
    """Whether beside what is there something else is named: "the lamp and the hat"."""
    strange = _strange(wish, found)
    last = re.findall(
        r"\b(?:and|und)\s+(?:the|my|an?|die|den|das|der|meinen?|eine?n?)\s+([^\W\d]+)", wish.texts[0], re.I
    )
    return any(stems(word) & strange for word in last)


def _strange(wish: Wish, found: list[Record]) -> frozenset[str]:
    """What the sentences name that is neither the wish itself nor in the records: something that is not there."""
    own = wish.tool.words | stems(wish.tool.description) | stems(" ".join(str(record.row) for record in found))
    return stems(wish.text) - own
