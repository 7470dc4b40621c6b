"""From a typed function to a closed JSON schema, and from a model's arguments to checked values.

One pydantic model per tool makes both, so that what was published is what is checked.
"""

import hashlib
import inspect
import json
import unicodedata
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, get_args, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    create_model,
)
from typing_extensions import TypedDict, is_typeddict

from agent.errors import ToolArgumentError

AMOUNT_PATTERN = r"^(0|[1-9][0-9]{0,6})(\.[0-9]{1,2})?$"
MAX_ARGUMENT_CHARS = 20_000
TOO_LONG = f"invalid arguments: longer than {MAX_ARGUMENT_CHARS} characters"
TOO_LARGE = "too_large"  # the one key of what stands for arguments that were not kept
MAX_DEPTH = 8


def _number_to_text(value: object) -> object:
    """42 and 42.5 become "42.00" and "42.50"; 42.123 stays a number, and is refused as one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    exact = Decimal(repr(value))
    return f"{exact:.2f}" if exact.is_finite() and exact == round(exact, 2) else value


def _two_places(value: str) -> str:
    try:
        exact = Decimal(value)
    except InvalidOperation:  # the pattern has refused it already; Decimal never sees words
        raise ValueError("should be an amount like 42.00") from None
    if exact <= 0:
        raise ValueError("should be more than 0.00")
    return f"{exact:.2f}"


Amount = Annotated[
    str,
    BeforeValidator(_number_to_text),
    Field(pattern=AMOUNT_PATTERN),
    AfterValidator(_two_places),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": AMOUNT_PATTERN},
                {"type": "number", "exclusiveMinimum": 0, "maximum": 9999999.99},
            ],
            "description": "Amount in the order's currency, as a decimal string with two places, like 42.00.",
        }
    ),
]
"""Money from a model: published as a decimal string, given to the tool as text with two places."""


class Failed(TypedDict):
    """What a read answers where there is nothing to find: a sentence for the model."""

    error: str


def arguments_model(fn: Callable[..., Any]) -> type[BaseModel]:
    """The model of everything that stands before `*` in `fn`'s signature."""
    hints = get_type_hints(fn, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            continue
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD or parameter.name not in hints:
            raise TypeError(f"{fn.__name__}: {parameter} needs a type and a plain name")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], default)
    return create_model(fn.__name__, __config__=ConfigDict(extra="forbid", strict=True), **fields)


def published(model: type[BaseModel]) -> dict[str, Any]:
    """The model's JSON schema without pydantic's titles, closed, in the order of the signature."""
    schema = _without_titles(model.model_json_schema())
    return {
        "type": "object",
        "properties": schema.get("properties", {}),
        "required": schema.get("required", []),
        "additionalProperties": False,
        **({"$defs": schema["$defs"]} if "$defs" in schema else {}),
    }


def of_result(fn: Callable[..., Any]) -> dict[str, Any] | None:
    """The JSON schema of what `fn` returns when it does not fail, or None where its return type does not say.

    It is open: a result may gain keys.
    """
    returned = get_type_hints(fn, include_extras=True).get("return")
    kinds = [kind for kind in get_args(returned) or (returned,) if kind is not Failed]
    if len(kinds) != 1 or not is_typeddict(kinds[0]):
        return None
    schema: dict[str, Any] = _without_titles(TypeAdapter(kinds[0]).json_schema(mode="serialization"))
    return schema


def _without_titles(value: Any, *, names: bool = False) -> Any:
    """`names` is true where the keys are the shop's own, so that a parameter called title survives."""
    if isinstance(value, dict):
        return {
            key: _without_titles(item, names=key in ("properties", "$defs") and not names)
            for key, item in value.items()
            if names or key != "title"
        }
    return [_without_titles(item) for item in value] if isinstance(value, list) else value


def digest(*parts: object) -> str:
    """SHA-256 over canonical JSON: sorted keys, no spaces; equal values give equal digests on every database."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def parse(model: type[BaseModel], arguments: object) -> dict[str, Any]:
    """The arguments as the tool will receive them.

    Raises ToolArgumentError, whose text names each fault and the fields that there are, never a value.
    """
    if not isinstance(arguments, dict):
        raise ToolArgumentError("invalid arguments: expected one JSON object")
    if arguments.keys() == {TOO_LARGE}:
        raise ToolArgumentError(TOO_LONG)
    _refuse_hostile(arguments)
    try:
        checked = model.model_validate(arguments)
    except ValidationError as error:
        raise ToolArgumentError(_explained(model, error)) from None
    return checked.model_dump()


def too_large(size: int) -> dict[str, Any]:
    """What is kept in the place of arguments of so many characters; `parse` refuses it as it would have them."""
    return {TOO_LARGE: f"{size} characters were not kept"}


def _explained(model: type[BaseModel], error: ValidationError) -> str:
    faults = [
        f"{'.'.join(str(part) for part in fault['loc'])[:80]}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_input=False, include_context=False)[:5]
    ]
    return f"invalid arguments: {'; '.join(faults)}. Fields: {', '.join(model.model_fields) or 'none'}."


def _refuse_hostile(arguments: dict[str, Any]) -> None:
    """NUL and surrogates break PostgreSQL, other controls break logs, and depth breaks recursion."""
    level: Iterable[Any] = [arguments]
    size = 0
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below += [*value.keys(), *value.values()]
            elif isinstance(value, list):
                below += value
            elif isinstance(value, str):
                size += len(value)
                if size > MAX_ARGUMENT_CHARS:
                    raise ToolArgumentError(TOO_LONG)
                if not value.isprintable() and any(_is_control(character) for character in value):
                    raise ToolArgumentError("invalid arguments: text with control characters")
        level = below
    if level:
        raise ToolArgumentError(f"invalid arguments: nested deeper than {MAX_DEPTH} levels")


def _is_control(character: str) -> bool:
    return character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cs")
