"""Who is let in to /mcp. Asked of every request, before the SDK sees any of it.

Host and Origin -> POST -> a good token -> not too often -> switched on -> not too long -> a scope that covers the call.
"""

import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from agent import access, audit, flags, limits
from agent.access import Caller, challenge
from agent.errors import TokenRefused, TooMuch
from agent.mcp import tools
from agent.mcp.threads import in_thread
from agent.tools import registry

logger = logging.getLogger(__name__)

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]

MAX_BODY = 256 * 1024  # bytes
AGAIN = "600"  # seconds, until a program may look whether it is let in again
IN_QUERY = {"access_token", "token", "authorization"}
NEEDS_NO_SCOPE = {"initialize", "ping", "server/discover"}  # and notifications


class TurnedAway(Exception):
    """The request goes no further. `reason` is for whoever debugs the program."""

    def __init__(self, status: HTTPStatus, reason: str, **headers: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.headers = headers


@dataclass(frozen=True)
class Admitted:
    """A request that may be answered, its body read."""

    caller: Caller
    body: bytes


async def admit(scope: Scope, receive: Receive) -> Admitted:
    """Let the request in. Raises TurnedAway."""
    headers = _headers(scope["headers"])
    _check_origin(headers)
    if scope["method"] != "POST":
        raise TurnedAway(HTTPStatus.METHOD_NOT_ALLOWED, "Only POST: there are no sessions.", allow="POST")
    if IN_QUERY & {
        key.lower() for key, _ in parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    }:
        raise _unauthorised("in_query")
    caller = await in_thread(_caller, headers.get("authorization", ""))
    body = await _body(receive, declared=headers.get("content-length", ""))
    await _check_scope(caller, body)
    return Admitted(caller, body)


def _headers(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """By their small names. One that decides something and comes twice is as bad as a wrong one."""
    found: dict[str, str] = {}
    for raw, value in pairs:
        name = raw.decode("latin-1").lower()
        if name in found and name in ("host", "origin", "authorization"):
            raise TurnedAway(HTTPStatus.BAD_REQUEST, f"The header {name} came twice.")
        found[name] = value.decode("latin-1")
    return found


def _check_origin(headers: Mapping[str, str]) -> None:
    """A page in somebody's browser must not reach a server that trusts its network (DNS rebinding)."""
    if not _is_ours(headers.get("host", "")):
        raise TurnedAway(HTTPStatus.MISDIRECTED_REQUEST, "This host is not served here; see ALLOWED_HOSTS.")
    origin = headers.get("origin")
    if origin is not None and not (origin.startswith(("http://", "https://")) and _is_ours(urlsplit(origin).netloc)):
        raise TurnedAway(HTTPStatus.FORBIDDEN, "Pages of this origin may not call; see ALLOWED_HOSTS.")


def _is_ours(host: str) -> bool:
    domain, _port = split_domain_port(host)
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


def _caller(authorization: str) -> Caller:
    try:
        caller = access.verify(access.bearer_token(authorization))
    except TokenRefused as refusal:
        if refusal.code != "missing":  # how every program begins
            audit.refused(refusal.user_id, why="token", what=refusal.code)
        raise _unauthorised(refusal.code) from None
    try:
        limits.count_call(caller.user, client_id=caller.client_id)
    except TooMuch as much:
        headers = {"retry_after": str(much.retry_after)}
        raise TurnedAway(HTTPStatus.TOO_MANY_REQUESTS, str(much), **headers) from None
    if not flags.programs_are_let_in():
        raise TurnedAway(HTTPStatus.SERVICE_UNAVAILABLE, "Programs are switched off here for now.", retry_after=AGAIN)
    return caller


def _unauthorised(code: str) -> TurnedAway:
    logger.warning("a program was not let in", extra={"code": code})
    error = "" if code == "missing" else challenge.INVALID_TOKEN
    header = challenge.challenge(error=error)
    return TurnedAway(HTTPStatus.UNAUTHORIZED, "A token is needed; see WWW-Authenticate.", www_authenticate=header)


async def _body(receive: Receive, *, declared: str) -> bytes:
    too_long = TurnedAway(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The request is too long: at most {MAX_BODY} bytes.")
    if declared.isdigit() and int(declared[:18]) > MAX_BODY:
        raise too_long
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            raise too_long
        if not message.get("more_body", False):
            return bytes(body)


async def _check_scope(caller: Caller, body: bytes) -> None:
    """Say by HTTP which scope is lacking, so that a program can ask its customer for it.

    The path of the call refuses it as well: nothing rests on how this reads the body.
    """
    try:
        asked = json.loads(body)
        method, params = asked["method"], asked.get("params") or {}
        name, arguments = params.get("name"), params.get("arguments")
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return  # the SDK says what is wrong with it
    if not isinstance(method, str) or method in NEEDS_NO_SCOPE or "id" not in asked:
        return
    lacking = access.READ if access.READ not in caller.scopes else ""
    if method == "tools/call" and isinstance(name, str):
        lacking = ""
        if not _is_covered(caller, name):  # the thread and its connection only where there is something to find out
            lacking = await in_thread(_lacking, caller, name, arguments if isinstance(arguments, dict) else {})
    if lacking:
        header = challenge.challenge(error=challenge.INSUFFICIENT_SCOPE, scope=lacking)
        raise TurnedAway(HTTPStatus.FORBIDDEN, f"The token lacks the scope {lacking}.", www_authenticate=header)


def _is_covered(caller: Caller, name: str) -> bool:
    """Whether the token allows what the tool needs, be there such a tool for its customer or not."""
    tool = registry.all_tools().get(name)
    return tool is None or tools.scope_of(tool) in caller.scopes


def _lacking(caller: Caller, name: str, arguments: dict[str, Any]) -> str:
    """The scope that the call needs and the token has not; the call is filed as refused."""
    if tools.is_hidden(caller, name):
        return ""
    tools.step_of(caller, name, arguments)
    return tools.scope_of(registry.all_tools()[name])
