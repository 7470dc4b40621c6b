"""How a password is checked."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth import get_user_model
from django.http import HttpRequest


class OneLook(AuthenticationBackend):
    """allauth's check, at one price for accounts that are there and that are not.

    By itself it takes what looks like an e-mail address for a user name too and hashes the password for both where
    the account exists, which a clock can tell from one that does not.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> Any:
        email, name = credentials.get("email"), credentials.get("username")
        if email and name and not get_user_model().objects.filter(username=name).exists():
            del credentials["username"]
        return super().authenticate(request, **credentials)
