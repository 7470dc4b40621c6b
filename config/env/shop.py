"""The shop: its name and currency, what a refund may be, and who is told."""

from importlib.util import find_spec
from typing import Any

from babel.numbers import is_currency
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from config.env.reader import Reader

# What refunds may be beside what was paid, in minor units: one, those of an order, those of a customer in 30 days
# (sum and number). A shop that sets none has the first alone.
REFUND_LIMITS: dict[str, int | None] = {
    "REFUND_LIMIT_MINOR": 50_000,
    "REFUND_LIMIT_ORDER_MINOR": None,
    "REFUND_LIMIT_CUSTOMER_MINOR": None,
    "REFUND_LIMIT_CUSTOMER_COUNT": None,
}


def read(reader: Reader) -> dict[str, Any]:
    return {
        "shop_name": reader.text("SHOP_NAME", "Countersign"),
        "shop_currency": _currency(reader),
        "stripe_api_key": _stripe_key(reader),
        "stripe_base_url": reader.url("STRIPE_BASE_URL", {"http", "https"}),
        "refund_limits": {name: reader.limit(name, default) for name, default in REFUND_LIMITS.items()},
        "refund_cosign_minor": reader.limit("REFUND_COSIGN_MINOR", None),
        "refund_reauthenticate_minor": reader.limit("REFUND_REAUTHENTICATE_MINOR", None),
        "staff_email": _address(reader, "STAFF_EMAIL"),
        "answer_hours": reader.text("ANSWER_HOURS"),
        "retention_automatic": reader.flag("RETENTION_AUTOMATIC"),
    }


def _currency(reader: Reader) -> str:
    currency = reader.text("SHOP_CURRENCY", "EUR")
    if not is_currency(currency):
        reader.problems.append(f"SHOP_CURRENCY is {currency!r}: write a code like EUR.")
    return currency


def _stripe_key(reader: Reader) -> str:
    """The key, where the package that it is for is installed too."""
    key = reader.text("STRIPE_API_KEY")
    if key and find_spec("stripe") is None:
        reader.problems.append(
            "STRIPE_API_KEY is set, but Stripe's package is missing: install it with `pip install 'stripe>=16,<17'`."
        )
    return key


def _address(reader: Reader, name: str) -> str:
    address = reader.text(name)
    try:
        validate_email(address or "nobody@example.com")
    except ValidationError:
        reader.problems.append(f"{name} is {address!r}: write an e-mail address.")
    return address
