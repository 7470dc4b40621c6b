"""What can go wrong with orders. The text of each may be shown to a customer; anything else is a bug."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class OrderError(Exception):
    """The shop refuses. `text` is translated when it is shown; `facts` fill its places."""

    text: str | Promise = _("This cannot be done with the order.")

    def __init__(self, **facts: object) -> None:
        super().__init__(facts)
        self.facts = facts

    def __str__(self) -> str:
        return str(self.text) % self.facts


class OrderNotFound(OrderError):
    """No such order, or not this customer's: the two are never told apart.

    The text is fixed, in every language: models and tests rely on it word for word.
    """

    text = "no such order for this customer"


class OrderNotPending(OrderError):
    """Only an order that waits, unchanged, can be cancelled."""

    text = _("Order %(number)s can no longer be cancelled: it is %(status)s.")


class BadReason(OrderError):
    """A cancellation has one of two reasons."""

    text = _("An order is cancelled because it is no longer needed or was ordered by mistake.")


class NothingPaid(OrderError):
    """No payment is on record for the order."""

    text = _("No payment is recorded for order %(number)s, so nothing can be refunded.")


class ShopFileError(OrderError):
    """A file of the shop cannot be read; the text names file, line and fault."""

    text = "%(file)s, line %(line)s: %(fault)s"
