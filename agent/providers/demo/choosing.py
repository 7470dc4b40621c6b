"""Which tool a sentence asks for: by the words it shares with the examples, the name and the description."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agent.providers.demo.arguments import Parameter
from agent.providers.demo.words import stem, stems
from agent.tools import Example, Tool

SURE = 0.34  # of 1: below it a sentence is not understood
# Who asks for a change is not served by looking something up.
CHANGES = stems(
    "change update edit delete remove replace set modify ändern ändere löschen entfernen ersetzen umtauschen"
)


@dataclass(frozen=True)
class Known:
    """An offered tool, as far as the demo model knows it."""

    name: str
    description: str
    schema: Mapping[str, Any]
    examples: tuple[Example, ...] = ()
    writes: bool = False

    @cached_property
    def parameters(self) -> list[Parameter]:
        """Its arguments, with what the examples say and give for each."""
        definitions = self.schema.get("$defs", {})
        return [
            Parameter(
                name,
                definitions.get(str(schema.get("$ref", "")).rpartition("/")[2], schema),
                name in self.schema.get("required", []),
                tuple((e.says, e.arguments[name]) for e in self.examples if name in e.arguments),
            )
            for name, schema in self.schema.get("properties", {}).items()
        ]

    def ids_in(self, text: str) -> list[Any]:
        """What the sentence names that the tool could act on."""
        return [value for item in self.parameters if item.kind == "id" for value in item.values_in(text)]

    @cached_property
    def sayings(self) -> list[frozenset[str]]:
        """The words of each example, and those of the name."""
        return [*(stems(example.says) for example in self.examples), stems(self.name.replace("_", " "))]

    @cached_property
    def words(self) -> frozenset[str]:
        """All of its own words."""
        return frozenset().union(*self.sayings)


def offered(tools: list[dict[str, Any]], registry: Mapping[str, Tool]) -> list[Known]:
    """The tools of a request; the registry adds the examples, which no model service is sent."""
    return [
        Known(
            tool["name"],
            tool.get("description", ""),
            tool.get("input_schema", {}),
            registry[tool["name"]].examples if tool["name"] in registry else (),
            registry[tool["name"]].writes if tool["name"] in registry else False,
        )
        for tool in tools
    ]


def choose(text: str, tools: list[Known]) -> Known | None:
    """The tool that the sentence asks for; None where none fits well enough."""
    if any(tool.ids_in(text) for tool in tools):  # then it is about that one thing
        tools = [tool for tool in tools if tool.writes or tool.ids_in(text)]
    if not tools:
        return None
    said = stems(text)
    count = Counter(word for tool in tools for word in tool.words)
    weight = {word: math.log(1 + len(tools) / max(count[word], 1)) for word in said}
    scores = {tool.name: _score(said, weight, tool) + _signs(text, said, tool) for tool in tools}
    best = max(tools, key=lambda tool: scores[tool.name])
    if scores[best.name] < SURE or (not best.writes and said & CHANGES - best.words):
        return None
    return best


def _score(said: frozenset[str], weight: Mapping[str, float], tool: Known) -> float:
    """From 0 to 1: how much of the sentence is the tool's, and how near the nearest example is."""

    def share(words: frozenset[str]) -> float:
        return sum(weight[word] for word in said & words) / (sum(weight.values()) or 1)

    nearest = max((2 * len(said & words) / (len(said) + len(words)) for words in tool.sayings if words), default=0.0)
    return 0.5 * share(tool.words) + 0.1 * share(stems(tool.description)) + 0.4 * nearest


def _signs(text: str, said: frozenset[str], tool: Known) -> float:
    """What speaks for a tool beside the words: how the sentence begins, the tool's verb, and a sum to be worked out."""
    opens = any(text.lower().startswith(opening) for item in tool.parameters for opening in item.openings)
    is_named = stem(tool.name.partition("_")[0]) in said
    has_sum = any(item.kind == "arithmetic" and item.values_in(text) for item in tool.parameters)
    return 0.35 * opens + 0.1 * is_named + 0.5 * has_sum
