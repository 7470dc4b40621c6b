"""What moves money. Each service locks the books, looks again and writes, in one transaction.

Lock order: account, then its customer, who stands for the gift cards. Amounts are minor units.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction

from billing import selectors, transfers
from billing.errors import (
    BadAmount,
    GiftCardTooLow,
    MethodNotAllowed,
    MethodNotChargeable,
    MethodNotFound,
    NothingToRefund,
    RefundTooHigh,
    RefundTooHighForMethod,
    WrongCurrency,
)
from billing.gateways import is_outside
from billing.limits import check_limits
from billing.models import Account, Entry, GiftCardEntry, Payment, PaymentMethod, Refund
from billing.money import default_currency, shown
from billing.selectors import OpenPayment


@dataclass(frozen=True)
class RefundPart:
    """How much of one payment goes back, and where to."""

    payment: Entry
    method: PaymentMethod
    amount_minor: int

    def __post_init__(self) -> None:
        """Raises PaymentNotLinked: what its payment provider could not carry out is never planned."""
        if self.amount_minor:
            transfers.outside_gateway(self.payment, method=self.method)


def open_account(customer: User, *, currency: str = "") -> Account:
    """Empty books for one order."""
    return Account.objects.create(customer=customer, currency=currency or default_currency())


@transaction.atomic
def open_gift_card(customer: User, *, public_id: str, amount_minor: int, currency: str = "") -> PaymentMethod:
    """A gift card that holds `amount_minor`, which may be nothing."""
    card = PaymentMethod.objects.create(
        customer=customer,
        public_id=public_id,
        kind=PaymentMethod.Kind.GIFT_CARD,
        currency=currency or default_currency(),
    )
    if amount_minor:
        GiftCardEntry.objects.create(method=card, kind=GiftCardEntry.Kind.OPENING, amount_minor=amount_minor)
    return card


@transaction.atomic
def pay(
    account: Account, *, amount_minor: int, method: PaymentMethod, reference: str = "", external_id: str | None = None
) -> Payment:
    """Book a payment; a gift card is charged at once. The same reference books once.

    `external_id` is a payment provider's id of what it has collected already; the books charge no card by themselves.
    Raises BadAmount, MethodNotFound, WrongCurrency, GiftCardTooLow, MethodNotChargeable.
    """
    account = lock_account(account)
    known = Payment.objects.filter(account=account, reference=reference).first() if reference else None
    if known:
        return known
    if amount_minor <= 0:
        raise BadAmount
    check_method(account, method)
    if method.is_gift_card:
        check_gift_card(method, amount_minor=amount_minor)
    if not external_id:
        check_chargeable(method)
    payment = Payment.objects.create(
        account=account,
        amount_minor=amount_minor,
        currency=account.currency,
        method=method,
        reference=reference,
        external_id=external_id,
    )
    if method.is_gift_card:
        _move_gift_card(payment, kind=GiftCardEntry.Kind.SPENT, amount_minor=-amount_minor)
    return payment


def plan_refund(account: Account, *, amount_minor: int, method: PaymentMethod | None = None) -> list[RefundPart]:
    """Which payments a refund would give back, and where to. Reads only.

    Without a method each payment goes back to its own, the newest first. Raises BadAmount, NothingToRefund,
    RefundTooHigh, RefundOverLimit and its kin, MethodNotFound, MethodNotAllowed, WrongCurrency.
    """
    standing = selectors.standing(account)
    if amount_minor <= 0:
        raise BadAmount
    if standing.left_minor <= 0:
        raise NothingToRefund
    if amount_minor > standing.left_minor:
        raise RefundTooHigh(**_compared(account, left=standing.left_minor, asked=amount_minor))
    check_limits(amount_minor, currency=account.currency, given=selectors.given_back(account))
    newest_first = standing.payments[::-1]
    if method is None:
        return _parts(newest_first, amount_minor=amount_minor, method=None)
    check_method(account, method)
    return _parts(_payments_for(account, newest_first, amount_minor, method), amount_minor=amount_minor, method=method)


@transaction.atomic
def refund(
    account: Account, *, amount_minor: int, method: PaymentMethod | None = None, reference: str = ""
) -> list[Refund]:
    """Give back part of what was paid, never more than is left, as `plan_refund` says. The same reference books once.

    A gift card has the money at once; other methods are due in 5 to 7 business days.
    """
    account = lock_account(account)
    known = list(Refund.objects.filter(account=account, reference=reference)) if reference else []
    parts = [] if known else plan_refund(account, amount_minor=amount_minor, method=method)
    return known or book(account, parts, reference=reference or f"refund:{uuid4().hex}")


def plan_full_refund(account: Account | None) -> list[RefundPart]:
    """What is left of every payment, back to its own method. Reads only; empty where nothing is left."""
    open_payments = selectors.standing(account).payments
    return [RefundPart(p.payment, p.payment.method, p.left_minor) for p in open_payments if p.left_minor > 0]


@transaction.atomic
def refund_in_full(account: Account, *, reference: str = "") -> list[Refund]:
    """Give every payment back to its own method. Doing it again finds nothing left and books nothing.

    The limits of refunds do not hold here: an order that is called off is paid back whole.
    """
    account = lock_account(account)
    return book(account, plan_full_refund(account), reference=reference)


def lock_account(account: Account) -> Account:
    """The account and its customer, locked to the end of the transaction: whoever comes second sees what was booked.

    The customer's row guards what spans accounts: gift cards, and what was given back within 30 days.
    """
    locked = Account.objects.select_for_update().get(pk=account.pk)
    lock_customer(account.customer_id)
    return locked


def lock_customer(customer_id: int) -> None:
    """Lets other rows refer to the customer meanwhile, and nobody else lock it."""
    get_user_model().objects.select_for_update(no_key=True).only("pk").get(pk=customer_id)


def book(account: Account, parts: Sequence[RefundPart], *, reference: str) -> list[Refund]:
    """Write a plan's parts down. The caller holds the lock and made the plan under it.

    What a payment provider has to carry out is filed too: see billing.transfers.
    """
    refunds = []
    for part in parts:
        entry = Refund.objects.create(
            account=account,
            amount_minor=part.amount_minor,
            currency=account.currency,
            method=part.method,
            payment=part.payment,
            reference=reference,
        )
        if part.method.is_gift_card and part.amount_minor:
            _move_gift_card(entry, kind=GiftCardEntry.Kind.REFUNDED, amount_minor=part.amount_minor)
        transfers.file(entry)
        refunds.append(entry)
    return refunds


def _parts(payments: Sequence[OpenPayment], *, amount_minor: int, method: PaymentMethod | None) -> list[RefundPart]:
    """Take the amount from the payments in their order; they are known to hold enough."""
    parts = []
    for open_payment in payments:
        taken = min(open_payment.left_minor, amount_minor)
        if taken > 0:
            parts.append(RefundPart(open_payment.payment, method or open_payment.payment.method, taken))
            amount_minor -= taken
    return parts


def _payments_for(
    account: Account, payments: Sequence[OpenPayment], amount_minor: int, method: PaymentMethod
) -> Sequence[OpenPayment]:
    """The payments that may go back to this method: its own, and all of them where it is a gift card."""
    own = [p for p in payments if p.payment.method_id == method.pk]
    if method.is_gift_card:
        return [*own, *(p for p in payments if p.payment.method_id != method.pk)]
    if not own:
        raise MethodNotAllowed
    left = sum(p.left_minor for p in own)
    if amount_minor > left:
        raise RefundTooHighForMethod(**_compared(account, left=left, asked=amount_minor))
    return own


def check_method(account: Account, method: PaymentMethod) -> None:
    """Raises MethodNotFound for a stranger's method, WrongCurrency."""
    if method.customer_id != account.customer_id:
        raise MethodNotFound
    if method.is_gift_card and method.currency != account.currency:
        raise WrongCurrency(held=method.currency, wanted=account.currency)


def check_chargeable(method: PaymentMethod) -> None:
    """Raises MethodNotChargeable where a payment provider would have to collect the money."""
    if is_outside(method.kind):
        raise MethodNotChargeable


def check_gift_card(card: PaymentMethod, *, amount_minor: int) -> None:
    """What is promised to an exchange cannot be spent. Raises GiftCardTooLow."""
    free = selectors.gift_card_free(card)
    if free < amount_minor:
        raise GiftCardTooLow(
            held=shown(free, currency=card.currency), needed=shown(amount_minor, currency=card.currency)
        )


def _move_gift_card(entry: Entry, *, kind: GiftCardEntry.Kind, amount_minor: int) -> None:
    GiftCardEntry.objects.create(method=entry.method, kind=kind, amount_minor=amount_minor, entry=entry)


def _compared(account: Account, *, left: int, asked: int) -> dict[str, str]:
    return {"left": shown(left, currency=account.currency), "asked": shown(asked, currency=account.currency)}
