"""What both APIs of OpenAI share: how tools are published, results told and texts put together."""

import json
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

Wire = dict[str, Any]

OPENAI = "https://api.openai.com/v1"

# What strict mode takes of JSON schema; one word more and every request with the tool is refused.
STRICT_WORDS = {
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$defs", "$ref",
    "title", "description", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minItems", "maxItems",
}  # fmt: skip


def is_openai_itself() -> bool:
    """Whether requests go to OpenAI, and not to a server that is compatible, more or less."""
    return not settings.OPENAI_BASE_URL or urlsplit(settings.OPENAI_BASE_URL).hostname == urlsplit(OPENAI).hostname


def function_of(tool: Wire) -> Wire:
    """A tool as a function: flat, as Responses takes it; chat completions wraps all but the type."""
    schema = tool["input_schema"]
    return {
        "type": "function",
        "name": tool["name"],
        "description": tool.get("description", ""),
        "parameters": schema,
        "strict": fits_strict(schema),
    }


def fits_strict(schema: Any) -> bool:
    """Whether the model may be held to the schema: closed, every property required, nothing that strict mode lacks.

    What it lacks is not taken out: the host checks the arguments anyway, and the model reads the whole schema.
    """
    if not isinstance(schema, dict) or not schema.keys() <= STRICT_WORDS:
        return False
    properties, definitions = schema.get("properties", {}), schema.get("$defs", {})
    if schema.get("type") == "object" and not _is_closed(schema):
        return False
    inner = [*properties.values(), *definitions.values(), *schema.get("anyOf", [])]
    return all(fits_strict(part) for part in [*inner, *([schema["items"]] if "items" in schema else [])])


def _is_closed(schema: Wire) -> bool:
    every = set(schema.get("properties", {})) == set(schema.get("required", []))
    return every and schema.get("additionalProperties") is False


def blocks_of(message: Wire) -> list[Wire]:
    """The content as blocks; a string is one block of text."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def text_of(blocks: list[Wire]) -> str:
    """The text blocks as one text."""
    return "\n\n".join(block["text"] for block in blocks if block["type"] == "text")


def result_text(block: Wire) -> str:
    """A tool's result. These APIs have no mark for one that failed, so its text says it."""
    content = block.get("content") or ""
    text = content if isinstance(content, str) else text_of(content)
    return f"This call failed: {text}" if block.get("is_error") else text


def json_text(arguments: Wire) -> str:
    """Arguments as text, spaced as these models write them."""
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))


def usage_as_messages_api(usage: Wire, *, whole: str, output: str) -> Wire:
    """Figures under the names of the Messages API. `whole` names the input with what was cached, `output` the rest.

    There the figure of the input is that of the uncached part.
    """
    details = usage.get(f"{whole}_details") or {}
    read, written = details.get("cached_tokens") or 0, details.get("cache_write_tokens") or 0
    return {
        "input_tokens": max(0, (usage.get(whole) or 0) - read - written),
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
        "output_tokens": usage.get(output) or 0,
    }
