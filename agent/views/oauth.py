"""The authorization server: what it says of itself, the customer's consent, and the addresses that programs call."""

import json
from functools import wraps
from typing import Any

from allauth.idp.oidc import views as allauth_views
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import RawPostDataException
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agent import limits
from agent.access import clients, connections, granting
from agent.access.challenge import resource
from agent.access.exchanging import exchange
from agent.access.redirects import landing
from agent.access.scopes import PROPOSE, READ, SCOPES
from agent.conf import setting
from agent.errors import AuthorizationRefused, BadQuestion, ClientRefused, TooMuch
from agent.views.answers import View, for_customers, refusal

ALLOW, DENY = "allow", "deny"


@require_safe
def resource_metadata(request: HttpRequest) -> HttpResponse:
    """What the MCP server is and who lets programs in (RFC 9728)."""
    return _published(
        {
            "resource": resource(),
            "authorization_servers": [settings.PUBLIC_URL],
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
            "resource_name": setting("SHOP_NAME"),
        }
    )


@require_safe
def server_metadata(request: HttpRequest) -> HttpResponse:
    """What the authorization server can do (RFC 8414)."""
    metadata: dict[str, Any] = {
        "issuer": settings.PUBLIC_URL,
        "authorization_endpoint": _absolute("oauth:authorize"),
        "token_endpoint": _absolute("oauth:token"),
        "revocation_endpoint": _absolute("oauth:revoke"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": list(clients.GRANTS),
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "scopes_supported": list(SCOPES),
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": setting("MCP_CLIENTS") != clients.LISTED,
        "ui_locales_supported": [code for code, _name in settings.LANGUAGES],
    }
    if setting("MCP_CLIENTS") == clients.ANYBODY:
        metadata["registration_endpoint"] = _absolute("oauth:register")
    return _published(metadata)


@require_http_methods(["GET", "HEAD", "POST"])
@for_customers
def authorize(request: HttpRequest) -> HttpResponse:
    """GET shows who asks for what; POST answers for the customer and sends the browser back to the program."""
    try:
        asked = granting.read_request(request)
    except AuthorizationRefused as error:
        return _sent(error.location) if error.location else refusal(request, status=400, sentence=str(error))
    if request.method != "POST":
        return _consent(request, asked)
    limits.count_decision(request.user)
    decision = request.POST.get("decision", "")
    if decision not in (ALLOW, DENY):
        raise BadQuestion(_("The form must say yes or no. Nothing was changed."))
    if decision == DENY:
        return _sent(granting.deny(asked))
    return _sent(granting.grant(asked, user=request.user, propose=PROPOSE in request.POST.getlist("scope")))


def _consent(request: HttpRequest, asked: granting.Asked) -> HttpResponse:
    place = landing(asked.redirect_uri)
    known = [each for each in connections.connections_of(request.user) if each.client_id == asked.client.pk]
    context = {
        "client": asked.client,
        "document": asked.client.pk if asked.client.pk.startswith("https://") else "",
        "landing": place,
        "reads": READ in asked.scopes,
        "proposes": PROPOSE in asked.scopes,
        "keeps_propose": not known or known[0].can_propose,
        "known": known[0] if known else None,
    }
    response = render(request, "agent/consent.html", context)
    # A browser follows the form to the program only where the policy of this page says so.
    response._csp_update = {"form-action": [place.csp_source]}  # type: ignore[attr-defined]
    return response


def _sent(location: str) -> HttpResponse:
    """Not Django's redirect: that one knows no app's own scheme."""
    return HttpResponse(status=302, headers={"Location": location})


def for_programs(view: View) -> View:
    """An address that programs call: no session, no form token, errors as OAuth writes them, no copy kept."""

    @csrf_exempt
    @require_POST
    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        try:
            response = _bad("invalid_request", "NUL") if _holds_nul(request) else view(request)
        except ClientRefused as error:
            response = _bad(error.code, str(error))
        except TooMuch as error:
            response = _bad("temporarily_unavailable", "Too many requests.", status=429)
            response["Retry-After"] = str(error.retry_after)
        response["Cache-Control"] = "no-store"
        return response

    return answer


@for_programs
def token(request: HttpRequest) -> HttpResponse:
    """A code or a refresh token for an access token."""
    return exchange(request)


@for_programs
def revoke(request: HttpRequest) -> HttpResponse:
    """A program gives a token back (RFC 7009)."""
    return allauth_views.revoke(request)


@for_programs
def register(request: HttpRequest) -> HttpResponse:
    """A program makes itself known (RFC 7591), where the shop lets anybody do so."""
    if setting("MCP_CLIENTS") != clients.ANYBODY:
        return _bad("access_denied", "Programs are not registered here by themselves.", status=403)
    try:
        metadata = json.loads(request.body)
    except (ValueError, RecursionError, RawPostDataException):  # the last: it was sent as a form with files
        metadata = None
    client = clients.register(metadata, address=request.META.get("REMOTE_ADDR", ""))
    return JsonResponse(clients.registered(client), status=201)


def _holds_nul(request: HttpRequest) -> bool:
    return any("\0" in value for values in request.POST.lists() for value in values[1])


def _bad(error: str, description: str, *, status: int = 400) -> HttpResponse:
    return JsonResponse({"error": error, "error_description": description}, status=status)


def _absolute(name: str) -> str:
    return settings.PUBLIC_URL + reverse(name)


def _published(document: dict[str, Any]) -> HttpResponse:
    """Anybody may read it, a program in a browser too, and keep it for a few minutes."""
    return JsonResponse(document, headers={"Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=300"})
