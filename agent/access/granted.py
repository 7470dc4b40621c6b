"""Access tokens that came of a customer's grant: found, and good for this site's MCP server alone."""

import re

from allauth.idp.oidc.models import Token
from django.utils import timezone

from agent.access.challenge import resource
from agent.errors import TokenRefused

_SHAPE = re.compile(r"[A-Za-z0-9_-]{40,200}")
_SIGNED = re.compile(r"ey[A-Za-z0-9_=-]*\.[A-Za-z0-9_=-]*\.[A-Za-z0-9_=-]*")


def find_token(value: str) -> Token:
    """The row of a token that is good now. Raises TokenRefused."""
    if _SIGNED.fullmatch(value):
        # No token of this site is signed: this is an ID token, or another issuer's.
        raise TokenRefused("signed")
    row = Token.objects.by_value(value).select_related("user", "client").first() if _SHAPE.fullmatch(value) else None
    if row is None or row.user is None or row.client is None:
        raise TokenRefused("unknown")
    if row.type != Token.Type.ACCESS_TOKEN:
        raise TokenRefused("no_access_token", user_id=row.user_id)
    if row.expires_at is None or row.expires_at <= timezone.now():
        raise TokenRefused("expired", user_id=row.user_id)
    if row.get_resources() != [resource()]:
        raise TokenRefused("foreign_audience", user_id=row.user_id)
    if not row.user.is_active:
        raise TokenRefused("inactive_user", user_id=row.user_id)
    return row
