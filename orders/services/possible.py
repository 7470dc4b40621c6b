"""What a customer could do with an order at this moment."""

from dataclasses import dataclass

from billing import selectors as books
from orders.models import Order


@dataclass(frozen=True)
class Possible:
    """The open ways, as the services would allow them now."""

    cancel: bool
    refund_minor: int  # what is left on the order; 0 where nothing is


def can_do_now(order: Order) -> Possible:
    """Reads only. Whatever it says is checked again, under lock, by the service that does it."""
    return Possible(
        cancel=order.status == Order.Status.PENDING,
        refund_minor=books.standing(order.account).left_minor,
    )
