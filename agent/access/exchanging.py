"""Codes and refresh tokens become access tokens; each is good for one exchange.

allauth does it. Here stands what it leaves out: two exchanges at once, and a refresh token that comes a second time.
"""

from datetime import timedelta

from allauth.idp.oidc import views as allauth_views
from allauth.idp.oidc.internal.resources import InvalidTargetError
from allauth.idp.oidc.models import Token
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from agent.access.challenge import resource
from agent.access.clients import GRANTS
from agent.access.connections import end
from agent.errors import ClientRefused

# A program that sends a spent token again so soon did not hear the answer, or runs twice. It asks its customer again.
# Later, somebody else has it: nothing that came of it is good any more (RFC 9700, 4.14.2).
_GRACE = timedelta(minutes=1)
_REMEMBERED = timedelta(days=1)  # how long what has ended is kept, so that a spent token is known when it comes back


def exchange(request: HttpRequest) -> HttpResponse:
    """The answer of the token endpoint. Raises ClientRefused for a grant that nobody is given here."""
    if set(request.POST.getlist("resource")) - {resource()}:
        error = InvalidTargetError("A token is for this site's MCP server alone.")
        return JsonResponse(dict(error.twotuples), status=400)
    grant_type, value = request.POST.get("grant_type", ""), request.POST.get("refresh_token", "")
    _check_grant_type(grant_type)
    is_refresh = grant_type == "refresh_token"
    answer = _refreshed(request, value) if is_refresh and value else allauth_views.token(request)
    if answer.status_code == 200:
        drop_ended()
    return answer


def _check_grant_type(asked: str) -> None:
    """oauthlib knows more grants, and answers for them as if only the password or the secret were wrong."""
    if not asked:
        raise ClientRefused("grant_type is missing.", code="invalid_request")
    if asked not in GRANTS:
        raise ClientRefused(f"grant_type is one of {', '.join(GRANTS)}.", code="unsupported_grant_type")


def drop_ended() -> None:
    """Remove tokens and codes that ended a while ago."""
    Token.objects.filter(expires_at__lt=timezone.now() - _REMEMBERED).delete()


@transaction.atomic
def _refreshed(request: HttpRequest, value: str) -> HttpResponse:
    # Two programs bring one token: the second waits here, and then finds it spent.
    row = Token.objects.select_for_update().by_value(value).filter(type=Token.Type.REFRESH_TOKEN).first()
    if row is not None and _spent_at(row) is not None:
        _end_grant_of_stolen(row)
    answer = allauth_views.token(request)
    if row is not None and answer.status_code == 200:
        # It is expired, so nothing takes it; it is only there to be known again.
        Token.objects.create(
            type=row.type, hash=row.hash, client_id=row.client_id, user_id=row.user_id, expires_at=timezone.now(),
            data={"grant_id": row.get_grant_id(), "spent_at": timezone.now().timestamp()},
        )  # fmt: skip
    return answer


def _spent_at(row: Token) -> float | None:
    return row.data.get("spent_at") if isinstance(row.data, dict) else None


def _end_grant_of_stolen(row: Token) -> None:
    if timezone.now().timestamp() - (_spent_at(row) or 0) > _GRACE.total_seconds():
        of_grant = Token.objects.filter(client_id=row.client_id, user_id=row.user_id, data__grant_id=row.get_grant_id())
        end(of_grant.filter(expires_at__gt=timezone.now()))
