"""Giving back part of what an order cost."""

from typing import Any

from django.db import transaction

from billing import selectors as ledger
from billing import services as books
from billing.limits import Given, check_limits
from billing.models import PaymentMethod, Refund
from billing.money import shown
from billing.services import RefundPart
from billing.words import method_facts
from orders.errors import NothingPaid, RefundPromised
from orders.models import Order
from orders.selectors import promised_minor


def plan_refund(order: Order, *, amount_minor: int, method: PaymentMethod | None = None) -> dict[str, Any]:
    """The facts of `refund_order`: how much goes where, and what is left after it. Reads only; the same refusals.

    An order without an account has no books yet: its plan names no payment and no rest, and `refund_order` looks
    again, and refuses as long as no payment is recorded.
    """
    if order.account is None:
        check_limits(amount_minor, currency=order.currency, given=Given())
        parts, left_after = [], None
    else:
        parts = books.plan_refund(order.account, amount_minor=amount_minor, method=method)
        _check_promises(order, amount_minor=amount_minor)
        left_after = ledger.standing(order.account).left_minor - amount_minor
    return {
        "order": order.number,
        "amount_minor": amount_minor,
        "currency": order.account.currency if order.account else order.currency,
        "refunds": [part_facts(part) for part in parts],
        "left_after_minor": left_after,
    }


@transaction.atomic
def refund_order(
    order: Order, *, amount_minor: int, method: PaymentMethod | None = None, reference: str = ""
) -> list[Refund]:
    """Give back part of what was paid: to the original method, or to a gift card of the customer's.

    Never more than is left, also when two come at once. The same reference refunds once. Raises NothingPaid,
    RefundPromised and what billing.services.plan_refund raises.
    """
    order = Order.objects.select_for_update(of=("self",)).select_related("account").get(pk=order.pk)
    if order.account is None:
        raise NothingPaid(number=order.number)
    if not (reference and Refund.objects.filter(account=order.account, reference=reference).exists()):
        _check_promises(order, amount_minor=amount_minor)
    return books.refund(order.account, amount_minor=amount_minor, method=method, reference=reference)


def _check_promises(order: Order, *, amount_minor: int) -> None:
    """What a return or an exchange is to give back is not given away before it arrives."""
    promised = promised_minor(order)
    left = ledger.standing(order.account).left_minor - promised
    if promised and amount_minor > left:
        words = {"promised": promised, "left": max(0, left), "asked": amount_minor}
        raise RefundPromised(**{key: shown(value, currency=order.currency) for key, value in words.items()})


def part_facts(part: RefundPart) -> dict[str, Any]:
    """One payment's way back, as a plan keeps it."""
    return {
        "amount_minor": part.amount_minor,
        "method": method_facts(part.method),
        "at_once": part.method.is_gift_card,
    }
