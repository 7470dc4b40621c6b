"""`manage.py check` refuses a tool that the agent could not offer safely, and names it."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register

from agent import rowsecurity
from agent.errors import ToolArgumentError
from agent.tools import Tool, registry

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
MANY_TOOLS = 20
TYPED = {"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"}  # one of these says what a value may be

Finding = tuple[str, str]  # what is wrong, how to mend it


@register(Tags.database)
def check_row_security(app_configs: Any = None, databases: Any = None, **options: Any) -> list[CheckMessage]:
    """On PostgreSQL, whether what tools read is narrowed to the customer's rows: `check --database` and migrate ask."""
    if not databases or not rowsecurity.is_missing():
        return []
    return [Warning(rowsecurity.NO_ROLE, hint=rowsecurity.MAKE_ROLE, id="agent.W002")]


@register("agent")
def check_tools(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """Every registered tool against every rule, the modules that were left out, and their number."""
    found: list[CheckMessage] = [
        Error(f"{module} could not be loaded: {error}", hint="Mend the module or take it out.", id="agent.E001")
        for module, error in registry.broken_modules().items()
    ]
    found += [
        Error(f"Two tools are called {name}.", hint="Rename one of them.", id="agent.E002")
        for name in registry.duplicate_names()
    ]
    for tool in registry.all_tools().values():
        found += problems(tool)
    if len(registry.all_tools()) > MANY_TOOLS:
        found.append(
            Warning(
                f"{len(registry.all_tools())} tools: a model chooses worse among more than {MANY_TOOLS}.",
                hint="Make one good tool of those that must be chained.",
                id="agent.W001",
            )
        )
    return found


def problems(tool: Tool) -> list[CheckMessage]:
    """What is wrong with one tool."""
    return [
        Error(f"{tool.name}: {what}", hint=mend, id=number)
        for number, rule in RULES.items()
        for what, mend in rule(tool)
    ]


def _illegal_name(tool: Tool) -> Iterator[Finding]:
    if not NAME.fullmatch(tool.name):
        yield "the name is not lower case letters, digits and underscores", "Rename it, 64 characters at most."


def _no_description(tool: Tool) -> Iterator[Finding]:
    if len(tool.description) < 20:
        yield "there is no description", "Write a docstring: what it does, when to use it, when not."


def _no_user(tool: Tool) -> Iterator[Finding]:
    if not tool.needs & {"user", "conversation"} and tool.reads_rows:
        yield "it does not take the user", "Add `*, user` and select rows by it."


def _loose_schema(tool: Tool) -> Iterator[Finding]:
    for path, part in _objects(tool.schema):
        if part.get("additionalProperties") is not False:
            yield f"the schema is open at {path}", "Use typed fields; forbid extra ones."
        for name, field in part.get("properties", {}).items():
            if _takes_anything(field):
                yield f"{path}.{name} takes anything", "Give it a type, with its range, pattern or choices."


def _takes_anything(field: dict[str, Any]) -> bool:
    is_list = field.get("type") == "array" and "prefixItems" not in field
    return not TYPED & field.keys() or (is_list and _takes_anything(field.get("items", {})))


def _objects(part: Any, path: str = "arguments") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(part, dict):
        if part.get("type") == "object":
            yield path, part
        for key, value in part.items():
            yield from _objects(value, f"{path}.{key}")
    elif isinstance(part, list):
        for number, value in enumerate(part):
            yield from _objects(value, f"{path}.{number}")


def _gate_is_whole(tool: Tool) -> Iterator[Finding]:
    if tool.gated and not tool.writes:
        yield "it is gated but does not write", "Say writes=True."
    for hook in ("plan", "lock", "describe"):
        if tool.gated and getattr(tool, hook) is None:
            yield f"it writes without `{hook}`", f"Give it {hook}=..., or gated=False with limits of its own."


def _examples_fit(tool: Tool) -> Iterator[Finding]:
    for example in tool.examples:
        try:
            tool.parse(dict(example.arguments))
        except ToolArgumentError as error:
            yield f"the example {example.says!r} does not fit: {error}", "Mend the example or the schema."


RULES: dict[str, Callable[[Tool], Iterator[Finding]]] = {
    "agent.E003": _illegal_name,
    "agent.E004": _no_description,
    "agent.E005": _no_user,
    "agent.E006": _loose_schema,
    "agent.E007": _gate_is_whole,
    "agent.E008": _examples_fit,
}
