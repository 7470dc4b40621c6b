"""Tools as other programs see and call them. What it returns is in the form of the protocol, without the SDK."""

import json
from dataclasses import dataclass
from typing import Any

from agent import actions, flags, policies, selectors
from agent.access import PROPOSE, READ, Caller
from agent.errors import NotFound
from agent.models import AgentStep, PendingAction
from agent.runs import direct
from agent.tools import Tool, registry

PROPOSES = "Nothing is changed by this call: it answers with a link, where only the customer can confirm."
State = PendingAction.State
STATUS = {State.PENDING: "confirmation_required"}  # all others are told by their own name
WHAT_NOW = {
    State.PENDING: "Nothing was changed yet. Only the customer can confirm this, signed in to the shop in their own "
    "browser, at confirm_url.",
    State.EXECUTED: "The customer confirmed, and it was done.",
    State.REJECTED: "The customer declined. Nothing was changed.",
    State.EXPIRED: "It was not confirmed in time. Nothing was changed.",
    State.SUPERSEDED: "A newer proposal took its place. Nothing was changed.",
    State.FAILED: "The customer confirmed, but it could not be done.",
    State.EXECUTING: "The customer confirmed. It was passed on and is not done yet.",
    State.AWAITING_STAFF: "The customer confirmed. Above this amount a member of staff has to approve it too, and none "
    "has yet. Nothing was changed so far.",
    State.UNKNOWN: "The customer confirmed, and no answer has come yet whether it was done. Do not propose it again.",
}
PROPOSAL_SCHEMA = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": [STATUS.get(state, state.value) for state in State]},
        "proposal": {"type": "string"},
        "message": {"type": "string"},
        "confirm_url": {"type": "string"},
        "expires_at": {
            "type": "string",
            "description": "While it waits: until when, as things stand. The customer can ask for more time.",
        },
        "result": {"type": "object"},
    },
    "required": ["status", "proposal", "message", "confirm_url"],
}


@dataclass(frozen=True)
class Reply:
    """What a call is answered with. `data` is what `text` says, as JSON; None where it keeps no promised schema."""

    text: str
    data: dict[str, Any] | None
    is_error: bool
    action_id: str = ""  # of a proposal
    is_open: bool = False  # it waits for its customer
    proposal: str = ""
    link: str = ""


def offered_to(caller: Caller) -> list[Tool]:
    """What this caller may call now, in the order of the registry."""
    if not flags.agent_is_on():
        return []
    return [tool for tool in policies.offered_tools(caller.user) if scope_of(tool) in caller.scopes]


def scope_of(tool: Tool) -> str:
    """What a token must allow."""
    return PROPOSE if tool.writes else READ


def is_hidden(caller: Caller, name: str) -> bool:
    """Whether there is no such tool for this caller's customer: it is not told from one that there is not."""
    tool = registry.all_tools().get(name)
    return tool is None or not policies.may_use(caller.user, tool)


def as_mcp(tool: Tool) -> dict[str, Any]:
    """A tool in the protocol's form. A proposal destroys nothing and may be repeated: an equal one is the same."""
    output = PROPOSAL_SCHEMA if tool.gated else tool.output_schema
    return {
        "name": tool.name,
        "title": str(tool.title or tool.name),
        "description": f"{tool.description}\n\n{PROPOSES}" if tool.gated else tool.description,
        "inputSchema": tool.schema,
        **({"outputSchema": output} if output else {}),
        "annotations": {
            "title": str(tool.title or tool.name),
            "readOnlyHint": not tool.writes,
            "destructiveHint": False,
            "idempotentHint": tool.gated or not tool.writes,
            "openWorldHint": False,
        },
    }


def listed(caller: Caller) -> list[dict[str, Any]]:
    """The tools of this caller, in the protocol's form."""
    return [as_mcp(tool) for tool in offered_to(caller)]


def call(caller: Caller, name: str, arguments: dict[str, Any] | None) -> Reply:
    """Carry out a call by the one path of every call; its row names the program."""
    step = step_of(caller, name, arguments)
    data = json.loads(step.result)
    is_error = step.outcome not in (AgentStep.Outcome.OK, AgentStep.Outcome.PROPOSED) or "error" in data
    action = step.action
    return Reply(
        text=step.result,
        data=None if is_error or "cut_off" in data else data,
        is_error=is_error or "cut_off" in data,
        action_id=str(action.pk) if action else "",
        is_open=action is not None,
        proposal=action.summary if action else "",
        link=actions.address(action) if action else "",
    )


def step_of(caller: Caller, name: str, arguments: dict[str, Any] | None) -> AgentStep:
    """The row of the call, with its result. The path of the call asks for the tool's own switches and permission."""
    client = direct.Client(id=caller.client_id, name=caller.client_name)
    tool = registry.all_tools().get(name)
    offered = [name] if tool and scope_of(tool) in caller.scopes else []
    return direct.call(caller.user, name, arguments or {}, client=client, offered=offered)


def outcome_of(caller: Caller, name: str, action_id: str) -> Reply:
    """How a proposal of this caller's stands. Raises NotFound for one that another customer or program asked for."""
    action = selectors.action_of(caller.user, action_id)
    if action.tool != name or action.run is None or action.run.conversation.client_id != caller.client_id:
        raise NotFound("There is no such proposal.")
    state = actions.state_of(action)
    is_open = state == State.PENDING
    data = {
        "status": STATUS.get(state, state.value),
        "proposal": action.summary,
        "message": f"{action.reason} {WHAT_NOW[state]}".strip(),
        "confirm_url": actions.address(action),
        **({"expires_at": action.expires_at.isoformat(timespec="seconds")} if is_open else {}),
        **({"result": action.result} if state == State.EXECUTED and action.result else {}),
    }
    text = json.dumps(data, ensure_ascii=False, default=str)
    return Reply(text, json.loads(text), is_error=False, action_id=action_id, is_open=is_open)
