"""What can go wrong with money. The text of each may be shown to a customer; anything else is a bug."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class BillingError(Exception):
    """The books refuse. `text` is translated when it is shown; `facts` fill its places."""

    text: str | Promise = _("The payment could not be changed.")

    def __init__(self, **facts: object) -> None:
        super().__init__(facts)
        self.facts = facts

    def __str__(self) -> str:
        return str(self.text) % self.facts


class BadAmount(BillingError):
    """Not an amount of money, or none: zero, negative, too many places."""

    text = _("This is not an amount of money. Give it like 42.00, above zero.")


class MethodNotFound(BillingError):
    """No such payment method, or not this customer's: the two are never told apart."""

    text = _("There is no such payment method on this account.")


class MethodNotAllowed(BillingError):
    """A refund goes to the original method or to a gift card of the same customer."""

    text = _("A refund goes back to the original payment method or to a gift card of the same account.")


class WrongCurrency(BillingError):
    """A gift card in one currency cannot hold another."""

    text = _("This gift card holds %(held)s, and the order is in %(wanted)s.")


class GiftCardTooLow(BillingError):
    """The gift card does not hold what is to be paid."""

    text = _("The gift card holds %(held)s, and %(needed)s is needed.")


class NothingToRefund(BillingError):
    """Nothing was paid, or all of it was given back."""

    text = _("There is nothing left to refund on this order.")


class RefundTooHigh(BillingError):
    """More than was paid less what was given back."""

    text = _("At most %(left)s can still be refunded on this order; %(asked)s is more.")


class RefundTooHighForMethod(RefundTooHigh):
    """More than this payment method paid and has not got back."""

    text = _("At most %(left)s can go back to this payment method; %(asked)s is more.")


class RefundOverLimit(BillingError):
    """More than the shop lets one refund be."""

    text = _("One refund can be %(limit)s at most; %(asked)s is more. A member of staff can help with it.")


class RefundOverOrderLimit(RefundOverLimit):
    """More than the shop lets the refunds of one order be together."""

    text = _(
        "The refunds of one order can be %(limit)s at most, and %(left)s is left; %(asked)s is more. "
        "A member of staff can help with it."
    )


class RefundOverCustomerLimit(RefundOverLimit):
    """More than the shop gives back to one customer within 30 days."""

    text = _(
        "Within 30 days %(limit)s can be refunded to one account at most, and %(left)s is left; %(asked)s is more. "
        "A member of staff can help with it."
    )


class TooManyRefunds(RefundOverLimit):
    """More refunds than the shop gives one customer within 30 days."""

    text = _(
        "Within 30 days one account can have %(limit)s refunds at most, and it has had them. "
        "A member of staff can help with it."
    )


class SameMethod(BillingError):
    """The order is paid by this method already."""

    text = _("The order is paid by this payment method already. Choose another one.")


class NotOnePayment(BillingError):
    """Only an order that was paid once, and of which nothing was given back, can be paid by another method."""

    text = _(
        "The payment method can be changed once, while an order has one payment and no refund. "
        "A member of staff can help with this one."
    )


class AlreadyReserved(BillingError):
    """One exchange an order, and so one reservation."""

    text = _("Money for this order is reserved already.")


class PaymentNotLinked(BillingError):
    """The payment provider's own id of the payment is not on record, so nothing can be asked of the provider."""

    text = _("This payment cannot be refunded from here. A member of staff can do it.")


class MethodNotChargeable(BillingError):
    """Money of this kind is collected by a payment provider, not by an entry in the books."""

    text = _("This payment method cannot be charged from here. A member of staff can help with it.")
