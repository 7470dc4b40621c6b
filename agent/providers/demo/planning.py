"""The next step of the demo model: calls to make, or words to say. Planned from the messages alone, each time anew."""

import re
from dataclasses import dataclass, field
from typing import Any

from agent.providers.demo import speaking
from agent.providers.demo.arguments import Parameter
from agent.providers.demo.choosing import Known, choose
from agent.providers.demo.memory import Call, Memory
from agent.providers.demo.words import language_of, stems

NEWEST = stems("latest newest recent last letzte neueste jüngste")


@dataclass
class Step:
    """Calls to make now, and else words."""

    calls: list[Call] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


def next_step(memory: Memory, tools: list[Known]) -> Step:
    """What follows from the conversation so far. The words are for when no call is left to make."""
    language, step = language_of(*memory.texts), Step()
    for ask in memory.asks:
        _answer(ask, memory, tools, language, step)
    if not memory.asks:
        step.words = [speaking.of_news(text, language) for text in memory.news]
    if not step.calls and not step.words:
        step.words = [speaking.say("decline", language, can=speaking.abilities(language, tools))]
    return step


def _answer(ask: str, memory: Memory, tools: list[Known], language: str, step: Step) -> None:
    small_talk = speaking.small_talk(ask, language, tools)
    tool, text = _wish(ask, memory, tools)
    if small_talk or tool is None:
        step.words.append(small_talk or speaking.say("decline", language, can=speaking.abilities(language, tools)))
        return
    arguments, missing = _arguments(tool, text, memory)
    if missing and _look_up(missing, tool, text, memory, tools, arguments, step):
        return
    if missing and missing.name not in arguments:
        step.words.append(_question(missing, memory, language))
        return
    for call in _calls(tool, arguments, text):
        made = next((c for c in memory.calls if (c.name, c.arguments) == (call.name, call.arguments)), None)
        if made is None:
            step.calls.append(call)
        else:
            step.words.append(speaking.of_result(made, tool, language, ask))


def _wish(ask: str, memory: Memory, tools: list[Known]) -> tuple[Known | None, str]:
    """The tool that is asked for, and the text that holds its arguments: with what went before, where we had asked."""
    chosen = choose(ask, tools)
    if memory.last_answer.rstrip().endswith("?") or "?\n- " in memory.last_answer:
        text = ask
        for before in reversed(memory.earlier[-4:]):
            text = f"{text}\n{before}"
            pending = choose(before, tools)
            if pending is not None and chosen in (None, pending):
                return pending, text
    if chosen is None:
        # Little but a number: what can be looked up by it.
        strange = stems(ask).difference(*(tool.words for tool in tools))
        lookups = [tool for tool in tools if not tool.writes and tool.ids_in(ask)]
        chosen = lookups[0] if lookups and not strange else None
    return chosen, ask


def _arguments(tool: Known, text: str, memory: Memory) -> tuple[dict[str, Any], Parameter | None]:
    """What the text gives, an id also from earlier on; and the first that is missing, the id before all others."""
    arguments: dict[str, Any] = {}
    for item in tool.parameters:
        values = item.values_in(text)
        if not values and item.required and item.kind == "id" and not stems(text) & NEWEST:
            values = _remembered(item, memory)
        if values:
            arguments[item.name] = values[0]
    missing = [item for item in tool.parameters if item.required and item.name not in arguments]
    return arguments, min(missing, key=lambda item: item.kind != "id", default=None)


def _remembered(item: Parameter, memory: Memory) -> list[Any]:
    known = memory.value_of(item.name)
    if known:
        return [known]
    return next((values[-1:] for text in memory.texts if (values := item.values_in(text))), [])


def _look_up(
    missing: Parameter,
    tool: Known,
    text: str,
    memory: Memory,
    tools: list[Known],
    arguments: dict[str, Any],
    step: Step,
) -> bool:
    """Find a missing id in a list: true where the list has to be called first. One row is taken as it is, the newest
    of several where the customer says so."""
    listing = _listing(missing, tool, tools)
    if listing is None:
        return False
    made = next((call for call in memory.calls if call.name == listing.name), None)
    if made is None:
        step.calls.append(Call(listing.name, {}))
        return True
    found = [row for row in speaking.rows(made.result) if row.get(missing.name)]
    dated = [key for key in (found[0] if found else {}) if re.search("date|placed|ordered|created", key)]
    if len(found) > 1 and stems(text) & NEWEST and dated:
        found = [max(found, key=lambda row: str(row[dated[0]]))]
    if len(found) == 1:
        arguments[missing.name] = found[0][missing.name]
    return False


def _listing(missing: Parameter, tool: Known, tools: list[Known]) -> Known | None:
    """A read without arguments whose name speaks of the same thing."""
    about = stems(missing.name.replace("_", " ")) - stems("number id")
    for other in tools:
        free = not other.writes and not other.schema.get("required")
        if missing.kind == "id" and free and other is not tool and about & stems(other.name.replace("_", " ")):
            return other
    return None


def _question(missing: Parameter, memory: Memory, language: str) -> str:
    rows = [row for call in memory.calls for row in speaking.rows(call.result) if row.get(missing.name)]
    if rows:
        return speaking.say(
            "ask_which", language, list="\n".join(f"- {speaking.row_in_words(row)}" for row in rows[:10])
        )
    return speaking.question_for(missing.name, missing.kind, missing.choices, language)


def _calls(tool: Known, arguments: dict[str, Any], text: str) -> list[Call]:
    """One call; of a read, one for each number in the sentence."""
    ids = next((item for item in tool.parameters if item.kind == "id" and item.name in arguments), None)
    values = ids.values_in(text)[:4] if ids and not tool.writes else []
    if ids is None or len(values) < 2:
        return [Call(tool.name, arguments)]
    return [Call(tool.name, {**arguments, ids.name: value}) for value in values]
