"""Print the tools as one of the formats that models and clients read."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from agent.providers.openai.functions import function_of
from agent.runs.prompt import as_published
from agent.tools import Tool, registry


def _openai(tool: Tool) -> dict[str, Any]:
    return function_of(as_published(tool))


def _openai_chat(tool: Tool) -> dict[str, Any]:
    flat = _openai(tool)
    return {"type": flat.pop("type"), "function": flat}


def _mcp(tool: Tool) -> dict[str, Any]:
    annotations = {"title": str(tool.title or tool.name), "readOnlyHint": not tool.writes}
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.schema,
        "annotations": annotations,
    }


def _whole(tool: Tool) -> dict[str, Any]:
    return {**as_published(tool), "writes": tool.writes, "gated": tool.gated, "hash": tool.schema_hash}


FORMATS = {
    "anthropic": as_published,
    "openai": _openai,
    "openai-chat": _openai_chat,
    "mcp": _mcp,
    "json": _whole,
}


class Command(BaseCommand):
    help = "Print the registered tools as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--format", choices=FORMATS, default="json", help="whose format (default: json)")

    def handle(self, *args: Any, **options: Any) -> None:
        shown = [FORMATS[options["format"]](tool) for tool in registry.all_tools().values()]
        self.stdout.write(json.dumps(shown, indent=2, ensure_ascii=False, default=str))
