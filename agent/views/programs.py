"""The customer's page about programs that may act for them: their tokens, made, shown once and revoked."""

import re

from allauth.account.decorators import reauthentication_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from agent import limits, selectors
from agent.access import connections, personal
from agent.access.challenge import resource
from agent.access.scopes import PROPOSE, READ
from agent.conf import setting
from agent.errors import BadQuestion, Refusal
from agent.views.answers import for_customers

ROW_ID = re.compile(r"[0-9]{1,18}")


@require_http_methods(["GET", "HEAD", "POST"])
@for_customers
def programs(request: HttpRequest) -> HttpResponse:
    """Every app and token that acts for the customer. A POST takes one away; a stranger's does nothing."""
    if request.method == "POST":
        limits.count_decision(request.user)
        _take_away(request)
        return redirect("agent:programs")
    context = {
        "connections": connections.connections_of(request.user),
        "tokens": selectors.tokens_of(request.user),
        "resource": resource(),
    }
    return render(request, "agent/programs.html", context)


def _take_away(request: HttpRequest) -> None:
    token, app = request.POST.get("revoke", ""), request.POST.get("disconnect", "")
    if app and "\0" not in app:
        connections.disconnect(request.user, client_id=app)
    elif ROW_ID.fullmatch(token):
        personal.revoke_token(request.user, pk=int(token))
    else:
        raise BadQuestion(_("The form must say what is to be revoked. Nothing was changed."))


@require_http_methods(["GET", "HEAD", "POST"])
@for_customers
def token_new(request: HttpRequest) -> HttpResponse:
    """The form; and, once the customer has proved again who they are, the token, this one time."""
    return _token_made(request) if request.method == "POST" else _form(request)


@reauthentication_required
def _token_made(request: HttpRequest) -> HttpResponse:
    limits.count_decision(request.user)
    days = request.POST.get("days", "")
    try:
        row, token = personal.make_token(
            request.user,
            name=request.POST.get("name", ""),
            scopes=request.POST.get("scopes", "").split(),
            days=int(days) if ROW_ID.fullmatch(days) else 0,
        )
    except BadQuestion as error:
        return _form(request, status=400, problem=str(error))
    except Refusal as error:
        return _form(request, status=409, problem=str(error))
    return render(request, "agent/token_made.html", {"row": row, "token": token, "resource": resource()})


def _form(request: HttpRequest, *, status: int = 200, problem: str = "") -> HttpResponse:
    context = {
        "problem": problem,
        "name": request.POST.get("name", ""),
        "chosen_scopes": request.POST.get("scopes", READ),
        "chosen_days": request.POST.get("days", "90"),
        "choices": (
            (READ, _("Look things up: your orders, what happened to them, help articles")),
            (
                f"{READ} {PROPOSE}",
                _("Look things up, ask our staff, and prepare changes, which wait here for you to confirm"),
            ),
        ),
        "lifetimes": [(str(days), _lifetime(days)) for days in personal.LIFETIMES],
        "most": setting("TOKENS_A_CUSTOMER"),
    }
    return render(request, "agent/token_new.html", context, status=status)


def _lifetime(days: int) -> str:
    return _("1 year") if days == 365 else _("%(days)d days") % {"days": days}
