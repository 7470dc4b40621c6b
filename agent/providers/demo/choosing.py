"""Which tool a sentence asks for: by the words it shares with the examples, the name and the description."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agent.providers.demo.addresses import part_of, parts_in, without_parts
from agent.providers.demo.arguments import Parameter
from agent.providers.demo.vocabulary import in_english
from agent.providers.demo.words import SILENT, stem, stems, tokens, words_of
from agent.tools import Example, Tool

SURE = 0.34  # of 1: below it a sentence is not understood
# Who asks for a change is not served by looking something up.
QUESTION = re.compile(
    r"(?:(?:and|und|so|hi|hello|hallo),? )?(?:what|how|when|where|which|who|why|has|have|had|did|is|are|was|were|does|"
    r"wie|was|wann|wo|welche[rsn]?|wer|warum|wieso|ist|sind|hat|haben|wurde|wird)\b",
    re.I,
)
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
        properties = _resolved(self.schema.get("properties", {}), self.schema.get("$defs", {}))
        parts = {part_of(name) for name in properties}
        return [
            Parameter(
                name,
                schema,
                name in self.schema.get("required", []),
                tuple((e.says, e.arguments[name]) for e in self.examples if name in e.arguments),
                subject=stems(self.name.replace("_", " ")),
                is_of_address=bool(part_of(name)) and "line1" in parts,
                is_in_english=bool(re.search(r"\bEnglish\b.*\btranslate\b", self.description)),
            )
            for name, schema in properties.items()
        ]

    def ids_in(self, text: str) -> list[Any]:
        """What the sentence names that the tool could act on."""
        return [value for item in self.parameters if item.kind == "id" for value in item.values_in(text)]

    @cached_property
    def sayings(self) -> list[frozenset[str]]:
        """The words of each example, and those of the name. The things and places of an example are not its wish."""
        found = [stems(example.says) - self._things(example) for example in self.examples]
        return [words for words in [*found, stems(self.name.replace("_", " "))] if words]

    def _things(self, example: Example) -> frozenset[str]:
        values = [example.arguments.get(item.name) for item in self.parameters if item.kind in ("several", "address")]
        pieces = [piece for piece in tokens(re.sub(r"\W", " ", str(values))) if len(piece) > 1]
        return frozenset(
            stem(part)
            for word in words_of(example.says)
            for part in in_english(word).split()
            if any(part.startswith(piece) or piece == stem(part) for piece in pieces)
        )

    @cached_property
    def things(self) -> frozenset[str]:
        """What its examples act on: lamps and mugs, streets and cities."""
        return frozenset().union(*(self._things(example) for example in self.examples))

    @cached_property
    def words(self) -> frozenset[str]:
        """All of its own words."""
        return frozenset().union(*self.sayings)


def _resolved(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """The schema with its references replaced by what they name."""
    if isinstance(schema, list):
        return [_resolved(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    named = definitions.get(str(schema.get("$ref", "")).rpartition("/")[2], {})
    return {key: _resolved(value, definitions) for key, value in {**named, **schema}.items() if key != "$ref"}


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


def vocabulary(name: str, tools: list[Known]) -> frozenset[str]:
    """The words in the values of arguments of that name, in all tools: the kinds of payment methods, say."""
    kin = [item for tool in tools for item in tool.parameters if item.name == name]
    return frozenset[str]().union(*(item.vocabulary for item in kin)) - tokens(name)


def choose(text: str, tools: list[Known]) -> Known | None:
    """The tool that the sentence asks for; None where none fits well enough."""
    address, text = parts_in(text), without_parts(text)
    if any(tool.ids_in(text) for tool in tools):  # then it is about that one thing
        tools = [tool for tool in tools if tool.writes or tool.ids_in(text)]
    if not tools:
        return None
    said = stems(text)
    count = Counter(word for tool in tools for word in tool.words)
    weight = {word: math.log(1 + len(tools) / max(count[word], 1)) for word in said}
    scores = {tool.name: _score(said, weight, tool) + _signs(text, said, address, tool) for tool in tools}
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


def _signs(text: str, said: frozenset[str], address: Mapping[str, str], tool: Known) -> float:
    """What speaks for a tool beside the words: how the sentence begins, the tool's verb, the values that it needs."""
    kinds = {item.kind for item in tool.parameters}
    opens = any(text.lower().startswith(opening) for item in tool.parameters for opening in item.openings)
    verb = stem(tool.name.partition("_")[0])
    is_told = tool.writes and verb in stems(next((word for word in words_of(text) if word not in SILENT), ""))
    has_sum = any(item.kind == "arithmetic" and item.values_in(text) for item in tool.parameters)
    has_address = "address" in kinds and "line1" in address
    has_id = bool(tool.ids_in(text))
    lacks_id = not has_id and any(item.kind == "id" and item.required for item in tool.parameters)
    has_thing = "several" in kinds and bool(said & tool.things)
    asks = tool.writes and bool(QUESTION.match(text))
    return (
        0.35 * opens
        + (0.2 if tool.writes else 0.1) * (verb in said)
        + 0.1 * is_told
        + 0.5 * has_sum
        + 0.3 * has_address
        + 0.1 * has_id
        + 0.1 * has_thing
        - 0.3 * asks
        - (0.05 if tool.writes else 0.12) * lacks_id
    )
