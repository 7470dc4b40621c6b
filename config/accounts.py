"""How people come in: customers are imported with the shop, nobody signs up here; staff bring a second factor."""

import logging
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from asgiref.sync import iscoroutinefunction
from django.contrib.admin import AdminSite
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import sync_and_async_middleware
from django.utils.safestring import SafeString, mark_safe

from agent import audit, policies

logger = logging.getLogger(__name__)

COME_BACK_SECONDS = 60  # the longest of ACCOUNT_RATE_LIMITS but the failed sign-ins of one account


class ShopAccounts(DefaultAccountAdapter):
    """allauth's ways, without the door for strangers."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False


class ShopSecondFactor(DefaultMFAAdapter):
    """allauth's second factor, its picture to scan fit to stand within a page: the policy allows no data: address."""

    def build_totp_svg(self, url: str) -> SafeString:
        drawing = super().build_totp_svg(url)
        return mark_safe(drawing[drawing.index("<svg") :])  # noqa: S308 - drawn here; the account's name is in its squares


class StaffSite(AdminSite):
    """The admin, for staff who have proved who they are as the review wants it; one sign-in page for all."""

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and policies.is_proven(request.user)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """A look at one row, of whatever table, leaves a line in the log, as a look at a run under /staff/ does."""
        guarded = super().admin_view(view, cacheable)

        @wraps(guarded)
        def noted(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            answer = guarded(request, *args, **kwargs)
            if "object_id" in kwargs and request.resolver_match and answer.status_code == 200:
                looked_at = f"{request.resolver_match.url_name}:{kwargs['object_id']}"
                logger.info("staff looked at a row", extra={"looked_at": looked_at, "reviewer": request.user.pk})
            return answer

        return noted

    def login(self, request: HttpRequest, extra_context: dict | None = None) -> HttpResponse:
        """Nobody signs in here: Django's own form asks for no second factor and counts no failed passwords."""
        if not request.user.is_authenticated:
            return redirect_to_login(request.GET.get(REDIRECT_FIELD_NAME) or reverse("admin:index"))
        if self.has_permission(request):
            return redirect("admin:index")
        if super().has_permission(request):
            audit.refused(request.user.pk, why="second_factor", what="admin")
            return redirect("mfa_index")
        audit.refused(request.user.pk, why="permission", what="admin")
        return render(request, "403.html", status=403)


def keep_failed_code(user: Any, **_: Any) -> None:
    """A wrong code of the second factor is a row of the audit; the password had been right."""
    audit.refused(user.pk, why="wrong_code", what="second factor")


Handler = Callable[[HttpRequest], HttpResponse | Awaitable[HttpResponse]]


@sync_and_async_middleware
def say_when_to_come_back(get_response: Handler) -> Handler:
    """A 429 of the sign-in says how long to wait, as those of the agent do."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponse:
            return _with_time(await get_response(request))

        return answer_later

    def answer(request: HttpRequest) -> HttpResponse:
        return _with_time(get_response(request))  # type: ignore[arg-type]

    return answer


def _with_time(response: HttpResponse) -> HttpResponse:
    if response.status_code == 429:
        response.headers.setdefault("Retry-After", str(COME_BACK_SECONDS))
    return response
