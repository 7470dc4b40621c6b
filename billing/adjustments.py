"""Money that follows from a change of an order: a difference in price, another payment method, money held ready.

The limits of refunds do not hold here: what is paid back is what the customer no longer buys, or pays in another way.
"""

from dataclasses import dataclass

from django.db import transaction

from billing import selectors, transfers
from billing.errors import AlreadyReserved, MethodNotAllowed, NothingToRefund, NotOnePayment, RefundTooHigh, SameMethod
from billing.models import ITEMS_CHANGED, PAYMENT_CHANGED, Account, Entry, Payment, PaymentMethod, Reservation
from billing.money import shown
from billing.selectors import OpenPayment
from billing.services import RefundPart, book, check_chargeable, check_gift_card, check_method, lock_account, pay


@dataclass(frozen=True)
class Replacement:
    """A payment and the method that is to pay in its place."""

    payment: Entry
    method: PaymentMethod

    @property
    def amount_minor(self) -> int:
        return self.payment.amount_minor


def plan_difference(account: Account, *, difference_minor: int, method: PaymentMethod) -> list[RefundPart]:
    """Whether the method can settle the difference: above zero it pays, below it is paid. Reads only.

    Returns the parts of the refund, one wherever one payment holds enough, also of nothing for equal prices; none
    where the customer pays. Any method of the customer's will do: a difference in price is no refund of a payment.
    Raises MethodNotFound, WrongCurrency, GiftCardTooLow, NothingToRefund, RefundTooHigh.
    """
    check_method(account, method)
    if difference_minor > 0:
        check_chargeable(method)
        if method.is_gift_card:
            check_gift_card(method, amount_minor=difference_minor)
        return []
    standing = selectors.standing(account)
    asked = -difference_minor
    if asked > standing.left_minor:
        if standing.left_minor <= 0:
            raise NothingToRefund
        words = {"left": standing.left_minor, "asked": asked}
        raise RefundTooHigh(**{key: shown(value, currency=account.currency) for key, value in words.items()})
    return _difference_parts(standing.payments, amount_minor=asked, method=method)


@transaction.atomic
def settle_difference(account: Account, *, difference_minor: int, method: PaymentMethod) -> list[Entry]:
    """Book the difference of changed items, as `plan_difference` says. An account settles one, so once is enough."""
    account = lock_account(account)
    parts = plan_difference(account, difference_minor=difference_minor, method=method)
    if difference_minor > 0:
        return [pay(account, amount_minor=difference_minor, method=method, reference=ITEMS_CHANGED)]
    return list(book(account, parts, reference=ITEMS_CHANGED))


def plan_replacement(account: Account, *, method: PaymentMethod) -> Replacement:
    """Which payment the method would replace. Reads only.

    Raises NotOnePayment, MethodNotFound, WrongCurrency, SameMethod, GiftCardTooLow, MethodNotChargeable,
    PaymentNotLinked.
    """
    entries = list(account.entries.select_related("method")[:2])
    if len(entries) != 1:
        raise NotOnePayment
    check_method(account, method)
    if entries[0].method_id == method.pk:
        raise SameMethod
    check_chargeable(method)
    transfers.outside_gateway(entries[0], method=entries[0].method)
    if method.is_gift_card:
        check_gift_card(method, amount_minor=entries[0].amount_minor)
    return Replacement(entries[0], method)


@transaction.atomic
def replace_payment(account: Account, *, method: PaymentMethod) -> Payment:
    """Pay by this method, and give the payment before it back to its own, as `plan_replacement` says."""
    account = lock_account(account)
    old = plan_replacement(account, method=method)
    payment = pay(account, amount_minor=old.amount_minor, method=method, reference=PAYMENT_CHANGED)
    part = RefundPart(old.payment, old.payment.method, old.amount_minor)
    book(account, [part], reference=PAYMENT_CHANGED)
    return payment


def check_target(account: Account, method: PaymentMethod) -> None:
    """Whether money of the account may go back to the method: one that paid for it, or a gift card of the customer's.

    Raises MethodNotAllowed, and what `check_method` raises.
    """
    check_method(account, method)
    if not method.is_gift_card and not Payment.objects.filter(account=account, method=method).exists():
        raise MethodNotAllowed


@transaction.atomic
def reserve(account: Account, *, amount_minor: int, method: PaymentMethod) -> Reservation:
    """Hold gift card money ready for an exchange. Raises AlreadyReserved, MethodNotFound, GiftCardTooLow."""
    account = lock_account(account)
    check_method(account, method)
    check_gift_card(method, amount_minor=amount_minor)
    if Reservation.objects.filter(account=account).exists():
        raise AlreadyReserved
    return Reservation.objects.create(account=account, amount_minor=amount_minor, method=method)


def _difference_parts(
    payments: tuple[OpenPayment, ...], *, amount_minor: int, method: PaymentMethod
) -> list[RefundPart]:
    """From the method's own payments first, then the newest; whole from the first that holds enough."""
    newest_first = sorted(payments, key=lambda p: (p.payment.method_id != method.pk, -p.payment.pk))
    for whole in newest_first:
        if whole.left_minor >= amount_minor:
            return [RefundPart(whole.payment, method, amount_minor)]
    parts = []
    for part in newest_first:
        taken = min(part.left_minor, amount_minor)
        if taken:
            parts.append(RefundPart(part.payment, method, taken))
            amount_minor -= taken
    return parts
