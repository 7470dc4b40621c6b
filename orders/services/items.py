"""Other options for the items of an order that was not sent yet."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from billing import adjustments
from billing.models import PaymentMethod
from billing.words import method_facts
from orders import selectors
from orders.models import Order, OrderLine
from orders.services.checks import books_of, check_changeable, locked, move
from orders.services.choosing import Change, Swap, difference_of, swap_facts, swaps_of


def plan_item_change(order: Order, *, changes: Sequence[Change], method: PaymentMethod) -> dict[str, Any]:
    """The facts of `change_items`: from what to what, and what it costs. Reads only; the same refusals."""
    swaps = _checked(order, changes=changes, method=method)
    difference = difference_of(swaps)
    return {
        "order": order.number,
        "currency": order.currency,
        "swaps": [swap_facts(swap) for swap in swaps],
        "difference_minor": difference,
        "total_minor": selectors.total_minor(order) + difference,
        "method": method_facts(method),
        "at_once": method.is_gift_card,
    }


@transaction.atomic
def change_items(order: Order, *, changes: Sequence[Change], method: PaymentMethod) -> Order:
    """Turn lines of a pending order into other options of the same products, and settle the difference in price.

    The lines keep their places; one entry is booked for all of them, also where the prices are equal. Items change
    once an order. Raises OrderNotChangeable, ItemsChangedBefore, NoBooks and what `swaps_of` and
    billing.adjustments.plan_difference raise.
    """
    order = locked(order)
    swaps = _checked(order, changes=changes, method=method)
    if not move(order, to=Order.Status.ITEMS_CHANGED):
        return _fresh(order)
    for swap in swaps:
        rows = OrderLine.objects.filter(pk=swap.line.pk)
        rows.update(variant=swap.variant, price_minor=swap.variant.price_minor)
    adjustments.settle_difference(books_of(order), difference_minor=difference_of(swaps), method=method)
    return _fresh(order)


def _checked(order: Order, *, changes: Sequence[Change], method: PaymentMethod) -> list[Swap]:
    check_changeable(order)
    swaps = swaps_of(order, changes=changes)
    adjustments.plan_difference(books_of(order), difference_minor=difference_of(swaps), method=method)
    return swaps


def _fresh(order: Order) -> Order:
    order.refresh_from_db()
    return order
