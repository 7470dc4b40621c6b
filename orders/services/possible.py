"""What a customer could do with an order at this moment."""

from dataclasses import dataclass

from billing import selectors as ledger
from billing.limits import refund_limit_minor
from orders.models import Order


@dataclass(frozen=True)
class Possible:
    """The open ways, as the services would allow them now."""

    cancel: bool
    refund_minor: int  # the most that one refund could be; 0 where nothing is left


def can_do_now(order: Order) -> Possible:
    """Reads only. Whatever it says is checked again, under lock, by the service that does it."""
    left, limit = ledger.standing(order.account).left_minor, refund_limit_minor()
    return Possible(
        cancel=order.status == Order.Status.PENDING,
        refund_minor=left if limit is None else min(left, limit),
    )
