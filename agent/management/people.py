"""Whom a command is about."""

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.core.management.base import CommandError
from django.db.models import Q


def person(who: str) -> Any:
    """The one account with that user name or e-mail address. Raises CommandError for none and for several."""
    by_address = EmailAddress.objects.filter(email__iexact=who).values("user_id")
    found = list(get_user_model().objects.filter(Q(username=who) | Q(email__iexact=who) | Q(pk__in=by_address))[:2])
    if not found:
        raise CommandError(f"There is nobody called {who}.")
    if len(found) > 1:
        raise CommandError(f"{who} is more than one person: give the user name.")
    return found[0]
