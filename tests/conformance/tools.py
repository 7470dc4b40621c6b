"""Tools that the suite calls by name and that our registry can have: each takes the whole path of a call."""

from typing import Annotated, Any

from pydantic import Field

from agent.tools import Refusal, tool


@tool
def test_simple_text(*, user: Any) -> dict[str, Any]:
    """Answer with a text."""
    return {"summary": "This is a simple text response for testing."}


@tool
def test_error_handling(*, user: Any) -> dict[str, Any]:
    """Refuse."""
    raise Refusal("This tool intentionally returns an error for testing")


@tool
def test_repeated_in_header(
    region: Annotated[str, Field(max_length=80, json_schema_extra={"x-mcp-header": "Region"})], *, user: Any
) -> dict[str, Any]:
    """Answer with the region, which a client of the newest revision repeats in a header."""
    return {"region": region}
