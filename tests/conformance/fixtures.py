"""The site with what the suite asks for by name: `python -m tests.conformance.fixtures` instead of `config.serve`.

Only the answers to those names are made here. Who is let in, the transport, the middleware, the seal on states and
everything else are the site's.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from django.conf import settings
from mcp import MCPError
from mcp.server.lowlevel import Server

from agent.tools import registry
from config import asgi, serve

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="  # a dot
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="  # no sound at all
TEXT = {"type": "text", "text": "A text."}
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}
EMBEDDED = {"type": "resource", "resource": {"uri": "test://embedded", "mimeType": "text/plain", "text": "A text."}}

Ask = dict[str, Any]  # a request to the client
Handler = Callable[[Any, Any], Awaitable[Any]]


def _form(message: str, field: str, kind: str = "string") -> Ask:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def _sample(text: str) -> Ask:
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 50}}


ROOTS: Ask = {"method": "roots/list", "params": {}}
NAME, SAY_YES = _form("What is your name?", "name"), _form("Is it so?", "ok", "boolean")

CONTENT: dict[str, list[Any]] = {
    "test_image_content": [IMAGE],
    "test_audio_content": [AUDIO],
    "test_embedded_resource": [EMBEDDED],
    "test_multiple_content_types": [TEXT, IMAGE, EMBEDDED],
    "test_logging_tool": [TEXT],
}
# What each asks for, round by round, before it answers; a state goes with all that come back in several rounds.
ROUNDS: dict[str, list[dict[str, Ask]]] = {
    "test_input_required_result_elicitation": [{"user_name": NAME}],
    "test_input_required_result_sampling": [{"capital_question": _sample("What is the capital of France?")}],
    "test_input_required_result_list_roots": [{"client_roots": ROOTS}],
    "test_input_required_result_request_state": [{"confirm": SAY_YES}],
    "test_input_required_result_tampered_state": [{"confirm": SAY_YES}],
    "test_input_required_result_multiple_inputs": [
        {"user_name": NAME, "greeting": _sample("Greet."), "client_roots": ROOTS}
    ],
    "test_input_required_result_multi_round": [{"step1": NAME}, {"step2": _form("Which colour?", "color")}],
    "test_input_required_result_capabilities": [{"name": NAME, "capital": _sample("What is the capital of France?")}],
    "test_streaming_elicitation": [{"user_name": NAME}],
    "test_missing_capability": [{"capital": _sample("What is the capital of France?")}],
}
STATELESS = {"test_input_required_result_elicitation", "test_input_required_result_sampling"}
RESOURCES: dict[str, dict[str, str]] = {
    "test://static-text": {"mimeType": "text/plain", "text": "A text."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://template/123/data": {"mimeType": "application/json", "text": json.dumps({"id": "123"})},
}
PROMPTS: dict[str, list[Any]] = {
    "test_simple_prompt": [TEXT],
    "test_prompt_with_arguments": [{"type": "text", "text": "arg1='{arg1}', arg2='{arg2}'"}],
    "test_prompt_with_embedded_resource": [EMBEDDED, TEXT],
    "test_prompt_with_image": [IMAGE, TEXT],
    "test_input_required_result_prompt": [TEXT],
}
NEEDED_BY_PROMPT = {"user_context": _form("What should it be about?", "context")}


def make_server() -> Server[Any]:
    """The site's server; the four handlers answer what is named here, and pass on everything else."""
    from agent.mcp import protocol

    server = protocol.make_server()
    for method, params, answer in (
        ("tools/list", types.PaginatedRequestParams, _list_tools),
        ("tools/call", types.CallToolRequestParams, _call_tool),
        ("resources/read", types.ReadResourceRequestParams, _read_resource),
        ("prompts/get", types.GetPromptRequestParams, _get_prompt),
    ):
        entry = server.get_request_handler(method)
        assert entry is not None
        server.add_request_handler(method, params, _before(entry.handler, answer))
    return server


def _before(site: Handler, answer: Callable[..., Awaitable[Any]]) -> Handler:
    async def handle(ctx: Any, params: Any) -> Any:
        return await answer(ctx, params, site)

    return handle


async def _list_tools(ctx: Any, params: Any, site: Handler) -> Any:
    found: types.ListToolsResult = await site(ctx, params)
    more = [
        types.Tool(name=name, description="Of the suite.", input_schema={"type": "object", "properties": {}})
        for name in sorted({*CONTENT, *ROUNDS})
    ]
    return types.ListToolsResult(tools=[*found.tools, *more])


async def _call_tool(ctx: Any, params: Any, site: Handler) -> Any:
    if params.name in CONTENT:
        return types.CallToolResult.model_validate({"content": CONTENT[params.name]})
    if params.name in ROUNDS:
        return _round(ctx, params) or types.CallToolResult.model_validate({"content": [TEXT]})
    return await site(ctx, params)


def _round(ctx: Any, params: Any) -> types.InputRequiredResult | None:
    """What is still to be asked for; None once everything was answered. The state says in which round it came."""
    rounds = ROUNDS[params.name]
    at = int(params.request_state or 0)
    answered = set(params.input_responses or ())
    if answered >= set(rounds[at]):
        at += 1
    if at >= len(rounds):
        return None
    able = ctx.session.client_capabilities
    wanted = {key: ask for key, ask in rounds[at].items() if _can(able, ask)}
    if not wanted:
        needed = types.MissingRequiredClientCapabilityErrorData(
            required_capabilities=types.ClientCapabilities.model_validate({"sampling": {}})
        )
        raise MCPError(code=-32021, message="This needs more of the client.", data=needed.model_dump(by_alias=True))
    state = None if params.name in STATELESS else str(at)
    return types.InputRequiredResult.model_validate({"inputRequests": wanted, "requestState": state})


def _can(able: Any, ask: Ask) -> bool:
    needs = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
    return able is not None and getattr(able, needs[ask["method"]]) is not None


async def _read_resource(ctx: Any, params: Any, site: Handler) -> Any:
    found = RESOURCES.get(str(params.uri))
    if found is None:
        return await site(ctx, params)
    return types.ReadResourceResult.model_validate({"contents": [{"uri": str(params.uri), **found}]})


async def _get_prompt(ctx: Any, params: Any, site: Handler) -> Any:
    if params.name not in PROMPTS:
        return await site(ctx, params)
    if params.name == "test_input_required_result_prompt" and not params.input_responses:
        return types.InputRequiredResult.model_validate({"inputRequests": NEEDED_BY_PROMPT})
    given = params.arguments or {}
    content = [
        {**part, "text": part["text"].format(**given)} if part["type"] == "text" else part
        for part in PROMPTS[params.name]
    ]
    return types.GetPromptResult.model_validate({"messages": [{"role": "user", "content": part} for part in content]})


def make_manager() -> Any:
    from agent.mcp import protocol

    return protocol.make_manager(make_server())


if __name__ == "__main__":
    from agent.mcp.mount import Mount

    registry.load([*settings.AGENT["TOOL_MODULES"], "tests.conformance.tools", "tests.mcp.odd_tools"])
    asgi.programs = Mount(make_manager)
    serve.leave(serve.main())
