"""Books to test with."""

from django.contrib.auth.models import User

from billing import services
from billing.models import Account, PaymentMethod


def card(user: User, *, last4: str = "4242") -> PaymentMethod:
    """A credit card of the user's."""
    return PaymentMethod.objects.create(
        customer=user, public_id=f"credit_card_{last4}", kind="credit_card", brand="visa", last4=last4
    )


def gift_card(user: User, *, holds: int, number: int = 5107) -> PaymentMethod:
    """A gift card of the user's, with that many cents on it."""
    return services.open_gift_card(user, public_id=f"gift_card_{number}", amount_minor=holds)


def account_paid(user: User, *payments: tuple[PaymentMethod, int]) -> Account:
    """An account with these payments on it, oldest first."""
    account = services.open_account(user)
    for method, amount_minor in payments:
        services.pay(account, amount_minor=amount_minor, method=method)
    return account
