"""The arguments of a wish: from its sentences, and from records where a sentence only describes what it means.

An id that nobody types is looked up: the read tool that lists such ids is called, and the record is taken whose words
the sentence shares. Where none or several fit, the customer is asked; nothing is guessed.
"""

import re
from typing import Any

from agent.providers.demo import addresses, speaking
from agent.providers.demo.arguments import Parameter
from agent.providers.demo.choosing import vocabulary
from agent.providers.demo.picking import pick, pick_one, pick_swaps
from agent.providers.demo.records import records
from agent.providers.demo.sources import (
    Scene,
    is_possible,
    named_source,
    result_of,
    sibling_of,
    source_of,
    sources_about,
)
from agent.providers.demo.wishes import Wish
from agent.providers.demo.words import NEWEST, stems, tokens


def fill(wish: Wish, scene: Scene) -> None:
    """Find the arguments. Afterwards the wish holds all that is needed, or what comes before the call."""
    _take_values(wish, scene)
    if wish.is_held_up:
        return
    for item in sorted(wish.tool.parameters, key=lambda item: _rank(item, scene)):
        if item.name in wish.arguments:
            continue
        if item.kind == "several":
            _find_several(item, wish, scene)
        elif item.kind == "id" and (item.required or _is_spoken_of(item, wish, scene)):
            _find_id(item, wish, scene)
            if wish.is_held_up and named_source(item, scene) is None:
                return  # the rest is looked up by this
    if any(item.kind == "address" for item in wish.tool.parameters):
        _find_address(wish, scene)
    for item in wish.tool.parameters:
        if item.required and item.name not in wish.arguments:
            wish.say(speaking.question_for(item.name, item.kind, item.choices, scene.language))


def _rank(item: Parameter, scene: Scene) -> int:
    """First what the rest is looked up by, then the things it is about, then how it is paid."""
    if item.kind == "id":
        return 2 if named_source(item, scene) else 0
    return 1


def _take_values(wish: Wish, scene: Scene) -> None:
    """What the sentences hold. What is spoken of by its number stays the subject until another is named."""
    text = "\n".join(addresses.without_parts(text) for text in wish.texts)  # a zip code is no number of ours
    for item in wish.tool.parameters:
        values = item.values_in(text if item.kind == "id" else wish.text)
        may_be_meant = item.required and item.kind == "id" and named_source(item, scene) is None
        if not values and may_be_meant and not stems(wish.text) & NEWEST:
            values = _remembered(item, scene)
        if may_be_meant and wish.tool.writes and len(several := _newest_values(item, wish)) > 1:
            wish.say(speaking.which(item.name, [str(value) for value in several], scene.language))
        elif values:
            wish.arguments[item.name] = values[0]


def _newest_values(item: Parameter, wish: Wish) -> list[Any]:
    """What the newest sentence names that names any: one change is of one thing."""
    return next((v for text in wish.texts if (v := item.values_in(addresses.without_parts(text)))), [])


def _remembered(item: Parameter, scene: Scene) -> list[Any]:
    known = scene.memory.value_of(item.name)
    if known:
        return [known]
    return next((values[-1:] for text in scene.memory.texts if (values := item.values_in(text))), [])


def _is_spoken_of(item: Parameter, wish: Wish, scene: Scene) -> bool:
    """Whether the customer speaks of an argument that could be left out, like where the money is to go."""
    return bool(named_source(item, scene)) and bool(tokens(wish.text) & vocabulary(item.name, scene.tools))


def _find_id(item: Parameter, wish: Wish, scene: Scene) -> None:
    source = source_of(item, wish, scene)
    result = result_of(source, wish, scene) if source else None
    if result is None:
        return
    found = records(result, item.name)
    chosen = pick_one(item, found, wish, scene)
    if chosen:
        wish.arguments[item.name] = chosen.id
    elif found:
        wish.say(speaking.which(item.name, [record.in_words for record in found], scene.language))


def _find_several(item: Parameter, wish: Wish, scene: Scene) -> None:
    """A list of ids, or of pairs of an old id and a new one; of anything else the customer is asked in general."""
    old = next((field for field in item.inner if not field.name.startswith("new")), None)
    new = [field for field in item.inner if field is not old]
    source = source_of(old, wish, scene) if old else None
    if old is None or source is None or len(new) > 1:
        return
    result = result_of(source, wish, scene)
    if result is None:
        return
    if is_possible(result, wish.tool) is False:
        other = sibling_of(wish.tool, result, scene)
        if other is None:
            known = scene.memory.made_last(source.name)
            wish.say(speaking.not_now(known, source, scene.language) if known else "")
            return
        wish.tool = other
    picked = pick(item, records(result, old.name), wish, scene)
    if picked and not new:
        wish.arguments[item.name] = [record.id for record in picked]
    elif picked:
        swaps = pick_swaps(new[0], picked, wish, scene)
        if swaps:
            wish.arguments[item.name] = [{old.name: was.id, new[0].name: variant.id} for was, variant in swaps]


def _find_address(wish: Wish, scene: Scene) -> None:
    """The parts that were given in all sentences, later ones over earlier ones; all that is missing is asked for."""
    names = {addresses.part_of(item.name): item for item in wish.tool.parameters if item.kind == "address"}
    given: dict[str, str] = {}
    for question, text in wish.history:
        asked = [part for part in names if speaking.field_words(part, scene.language) in question]
        given |= addresses.parts_of_reply(text, asked) if asked else addresses.parts_in(text)
    _complete_address(given, set(names), wish, scene)
    for part, item in names.items():
        may_be_empty = "empty where" in item.description
        if part == "state" and given.get("country", "").casefold() in addresses.STATES_COUNT_IN:
            may_be_empty = False
        if part in given:
            wish.arguments[item.name] = given[part]
        elif item.required and may_be_empty:
            wish.arguments[item.name] = ""
    missing = [part for part, item in names.items() if item.required and item.name not in wish.arguments]
    if missing:
        wish.say(speaking.missing_parts(missing, scene.language))


def _complete_address(given: dict[str, str], parts: set[str], wish: Wish, scene: Scene) -> None:
    """The country, where a record has an address with the same zip code and city."""
    place = f"{given.get('zip')} {given.get('city')}"
    if "country" not in parts - given.keys() or not {"zip", "city", "line1"} <= given.keys():
        return
    for source in sources_about(stems("address"), wish, scene)[:1]:
        result = result_of(source, wish, scene)
        known = re.search(rf"{re.escape(place)}, (?:[^,\n]+, )?([^,\n]+)$", "\n".join(_texts(result)), re.I | re.M)
        if known:
            given["country"] = known[1]


def _texts(value: Any) -> list[str]:
    nested = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [value] if isinstance(value, str) else [text for item in nested for text in _texts(item)]
