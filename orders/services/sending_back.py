"""Returns and exchanges of what was delivered. No money moves yet: it does when the parcel has arrived."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from billing import adjustments
from billing import selectors as ledger
from billing.models import PaymentMethod
from billing.services import check_gift_card, check_method
from billing.words import method_facts
from orders.models import Exchange, ExchangeLine, Order, OrderLine, Return
from orders.services.checks import books_of, check_delivered, locked, move
from orders.services.choosing import Change, Swap, difference_of, line_facts, lines_of, swap_facts, swaps_of


def plan_return(order: Order, *, skus: Sequence[str], method: PaymentMethod) -> dict[str, Any]:
    """The facts of `return_items`: what goes back, how much for it, and where to. Reads only; the same refusals."""
    lines = _checked_return(order, skus=skus, method=method)
    account = books_of(order)
    cost = sum(line.price_minor for line in lines)
    return {
        "order": order.number,
        "currency": account.currency,
        "items": [line_facts(line) for line in lines],
        # Part of it may have been refunded already.
        "amount_minor": min(cost, max(0, ledger.standing(account).left_minor)),
        "method": method_facts(method),
        "at_once": method.is_gift_card,
    }


@transaction.atomic
def return_items(order: Order, *, skus: Sequence[str], method: PaymentMethod) -> Order:
    """Note that lines of a delivered order come back, and where their money will go. Once an order.

    Raises OrderNotDelivered, OrderStillPending, SentBackBefore, NoBooks, NothingChosen, ItemNotInOrder and what
    billing.adjustments.check_target raises.
    """
    order = locked(order)
    lines = _checked_return(order, skus=skus, method=method)
    if move(order, to=Order.Status.RETURN_REQUESTED):
        Return.objects.create(order=order, method=method).lines.set(lines)
    order.refresh_from_db()
    return order


def plan_exchange(order: Order, *, changes: Sequence[Change], method: PaymentMethod) -> dict[str, Any]:
    """The facts of `exchange_items`: from what to what, and the difference. Reads only; the same refusals."""
    swaps = _checked_exchange(order, changes=changes, method=method)
    return {
        "order": order.number,
        "currency": books_of(order).currency,
        "swaps": [swap_facts(swap) for swap in swaps],
        "difference_minor": difference_of(swaps),
        "method": method_facts(method),
        "at_once": method.is_gift_card,
    }


@transaction.atomic
def exchange_items(order: Order, *, changes: Sequence[Change], method: PaymentMethod) -> Order:
    """Note that lines of a delivered order become other options of the same products. Once an order.

    A difference that a gift card is to pay is reserved on it. Raises OrderNotDelivered, OrderStillPending,
    SentBackBefore, NoBooks, MethodNotFound, WrongCurrency, GiftCardTooLow and what `swaps_of` raises.
    """
    order = locked(order)
    swaps = _checked_exchange(order, changes=changes, method=method)
    if move(order, to=Order.Status.EXCHANGE_REQUESTED):
        _note_exchange(order, swaps=swaps, method=method)
    order.refresh_from_db()
    return order


def _note_exchange(order: Order, *, swaps: Sequence[Swap], method: PaymentMethod) -> None:
    difference = difference_of(swaps)
    if difference > 0 and method.is_gift_card:
        adjustments.reserve(books_of(order), amount_minor=difference, method=method)
    exchange = Exchange.objects.create(order=order, method=method, difference_minor=difference)
    ExchangeLine.objects.bulk_create(
        ExchangeLine(exchange=exchange, line=swap.line, variant=swap.variant) for swap in swaps
    )


def _checked_return(order: Order, *, skus: Sequence[str], method: PaymentMethod) -> list[OrderLine]:
    check_delivered(order)
    adjustments.check_target(books_of(order), method)
    return lines_of(order, skus=skus)


def _checked_exchange(order: Order, *, changes: Sequence[Change], method: PaymentMethod) -> list[Swap]:
    check_delivered(order)
    account = books_of(order)
    check_method(account, method)
    swaps = swaps_of(order, changes=changes)
    if method.is_gift_card and difference_of(swaps) > 0:
        check_gift_card(method, amount_minor=difference_of(swaps))
    return swaps
