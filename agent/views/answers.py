"""What every page of the agent keeps to: who may see it, how it says no, and that nothing keeps a copy.

The same address serves a person and a program: `Accept: application/json` gets the same truth as JSON.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agent import audit, policies
from agent.errors import BadQuestion, NotFound, TooMuch

View = Callable[..., HttpResponse]


def wants_json(request: HttpRequest) -> bool:
    """Whether the caller prefers JSON; a browser, and whoever does not say, gets a page."""
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def refusal(request: HttpRequest, *, status: int, sentence: str) -> HttpResponse:
    """A no with its reason: the error page of that status, or {"error": sentence}."""
    if wants_json(request):
        return JsonResponse({"error": sentence}, status=status)
    return render(request, f"{status}.html", {"sentence": sentence}, status=status)


def for_customers(view: View) -> View:
    """A page of the customer's own. Signed out: to the sign-in and back; JSON: 401. Anybody else's row: 404."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return _kept_private(_answer_customer(view, request, *args, **kwargs))

    return answer


def for_reviewers(view: View) -> View:
    """A page for staff who hold the permission to review. Everybody else gets the same 403 for every address."""
    return _for_staff(view, policies.REVIEW, sentence=gettext_lazy("This page is for staff who may review runs."))


def for_cosigners(view: View) -> View:
    """A page for staff who may give the second signature. Everybody else gets the same 403 for every address."""
    sentence = gettext_lazy("This page is for staff who may approve what customers confirmed.")
    return _for_staff(view, policies.COSIGN, sentence=sentence)


def _for_staff(view: View, permission: str, *, sentence: Promise) -> View:
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated and not policies.may_as_staff(request.user, permission):
            _keep_refusal(request, why="permission")
            return _kept_private(refusal(request, status=403, sentence=str(sentence)))
        if request.user.is_authenticated and not policies.is_proven(request.user):
            _keep_refusal(request, why="second_factor")
            return _kept_private(_second_factor_first(request))
        return _kept_private(_answer_customer(view, request, *args, **kwargs))

    return answer


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What is refused elsewhere, as in the admin: the page of every 403, and a row of the audit."""
    if request.user.is_authenticated:
        _keep_refusal(request, why="permission")
    return render(request, "403.html", status=403)


def _keep_refusal(request: HttpRequest, *, why: str) -> None:
    match = request.resolver_match
    audit.refused(request.user.pk, why=why, what=match.view_name if match else "")


def _second_factor_first(request: HttpRequest) -> HttpResponse:
    sentence = _("Staff need a second factor here. Set one up first, then come back.")
    if wants_json(request):
        return JsonResponse({"error": sentence}, status=403)
    messages.warning(request, sentence)
    return redirect("mfa_index")


def _answer_customer(view: View, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    if not request.user.is_authenticated:
        return _signed_out(request)
    try:
        return view(request, *args, **kwargs)
    except NotFound:
        return refusal(request, status=404, sentence=_("There is nothing here for this account."))
    except BadQuestion as error:
        return refusal(request, status=400, sentence=str(error))
    except TooMuch as error:
        response = refusal(request, status=429, sentence=str(error))
        response["Retry-After"] = str(error.retry_after)
        return response


def _signed_out(request: HttpRequest) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"error": _("Sign in first.")}, status=401)
    # A form's own address may have no page to come back to; the confirmation page has.
    match = request.resolver_match
    has_page = request.method in ("GET", "HEAD") or (match is not None and match.view_name == "agent:action")
    return redirect_to_login(request.get_full_path() if has_page else reverse("agent:home"))


def _kept_private(response: HttpResponse) -> HttpResponse:
    patch_cache_control(response, no_store=True, private=True)
    patch_vary_headers(response, ["Accept", "Cookie"])
    response["X-Robots-Tag"] = "noindex"
    return response
