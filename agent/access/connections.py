"""The programs that a customer let in, as long as one of their tokens is good."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.idp.oidc.models import Client, Token
from django.db.models import QuerySet

from agent.access.redirects import Landing, landing
from agent.access.scopes import PROPOSE


@dataclass(frozen=True)
class Connection:
    """One program of one customer's. `used_at`: when it last fetched a token, as it does each quarter of an hour."""

    client_id: str
    name: str
    landing: Landing
    can_propose: bool
    used_at: datetime
    ends_at: datetime | None


def connections_of(user: Any) -> list[Connection]:
    """The customer's, the one used last first."""
    tokens = Token.objects.valid().filter(
        user_id=user.pk, client__isnull=False, type__in=[Token.Type.ACCESS_TOKEN, Token.Type.REFRESH_TOKEN]
    )
    held: dict[str, list[Token]] = {}
    for token in tokens.select_related("client"):
        held.setdefault(token.client_id, []).append(token)
    found = [_connection(tokens[0].client, tokens) for tokens in held.values()]
    return sorted(found, key=lambda each: each.used_at, reverse=True)


def disconnect(user: Any, *, client_id: str) -> None:
    """From now on none of the program's tokens for this customer opens anything. A second time nothing changes."""
    end(Token.objects.filter(user_id=user.pk, client_id=client_id))


def end(tokens: QuerySet[Token]) -> None:
    """Remove them all, and those that one of them is being exchanged for in this moment."""
    # Such an exchange is waited for. It may leave nothing of what was to be deleted: only another look sees what came.
    while tokens.all().exists():
        tokens.delete()


def _connection(client: Client, tokens: list[Token]) -> Connection:
    ends = [token.expires_at for token in tokens if token.expires_at]
    return Connection(
        client_id=client.pk,
        name=client.name,
        landing=landing(client.get_redirect_uris()[0]),
        can_propose=any(PROPOSE in token.get_scopes() for token in tokens),
        used_at=max(token.created_at for token in tokens),
        ends_at=max(ends, default=None),
    )
