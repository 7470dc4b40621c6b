"""What the server answers: without a token, with a bad one, with a good one."""

import re
from collections.abc import Generator, Iterator
from http import HTTPStatus
from typing import Any

from agent.management.doctor.asking import LEGACY, MODERN, Answer, Asker, quoted, unexpected
from agent.management.doctor.findings import Finding, Stop, left_open, right, wrong

NO_TOKEN = "no-token-of-anybody"  # noqa: S105 - what a stranger might try
_PARAMETER = re.compile(r'\b(\w++)="([^"]*)"')


def check_challenge(asker: Asker) -> Generator[Finding, None, str]:
    """A stranger is turned away and told where to learn more; returns that place. Stops where no MCP server answers."""
    answer = asker.call("tools/list")
    if answer.status == HTTPStatus.OK and answer.data is not None:
        advice = "Let nobody in without a token: whoever finds the address can call the tools."
        yield wrong("The server answers without a token.", advice)
        return ""
    if answer.status != HTTPStatus.UNAUTHORIZED:
        raise Stop(wrong(*unexpected(answer)))
    named = _parameters(answer).get("resource_metadata", "")
    if named:
        yield right("Without a token it answers 401, and says where its metadata is.")
    else:
        advice = 'Send WWW-Authenticate: Bearer resource_metadata="..." with it; a proxy may have taken it away.'
        yield wrong("Without a token it answers 401, but does not say where its metadata is.", advice)
    yield from _check_stranger(asker)
    return named


def _check_stranger(asker: Asker) -> Iterator[Finding]:
    answer = asker.call("tools/list", token=NO_TOKEN)
    error = _parameters(answer).get("error", "")
    if answer.status == HTTPStatus.UNAUTHORIZED and error == "invalid_token":
        yield right("A token that nobody made is refused as invalid_token.")
    elif answer.status == HTTPStatus.UNAUTHORIZED:
        advice = (
            'Send error="invalid_token" in WWW-Authenticate, or programs do not know that they have to sign in anew.'
        )
        yield wrong("A token that nobody made is refused, but not as invalid_token.", advice)
    else:
        said, advice = unexpected(answer)
        yield wrong(f"A token that nobody made is not answered with 401. {said}", advice)


def check_token(asker: Asker) -> Iterator[Finding]:
    """What the token opens: the revisions, the list, one read."""
    if not asker.token:
        advice = "Make one at /agent/programs/ and put it into the environment as MCP_TOKEN."
        yield left_open("Signing in, the list and a read were not looked at: there is no token.", advice)
        return
    revision = yield from _check_revision(asker)
    listed = _result(asker.call("tools/list", token=asker.token, revision=revision), what="The list of tools")
    tools = [tool for tool in listed.get("tools", []) if isinstance(tool, dict) and tool.get("name")]
    if not tools:
        advice = "See the switches in the admin, and what this customer is offered."
        yield wrong("The token is good, but no tool is listed for it.", advice)
        return
    reads = [tool for tool in tools if (tool.get("annotations") or {}).get("readOnlyHint") is True]
    yield right(f"It lists {len(tools)} tools for this token; {len(reads)} only read.")
    yield _without_schema(tools) or right("Each of them has a schema of its arguments.")
    yield _read_one(asker, reads, revision=revision)


def _check_revision(asker: Asker) -> Generator[Finding, None, str]:
    """The newest revision that the server speaks. Stops where the token is refused."""
    answer = asker.call("server/discover", token=asker.token)
    _check_let_in(answer)
    if answer.status == HTTPStatus.OK and answer.data and "result" in answer.data:
        yield right(f"It takes the token, and speaks the revision {MODERN} of the protocol.")
        return MODERN
    info = {"name": "mcp_doctor", "version": "1"}
    older = asker.call(
        "initialize", token=asker.token, revision=LEGACY, protocolVersion=LEGACY, capabilities={}, clientInfo=info
    )
    spoken = _result(older, what="The first request").get("protocolVersion")
    yield left_open(f"It takes the token, and speaks no newer revision than {quoted(spoken)}.")
    return LEGACY


def _check_let_in(answer: Answer) -> None:
    if answer.status == HTTPStatus.UNAUTHORIZED:
        advice = "It is expired or revoked, or it was made for another address: make a new one at /agent/programs/."
        raise Stop(wrong("The token is refused (status 401).", advice))
    if answer.status == HTTPStatus.FORBIDDEN:
        lacking = quoted(_parameters(answer).get("scope", "")) or "none was named"
        raise Stop(wrong(f"The token is good but lacks a scope ({lacking}).", "Make one that may look things up."))


def _result(answer: Answer, *, what: str) -> dict[str, Any]:
    """The result in an answer of the protocol. Stops where there is none."""
    _check_let_in(answer)
    data = answer.data or {}
    if isinstance(data.get("error"), dict):
        said = f"{what} is answered with an error: {quoted(data['error'].get('message'))}"
        raise Stop(wrong(said, "Look into the log of the web process for it."))
    if answer.status != HTTPStatus.OK or not isinstance(data.get("result"), dict):
        said, advice = unexpected(answer)
        raise Stop(wrong(f"{what} cannot be read. {said}", advice))
    result: dict[str, Any] = data["result"]
    return result


def _without_schema(tools: list[dict[str, Any]]) -> Finding | None:
    bare = [quoted(tool["name"]) for tool in tools if (tool.get("inputSchema") or {}).get("type") != "object"]
    if not bare:
        return None
    return wrong(f"Without a schema of their arguments: {', '.join(bare[:5])}.", "Programs leave such tools out.")


def _read_one(asker: Asker, reads: list[dict[str, Any]], *, revision: str) -> Finding:
    """One read that needs no arguments, of this customer's own things."""
    free = [tool["name"] for tool in reads if not (tool.get("inputSchema") or {}).get("required")]
    if not free:
        return left_open("No read was made: each needs to be told what to look up.")
    name = str(free[0])
    answer = asker.call("tools/call", token=asker.token, revision=revision, name=name, arguments={})
    result = _result(answer, what=f"The call of {quoted(name)}")
    if result.get("isError"):
        told = quoted((result.get("content") or [{}])[0].get("text", ""))
        return wrong(f"{quoted(name)} refused the call: {told}", "See whether it is switched on, and the log.")
    return right(f"{quoted(name)} answered in {answer.milliseconds} ms.")


def _parameters(answer: Answer) -> dict[str, str]:
    """Of the challenge, where it is one for bearer tokens."""
    header = answer.headers.get("www-authenticate", "")
    return dict(_PARAMETER.findall(header)) if header.lower().startswith("bearer") else {}
