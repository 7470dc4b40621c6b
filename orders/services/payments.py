"""Another payment method for an order that was not sent yet."""

from typing import Any

from django.db import transaction

from billing import adjustments
from billing.models import PaymentMethod
from billing.words import method_facts
from orders.models import Order
from orders.services.checks import books_of, check_changeable, locked


def plan_payment_change(order: Order, *, method: PaymentMethod) -> dict[str, Any]:
    """The facts of `change_payment`: what pays now, and what is given back where. Reads only; the same refusals."""
    check_changeable(order)
    account = books_of(order)
    old = adjustments.plan_replacement(account, method=method)
    return {
        "order": order.number,
        "currency": account.currency,
        "amount_minor": old.amount_minor,
        "old_method": method_facts(old.payment.method),
        "method": method_facts(method),
        "refund_at_once": old.payment.method.is_gift_card,
    }


@transaction.atomic
def change_payment(order: Order, *, method: PaymentMethod) -> Order:
    """Pay a pending order by another method of the customer's, and give what was paid back to the old one.

    Raises OrderNotChangeable, ItemsChangedBefore, NoBooks and what billing.adjustments.plan_replacement raises; so a
    second change is refused.
    """
    order = locked(order)
    check_changeable(order)
    adjustments.replace_payment(books_of(order), method=method)
    return order
