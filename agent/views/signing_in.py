"""When this session last proved who it is, and the way to prove it again."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from django.http import HttpRequest


def signed_in_at(request: HttpRequest) -> datetime | None:
    """The last sign-in of this session by a password, a code or a second factor; None where the session has none."""
    user: Any = request.user
    times = [record["at"] for record in get_authentication_records(request, user) if "at" in record]
    return datetime.fromtimestamp(max(times), tz=UTC) if times else None


def way_to_sign_in_again(request: HttpRequest) -> str:
    """The address at which this account can prove itself, and come back to this page; empty: it has no means."""
    ways = get_adapter(request).get_reauthentication_methods(request.user)
    return f"{ways[0]['url']}?{urlencode({'next': request.path})}" if ways else ""
