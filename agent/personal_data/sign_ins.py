"""The account itself: how its person signs in, and what ends when they are forgotten."""

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session


def addresses(user: Any) -> list[str]:
    """Every e-mail address of the account."""
    known = EmailAddress.objects.filter(user_id=user.pk).values_list("email", flat=True)
    return sorted({*known, user.email} - {""})


def end_all(user: Any) -> int:
    """Delete the account's sessions; who holds one is signed out at the next request. Returns how many."""
    theirs = [row.pk for row in Session.objects.iterator() if row.get_decoded().get(SESSION_KEY) == str(user.pk)]
    return Session.objects.filter(pk__in=theirs).delete()[0]


def forget(user: Any) -> int:
    """Leave the number of the account and nothing else. Nobody signs in with it any more."""
    user.username = f"erased-{user.pk}"
    user.email = user.first_name = user.last_name = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
    return 1
