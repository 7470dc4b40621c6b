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


class OrderNotChangeable(OrderError):
    """Only an order that waits, unchanged, can be changed."""

    text = _("Order %(number)s can no longer be changed: it is %(status)s. A member of staff can help with it.")


class ItemsChangedBefore(OrderNotChangeable):
    """Items change once; after that the order stays as it is until it is delivered."""

    text = _(
        "The items of order %(number)s were changed already; after that it can be neither changed nor cancelled. "
        "Once it is delivered, items can be returned or exchanged."
    )


class OrderNotDelivered(OrderError):
    """Only what has arrived can be sent back."""

    text = _("Only a delivered order can be returned or exchanged, and order %(number)s is %(status)s.")


class OrderStillPending(OrderNotDelivered):
    """Nothing was sent yet: there is an easier way."""

    text = _("Order %(number)s was not sent yet: instead of a return or an exchange it can be changed or cancelled.")


class SentBackBefore(OrderNotDelivered):
    """A return or an exchange, once an order."""

    text = _(
        "A return or an exchange can be requested once an order, and for order %(number)s it was. "
        "A member of staff can help with more."
    )


class NothingChosen(OrderError):
    """An empty list of items."""

    text = _("No item was chosen. Name at least one item of the order.")


class ItemNotInOrder(OrderError):
    """The order has no such item, or fewer of them."""

    text = _("Order %(number)s does not have item %(sku)s as often as it was named, or not at all.")


class VariantNotFound(OrderError):
    """The shop sells nothing under that number."""

    text = _("The shop has no item %(sku)s. Look for the other options of the same product.")


class OtherProduct(OrderError):
    """An item becomes another option of the same product, never another product."""

    text = _("%(new)s (%(sku)s) is another product. An item can become another option of %(old)s only.")


class SameOption(OrderError):
    """What is there already."""

    text = _("%(item)s (%(sku)s) is what was ordered. Choose another option of the same product.")


class SoldOut(OrderError):
    """Not available at the moment."""

    text = _("%(item)s (%(sku)s) is sold out. Choose another option of the same product.")


class OtherCurrency(OrderError):
    """Prices in two currencies have no difference."""

    text = _("%(item)s (%(sku)s) is sold in another currency than the order.")


class BadAddress(OrderError):
    """Something that a parcel needs is missing, or too long."""

    text = _("An address needs a street, a city, a country and a zip code. This is missing or too long: %(part)s.")


class RefundPromised(OrderError):
    """The same money is not given back twice: a return or an exchange waits for it."""

    text = _(
        "%(promised)s of this order is promised to its return or exchange. Beside it %(left)s can be refunded at most; "
        "%(asked)s is more."
    )


class NoBooks(OrderError):
    """Nobody knows what was paid: nothing can be settled."""

    text = _(
        "No payment is recorded for order %(number)s, so it cannot be changed, returned or exchanged here. "
        "A member of staff can help with it."
    )


class ShopFileError(OrderError):
    """A file of the shop cannot be read; the text names file, line and fault."""

    text = "%(place)s: %(fault)s"
