"""A program asks a customer for access (OAuth 2.1, authorization code with PKCE): what it asks, and the answer.

The rules of the protocol are oauthlib's and allauth's. Here stand the ones of this site: one resource, two scopes,
public programs only, and every answer names its issuer (RFC 9207).
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from allauth.idp.oidc.internal.oauthlib.server import get_server
from allauth.idp.oidc.internal.oauthlib.utils import get_validator_context
from allauth.idp.oidc.models import Client
from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from oauthlib.common import add_params_to_uri
from oauthlib.oauth2.rfc6749.errors import FatalClientError, OAuth2Error

from agent import flags
from agent.access.challenge import resource
from agent.access.clients import client_named
from agent.access.redirects import with_any_port
from agent.access.scopes import PROPOSE, READ, SCOPES
from agent.errors import AuthorizationRefused, ClientRefused

# Of what a program sends, only this is read. It cannot ask for an ID token, for silence, or for another way to answer.
_PARAMETERS = (
    "response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method",
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A good request of a program that is known. `uri` says it again, cleaned, and is answered as it stands."""

    client: Client
    scopes: tuple[str, ...]
    redirect_uri: str
    state: str
    uri: str


def read_request(request: HttpRequest) -> Asked:
    """What the program asks of the signed-in customer. Raises AuthorizationRefused, TooMuch."""
    if not flags.programs_are_let_in():
        raise AuthorizationRefused(_("No program can be connected for now: the shop has switched that off."))
    parameters = _parameters(request.GET)
    client = _client(parameters.get("client_id", ""), asked_uri=parameters.get("redirect_uri", ""), user=request.user)
    get_validator_context().clients[client.pk] = client
    uri = f"{request.path}?{urlencode(parameters)}"
    try:
        scopes, _info = get_server().validate_authorization_request(uri, "GET", "", {})
    except FatalClientError:
        raise AuthorizationRefused(_("The program asked to be answered at an address that is not its own.")) from None
    except OAuth2Error as error:
        raise AuthorizationRefused(str(error.description), location=_answer(error.in_uri(error.redirect_uri))) from None
    asked = Asked(client, tuple(scopes), parameters["redirect_uri"], parameters.get("state", ""), uri)
    if set(request.GET.getlist("resource")) - {resource()}:
        raise AuthorizationRefused("another resource", location=_error(asked, "invalid_target"))
    return asked


def grant(asked: Asked, *, user: Any, propose: bool) -> str:
    """Let the program in, to propose only where the customer said so; returns where to send the browser."""
    scopes = [scope for scope in asked.scopes if propose or scope != PROPOSE] or [READ]
    get_validator_context().requested_resources = [resource()]
    headers, _body, _status = get_server().create_authorization_response(
        asked.uri, "GET", "", {}, scopes=scopes, credentials={"user": user}
    )
    return _answer(headers["Location"])


def deny(asked: Asked) -> str:
    """Where to send the browser with a no."""
    return _error(asked, "access_denied")


def _parameters(query: QueryDict) -> dict[str, str]:
    """What is read of the query. A scope that there is not is left out, as RFC 6749 (3.3) allows; none means all."""
    if any("\0" in value or len(query.getlist(name)) > 1 for name in _PARAMETERS for value in query.getlist(name)):
        raise AuthorizationRefused(_("The program's request cannot be read."))
    parameters = {name: str(query[name]) for name in _PARAMETERS if name in query}
    asked = parameters.pop("scope", "").split()
    if asked:
        parameters["scope"] = " ".join([scope for scope in SCOPES if scope in asked] or asked)
    return parameters


def _client(client_id: str, *, asked_uri: str, user: Any) -> Client:
    try:
        client = client_named(client_id, user=user)
    except ClientRefused as error:
        raise AuthorizationRefused(str(error)) from None
    if client is None or client.type != Client.Type.PUBLIC:
        raise AuthorizationRefused(_("This program is not known here. Let it connect anew."))
    client.set_redirect_uris(with_any_port(client.get_redirect_uris(), asked=asked_uri))  # for this request alone
    return client


def _error(asked: Asked, code: str) -> str:
    return _answer(add_params_to_uri(asked.redirect_uri, _with_state(asked, error=code)))


def _with_state(asked: Asked, **parameters: str) -> list[tuple[str, str]]:
    return [*parameters.items(), *([("state", asked.state)] if asked.state else [])]


def _answer(location: str) -> str:
    return str(add_params_to_uri(location, [("iss", settings.PUBLIC_URL)]))
