"""How customers come in: they are imported with the shop, nobody signs up here."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ShopAccounts(DefaultAccountAdapter):
    """allauth's ways, without the door for strangers."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
