"""Whether what tools answer is what they publish, looked at in every test that calls one."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import jsonschema

from agent.tools import Tool

_faults: list[str] = []


def look_at_every_result() -> None:
    """From now on each result of this process is held against its schema; `faults` tells what was found."""
    called: Callable[..., Any] = Tool.call

    def call(self: Tool, arguments: Mapping[str, Any]) -> Any:
        result = called(self, arguments)
        if not self.gated and self.output_schema and "error" not in result:
            _faults.extend(f"{self.name}: {fault}" for fault in departures(result, self.output_schema))
        return result

    Tool.call = call  # type: ignore[method-assign]


def faults() -> list[str]:
    """What was found since the last look."""
    found = list(_faults)
    _faults.clear()
    return found


def departures(result: Any, schema: dict[str, Any]) -> list[str]:
    """Where a result departs from its schema, as JSON. A key that the schema does not name is one too."""
    found = _validator(json.dumps(schema)).iter_errors(json.loads(json.dumps(result)))
    return [f"{error.json_path}: {error.message[:200]}" for error in found]


@cache
def _validator(schema: str) -> Any:
    return jsonschema.Draft202012Validator(_closed(json.loads(schema)))


def _closed(schema: Any) -> Any:
    """Published schemas are open, so that a result may gain a key; whoever adds one here publishes it."""
    if isinstance(schema, dict):
        closed = {key: _closed(value) for key, value in schema.items()}
        is_object = schema.get("type") == "object" and isinstance(schema.get("properties"), dict)
        return {"additionalProperties": False, **closed} if is_object else closed
    return [_closed(value) for value in schema] if isinstance(schema, list) else schema
