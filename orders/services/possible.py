"""What a customer could do with an order at this moment."""

from dataclasses import dataclass

from billing import selectors as ledger
from billing.limits import Given, count_what_was_given, within_limits
from billing.selectors import Standing
from orders.models import Order
from orders.selectors import promised_minor


@dataclass(frozen=True)
class Possible:
    """The open ways, as the services would allow them now."""

    cancel: bool
    change: bool  # items, payment method and address
    send_back: bool  # return or exchange
    refund_minor: int  # the most that one refund could be; 0 where nothing is left

    def actions(self) -> dict[str, bool]:
        """By the names of the services."""
        return {
            "cancel_order": self.cancel,
            "change_items": self.change,
            "change_payment": self.change,
            "change_shipping_address": self.change,
            "return_items": self.send_back,
            "exchange_items": self.send_back,
        }


def can_do_now(order: Order, *, standing: Standing | None = None) -> Possible:
    """Reads only. Whatever it says is checked again, under lock, by the service that does it.

    `standing` is the account's, where the caller has just read it.
    """
    is_pending = order.status == Order.Status.PENDING
    return Possible(
        cancel=is_pending,
        change=is_pending,
        send_back=order.status == Order.Status.DELIVERED,
        refund_minor=_refundable_minor(order, standing or ledger.standing(order.account)),
    )


def _refundable_minor(order: Order, standing: Standing) -> int:
    left = standing.left_minor - promised_minor(order)
    if not order.account or left <= 0:
        return 0
    given = ledger.given_back(order.account) if count_what_was_given() else Given()
    return within_limits(left, given=given)
