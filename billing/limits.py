"""What the shop allows beyond what was paid. Checked by the services, in the transaction of the effect.

Each limit is a key of settings.BILLING; one that is missing or None does not hold.
"""

from dataclasses import dataclass

from django.conf import settings

from billing.errors import (
    BadAmount,
    RefundOverCustomerLimit,
    RefundOverLimit,
    RefundOverOrderLimit,
    TooManyRefunds,
)
from billing.money import shown

CUSTOMER_DAYS = 30
CALL = "REFUND_LIMIT_MINOR"
ORDER = "REFUND_LIMIT_ORDER_MINOR"
CUSTOMER = "REFUND_LIMIT_CUSTOMER_MINOR"
CUSTOMER_COUNT = "REFUND_LIMIT_CUSTOMER_COUNT"


@dataclass(frozen=True)
class Given:
    """What was given back already, on request: on this order, and to its customer within CUSTOMER_DAYS."""

    order_minor: int = 0
    customer_minor: int = 0
    customer_count: int = 0


def check_limits(amount_minor: int, *, currency: str, given: Given) -> None:
    """Raises BadAmount, RefundOverLimit, RefundOverOrderLimit, TooManyRefunds, RefundOverCustomerLimit."""
    if amount_minor <= 0:
        raise BadAmount
    count = _limit(CUSTOMER_COUNT)
    if count is not None and given.customer_count >= count:
        raise TooManyRefunds(limit=count)
    for name, spent, error in (
        (CALL, 0, RefundOverLimit),
        (ORDER, given.order_minor, RefundOverOrderLimit),
        (CUSTOMER, given.customer_minor, RefundOverCustomerLimit),
    ):
        limit = _limit(name)
        if limit is not None and amount_minor > limit - spent:
            words = {"limit": limit, "left": max(0, limit - spent), "asked": amount_minor}
            raise error(**{key: shown(value, currency=currency) for key, value in words.items()})


def count_what_was_given() -> bool:
    """Whether any limit looks at more than the amount: where none does, nobody has to ask the books for it."""
    return any(_limit(name) is not None for name in (ORDER, CUSTOMER, CUSTOMER_COUNT))


def within_limits(amount_minor: int, *, given: Given) -> int:
    """As much of the amount as `check_limits` would let pass at once; 0 where it lets nothing pass."""
    count = _limit(CUSTOMER_COUNT)
    if count is not None and given.customer_count >= count:
        return 0
    spent = {CALL: 0, ORDER: given.order_minor, CUSTOMER: given.customer_minor}
    left = [limit - spent[name] for name in spent if (limit := _limit(name)) is not None]
    return max(0, min([amount_minor, *left]))


def _limit(name: str) -> int | None:
    return settings.BILLING.get(name)
