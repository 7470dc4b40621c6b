"""A loop of twenty lines over the SDK: it keeps nothing, checks nothing and shows nothing. The floor."""

import json
import os
import sys
from typing import Any

from anthropic import Anthropic

from bench.peers import parcels, timing

STEPS = int(sys.argv[1])
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"order_number": {"type": "string", "description": parcels.ARGUMENT}},
    "required": ["order_number"],
    "additionalProperties": False,
}
PUBLISHED: list[Any] = [{"name": parcels.TOOL, "description": parcels.DESCRIPTION, "input_schema": SCHEMA}]
client = Anthropic(api_key="local", base_url=os.environ["ANTHROPIC_BASE_URL"], max_retries=0)


def run() -> list[dict[str, Any]]:
    """The messages of a whole run."""
    messages: list[Any] = [{"role": "user", "content": parcels.question(steps=STEPS)}]
    while True:
        answer = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, system=parcels.SYSTEM, tools=PUBLISHED, messages=messages
        )
        messages.append({"role": "assistant", "content": [block.model_dump() for block in answer.content]})
        calls = [block for block in answer.content if block.type == "tool_use"]
        if not calls:
            return messages
        results = [json.dumps(parcels.track(str(call.input["order_number"]))) for call in calls]
        messages.append(
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": call.id, "content": result}
                    for call, result in zip(calls, results, strict=True)
                ],
            }
        )


def check(messages: list[dict[str, Any]]) -> None:
    """Every call and its result, in their order."""
    calls = [block for said in messages[1::2] for block in said["content"] if block["type"] == "tool_use"]
    results = [json.loads(block["content"]) for said in messages[2::2] for block in said["content"]]
    kept = [(call["input"]["order_number"], result) for call, result in zip(calls, results, strict=True)]
    parcels.require(kept, answer=messages[-1]["content"][0]["text"], steps=STEPS)


if __name__ == "__main__":
    timing.play(run, check)
