"""Where the values of an argument are listed: read tools, called once and then read from their results."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agent.providers.demo import speaking
from agent.providers.demo.arguments import Parameter
from agent.providers.demo.choosing import Known
from agent.providers.demo.memory import Memory
from agent.providers.demo.wishes import Wish
from agent.providers.demo.words import stems


@dataclass(frozen=True)
class Scene:
    """What surrounds a wish."""

    memory: Memory
    tools: list[Known]
    language: str

    @property
    def reads(self) -> list[Known]:
        """The tools that only look something up."""
        return [tool for tool in self.tools if not tool.writes]


def named_source(item: Parameter, scene: Scene) -> Known | None:
    """The read tool that the description of an argument names: "exactly as list_parcels lists it"."""
    return next((tool for tool in scene.reads if re.search(rf"\b{tool.name}\b", item.description)), None)


def source_of(item: Parameter, wish: Wish, scene: Scene) -> Known | None:
    """The read tool that lists the values of an id: named in its description, else told by the tool's own name or
    description."""
    named = named_source(item, scene)
    if named or item.kind not in ("id", "excerpt"):
        return named
    about = stems(item.name.replace("_", " ")) - stems("number id new")
    callable_now = [tool for tool in scene.reads if tool is not wish.tool and _is_callable(tool, wish)]
    by_name = (tool for tool in callable_now if about & stems(tool.name.replace("_", " ")))
    by_description = (tool for tool in callable_now if about and about <= stems(tool.description))
    return next(by_name, None) or (next(by_description, None) if item.kind == "id" else None)


def sources_about(words: frozenset[str], wish: Wish, scene: Scene) -> list[Known]:
    """The read tools that speak of something and can be called; those that take what the wish has already first."""
    found = [tool for tool in scene.reads if words & stems(tool.description) and _is_callable(tool, wish)]
    return sorted(found, key=lambda tool: -sum(item.name in wish.arguments for item in tool.parameters))


def result_of(source: Known, wish: Wish, scene: Scene, *, about: str = "") -> dict[str, Any] | None:
    """What the read tool answers for this wish. None where it has to be called first, or where it answered with an
    error, which ends the matter. `about` is what a free text of the tool is to hold."""
    arguments = {item.name: wish.arguments[item.name] for item in source.parameters if item.name in wish.arguments}
    free = next((item.name for item in source.parameters if item.kind in ("excerpt", "text")), None)
    if about and free:
        arguments[free] = about
    made = scene.memory.made(source.name, arguments)
    if made is None:
        wish.call_first(source.name, arguments)
        return None
    if "error" in made.result:
        wish.say(speaking.of_result(made, source, scene.language, wish.text))
        return None
    return made.result


def is_possible(result: Any, tool: Known) -> bool | None:
    """What a result says of the tool in a table of what can be done now; None where it says nothing."""
    return next((table[tool.name] for table in _tables(result) if isinstance(table.get(tool.name), bool)), None)


def sibling_of(tool: Known, result: Any, scene: Scene) -> Known | None:
    """The tool with the same arguments that the result says is possible where this one is not."""
    names = {item.name for item in tool.parameters}
    same = (other for other in scene.tools if other.writes and {item.name for item in other.parameters} == names)
    return next((other for other in same if is_possible(result, other)), None)


def _tables(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _tables(item)


def _is_callable(tool: Known, wish: Wish) -> bool:
    return all(not item.required or item.name in wish.arguments for item in tool.parameters)
