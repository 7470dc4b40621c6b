"""langgraph: its prebuilt agent, one tool, without a saver or with the one for SQLite (a file, set up by itself)."""

import json
import os
import sqlite3
import sys
import uuid
import warnings
from typing import Annotated, Any

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from pydantic import Field

from bench.peers import parcels, timing

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it has moved to another package, and is the same
    from langgraph.prebuilt import create_react_agent

STEPS, DATABASE = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""


@tool(parcels.TOOL, description=parcels.DESCRIPTION)
def track_parcel(order_number: Annotated[str, Field(description=parcels.ARGUMENT)]) -> dict[str, str]:
    """The same tool."""
    return parcels.track(order_number)


def made() -> Any:
    """The graph."""
    model = ChatAnthropic(
        model="claude-sonnet-5-5", api_key="local", base_url=os.environ["ANTHROPIC_BASE_URL"], max_retries=0
    )
    saver = SqliteSaver(sqlite3.connect(DATABASE, check_same_thread=False)) if DATABASE else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return create_react_agent(model, [track_parcel], prompt=parcels.SYSTEM, checkpointer=saver)


graph = made()


def run() -> dict[str, Any]:
    """A whole run; its thread names the saved state."""
    config = {"configurable": {"thread_id": uuid.uuid4().hex}, "recursion_limit": 100}
    asked = {"messages": [("user", parcels.question(steps=STEPS))]}
    return {"config": config, "messages": graph.invoke(asked, config)["messages"]}


def check(done: dict[str, Any]) -> None:
    """Every call and its result, in their order; with a saver as they are saved."""
    messages = graph.get_state(done["config"]).values["messages"] if DATABASE else done["messages"]
    calls = [
        call["args"]["order_number"] for said in messages if isinstance(said, AIMessage) for call in said.tool_calls
    ]
    results = [json.loads(said.content) for said in messages if isinstance(said, ToolMessage)]
    parcels.require(list(zip(calls, results, strict=True)), answer=messages[-1].text, steps=STEPS)


if __name__ == "__main__":
    timing.play(run, check)
