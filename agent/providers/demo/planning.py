"""The next step of the demo model: calls to make, or words to say. Planned from the messages alone, each time anew."""

from dataclasses import dataclass, field
from typing import Any

from agent.providers.demo import speaking
from agent.providers.demo.choosing import Known
from agent.providers.demo.filling import fill
from agent.providers.demo.memory import Call, Memory
from agent.providers.demo.sources import Scene
from agent.providers.demo.wishes import wish_of
from agent.providers.demo.words import language_of


@dataclass
class Step:
    """Calls to make now, and else words."""

    calls: list[Call] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


def next_step(memory: Memory, tools: list[Known]) -> Step:
    """What follows from the conversation so far. The words are for when no call is left to make."""
    language, step = language_of(*memory.texts), Step()
    scene = Scene(memory, tools, language)
    for ask in memory.asks:
        _answer(ask, scene, step)
    if not memory.asks:
        step.words = [speaking.of_news(text, language) for text in memory.news]
    if not step.calls and not step.words:
        step.words = [speaking.say("decline", language, can=speaking.abilities(language, tools))]
    return step


def _answer(ask: str, scene: Scene, step: Step) -> None:
    language = scene.language
    small_talk = speaking.small_talk(ask, language, scene.tools)
    wish = None if small_talk else wish_of(ask, scene.memory, scene.tools)
    if wish is None:
        step.words.append(
            small_talk or speaking.say("decline", language, can=speaking.abilities(language, scene.tools))
        )
        return
    fill(wish, scene)
    if wish.is_held_up:
        step.calls += wish.calls
        step.words += [] if wish.calls else [wish.words]
        return
    for call in _calls(wish.tool, wish.arguments, wish.text):
        made = next((c for c in scene.memory.calls if (c.name, c.arguments) == (call.name, call.arguments)), None)
        if made is None:
            step.calls.append(call)
        else:
            step.words.append(speaking.of_result(made, wish.tool, language, ask))


def _calls(tool: Known, arguments: dict[str, Any], text: str) -> list[Call]:
    """One call; of a read, one for each number in the sentence."""
    ids = next((item for item in tool.parameters if item.kind == "id" and item.name in arguments), None)
    values = ids.values_in(text)[:4] if ids and not tool.writes else []
    if ids is None or len(values) < 2:
        return [Call(tool.name, arguments)]
    return [Call(tool.name, {**arguments, ids.name: value}) for value in values]
