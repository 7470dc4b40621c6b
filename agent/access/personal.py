"""Tokens that customers make for programs of their own: made, found, revoked."""

import hashlib
import re
import secrets
import string
import zlib
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from agent import accounts
from agent.access.scopes import SCOPES
from agent.conf import setting
from agent.errors import BadQuestion, Refusal, TokenRefused
from agent.models import PersonalToken
from agent.untrusted import clean_text

# What a scanner for secrets looks for. The last six characters are a checksum, so that it can tell one from noise.
PREFIX = "csgn_"
SHAPE = re.compile(PREFIX + r"[0-9A-Za-z]{32}[0-9A-Za-z]{6}")
HINT_CHARACTERS = len(PREFIX) + 4
LIFETIMES = (7, 30, 90, 365)  # days

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase


def looks_personal(token: str) -> bool:
    return token.startswith(PREFIX)


def make_token(user: Any, *, name: str, scopes: list[str], days: int) -> tuple[PersonalToken, str]:
    """A new row and the token itself, which nobody can show again.

    Raises BadQuestion for a name, scope or lifetime that there is not, Refusal where the customer has too many.
    """
    name = " ".join(clean_text(name).split())
    if not name or len(name) > 60:
        raise BadQuestion(_("Give the token a name of 1 to 60 characters."))
    if not scopes or not set(scopes) <= set(SCOPES) or days not in LIFETIMES:
        raise BadQuestion(_("Choose what the token may do and how long it is valid."))
    token = _new_value()
    with transaction.atomic():
        # Two forms sent at once wait here for one another, so that neither passes the limit.
        accounts.keep_open(user)
        most = setting("TOKENS_A_CUSTOMER")
        if PersonalToken.objects.filter(_live(), user_id=user.pk).count() >= most:
            raise Refusal(_("You have %(most)s tokens, which is the most. Revoke one first.") % {"most": most})
        row = PersonalToken.objects.create(
            user_id=user.pk,
            name=name,
            hint=token[:HINT_CHARACTERS],
            token_hash=_hash(token),
            scopes=" ".join(scope for scope in SCOPES if scope in scopes),
            expires_at=timezone.now() + timedelta(days=days),
        )
    return row, token


def revoke_token(user: Any, *, pk: int) -> None:
    """From now on it opens nothing. A second time, and for a stranger's, nothing changes."""
    PersonalToken.objects.filter(pk=pk, user_id=user.pk, revoked_at=None).update(revoked_at=timezone.now())


def find_token(token: str) -> PersonalToken:
    """The row of a token that is good now, its use noted. Raises TokenRefused."""
    if not SHAPE.fullmatch(token) or token[-6:] != _checksum(token[:-6]):
        raise TokenRefused("unknown")
    row = PersonalToken.objects.select_related("user").filter(token_hash=_hash(token)).first()
    if row is None:
        raise TokenRefused("unknown")
    if row.revoked_at:
        raise TokenRefused("revoked", user_id=row.user_id)
    if row.is_expired:
        raise TokenRefused("expired", user_id=row.user_id)
    if not row.user.is_active:
        raise TokenRefused("inactive_user", user_id=row.user_id)
    _note_use(row)
    return row


def _live() -> Q:
    return Q(revoked_at=None, expires_at__gt=timezone.now())


def _note_use(row: PersonalToken) -> None:
    today = timezone.localdate()
    if row.last_used_on != today:
        PersonalToken.objects.filter(pk=row.pk).update(last_used_on=today)


def _new_value() -> str:
    body = PREFIX + "".join(secrets.choice(_ALPHABET) for _ in range(32))
    return body + _checksum(body)


def _checksum(body: str) -> str:
    number, written = zlib.crc32(body.encode()), ""
    for _place in range(6):
        number, digit = divmod(number, len(_ALPHABET))
        written = _ALPHABET[digit] + written
    return written


def _hash(token: str) -> str:
    """190 random bits need no slow hash: nobody can try them."""
    return hashlib.sha256(token.encode()).hexdigest()
