"""Where money goes back: the books alone, or a payment provider. Chosen for each kind of payment method:

    BILLING["GATEWAYS"] = {"credit_card": "stripe"}     # whatever is not named is the ledger's

A value is a name from below or the dotted path of a class of the shop's own that keeps `base.Gateway`.
"""

from django.conf import settings
from django.utils.module_loading import import_string

from billing.gateways.base import Gateway, Outcome, Status

__all__ = ["Gateway", "Outcome", "Status", "gateway_name", "gateway_named", "is_outside"]

LEDGER = "ledger"
KNOWN = {LEDGER: "billing.gateways.ledger.LedgerGateway", "stripe": "billing.gateways.stripe.StripeGateway"}


def gateway_name(kind: str) -> str:
    """Which gateway serves this kind of payment method."""
    return settings.BILLING.get("GATEWAYS", {}).get(kind, LEDGER)


def is_outside(kind: str) -> bool:
    """Whether money of this kind moves only when a payment provider moves it."""
    return _class(gateway_name(kind)).is_outside


def gateway_named(name: str) -> Gateway:
    """Made anew for each use; nothing is sent by making one. Raises ImproperlyConfigured, ImportError."""
    return _class(name)()


def _class(name: str) -> type[Gateway]:
    return import_string(KNOWN.get(name, name))
