"""What a shop imports to teach the agent a tool."""

from agent.errors import Refusal, ToolArgumentError
from agent.tools.contract import RESERVED_CONTEXT, Card, Description, Example, Outside, Settlement, Tool, tool
from agent.tools.schema import Amount, Failed

__all__ = [
    "RESERVED_CONTEXT",
    "Amount",
    "Card",
    "Description",
    "Example",
    "Failed",
    "Outside",
    "Refusal",
    "Settlement",
    "Tool",
    "ToolArgumentError",
    "tool",
]
