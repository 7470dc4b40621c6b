"""pydantic-ai: an agent with one tool; it keeps the messages of a run in memory."""

import os
import sys
from typing import Annotated, Any

from pydantic import Field
from pydantic_ai import Agent
from pydantic_ai.messages import ToolCallPart, ToolReturnPart
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.usage import UsageLimits

from bench.peers import parcels, timing

STEPS = int(sys.argv[1])
provider = AnthropicProvider(api_key="local", base_url=os.environ["ANTHROPIC_BASE_URL"])
agent = Agent(AnthropicModel("claude-sonnet-5-5", provider=provider), system_prompt=parcels.SYSTEM)


@agent.tool_plain(description=parcels.DESCRIPTION)
def track_parcel(order_number: Annotated[str, Field(description=parcels.ARGUMENT)]) -> dict[str, str]:
    """The same tool."""
    return parcels.track(order_number)


def run() -> Any:
    """A whole run."""
    return agent.run_sync(parcels.question(steps=STEPS), usage_limits=UsageLimits(request_limit=100))


def check(result: Any) -> None:
    """Every call and its result, in their order."""
    parts = [part for message in result.all_messages() for part in message.parts]
    calls = [part.args_as_dict()["order_number"] for part in parts if isinstance(part, ToolCallPart)]
    results = [part.content for part in parts if isinstance(part, ToolReturnPart)]
    parcels.require(list(zip(calls, results, strict=True)), answer=result.output, steps=STEPS)


if __name__ == "__main__":
    timing.play(run, check)
