"""Who calls from outside the site, and what they may do.

Whoever comes through `agent.mcp` is a `Caller`: a customer, and the program that acts for them. A token never opens
more than its customer could do in the chat, and never confirms.
"""

from dataclasses import dataclass
from typing import Any

from agent.access import personal
from agent.access.scopes import PROPOSE as PROPOSE
from agent.access.scopes import READ as READ
from agent.errors import TokenRefused as TokenRefused


@dataclass(frozen=True)
class Caller:
    """A customer, and the program that acts for them. `subject` names the customer outside, and never changes."""

    user: Any
    client_id: str
    client_name: str
    scopes: frozenset[str]
    subject: str


def verify(token: str) -> Caller:
    """Whose token this is. Synchronous. Raises TokenRefused for every token that is not good here and now."""
    if personal.looks_personal(token):
        row = personal.find_token(token)
        return Caller(row.user, f"personal:{row.pk}", row.name, frozenset(row.scopes.split()), str(row.user_id))
    # Imported here, with what it brings: a command that knows no caller does not need it.
    from agent.access import granted

    grant = granted.find_token(token)
    return Caller(grant.user, grant.client.pk, grant.client.name, frozenset(grant.get_scopes()), str(grant.user_id))


def bearer_token(authorization: str) -> str:
    """The token in an Authorization header, the only place where one is taken. Raises TokenRefused ("missing")."""
    scheme, _space, token = authorization.strip().partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise TokenRefused("missing")
    return token
