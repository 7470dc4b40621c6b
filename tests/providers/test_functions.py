"""Tools as OpenAI's functions: held to their schema only where strict mode takes it."""

import pytest

from agent.providers.openai.functions import fits_strict, function_of
from agent.tools import registry

NUMBER = {"type": "string", "pattern": "DZ-[0-9]+", "description": "The order."}


def closed(required, **properties):
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "fits"),
    [
        (closed([]), True),
        (closed(["a"], a=NUMBER), True),
        (closed(["a"], a={"type": "array", "items": closed(["b"], b=NUMBER)}), True),
        (closed([], a=NUMBER), False),
        (closed(["a"], a={**NUMBER, "maxLength": 20}), False),
        (closed(["a"], a={**NUMBER, "default": "DZ-1"}), False),
        (closed(["a"], a={"type": "array", "items": closed([], b=NUMBER)}), False),
        (closed(["a"], a={"anyOf": [NUMBER, {"type": "string", "format": "x"}]}), False),
        ({**closed(["a"], a={"$ref": "#/$defs/B"}), "$defs": {"B": closed([], b=NUMBER)}}, False),
        ({"type": "object", "properties": {"a": NUMBER}, "required": ["a"]}, False),
    ],
)
def test_strict_is_said_only_of_what_it_takes(schema, fits):
    assert fits_strict(schema) is fits


def test_every_tool_of_the_registry_is_published_whole():
    tools = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
        for tool in registry.all_tools().values()
    ]
    for tool in tools:
        function = function_of(tool)
        assert function["parameters"] == tool["input_schema"]
        assert isinstance(function["strict"], bool)
