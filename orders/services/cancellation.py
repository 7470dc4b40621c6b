"""Calling an order off before it is sent."""

from typing import Any

from django.db import transaction

from billing import services as books
from billing.models import CANCELLATION
from orders import selectors
from orders.errors import BadReason, OrderNotPending
from orders.models import Order
from orders.services.refunds import part_facts


def plan_cancellation(order: Order, *, reason: str) -> dict[str, Any]:
    """The facts of `cancel_order`: what is called off, and what goes back where. Reads only; the same refusals."""
    _check(order, reason=reason)
    parts = books.plan_full_refund(order.account)
    return {
        "order": order.number,
        "status": order.status,
        "reason": reason,
        "items": order.lines.count(),
        "total_minor": selectors.total_minor(order),
        "currency": order.currency,
        "refunds": [part_facts(part) for part in parts],
    }


@transaction.atomic
def cancel_order(order: Order, *, reason: str) -> Order:
    """Cancel a pending order and give every payment back to its own method, gift cards at once.

    Cancelling it again changes nothing, whatever the reason then. Raises OrderNotPending, BadReason.
    """
    order = Order.objects.select_for_update(of=("self",)).select_related("account").get(pk=order.pk)
    if order.status == Order.Status.CANCELLED:
        return order
    _check(order, reason=reason)
    # Without a row lock (SQLite outside an immediate transaction) two may come this far; one moves the row.
    moved = Order.objects.filter(pk=order.pk, status=order.status).update(
        status=Order.Status.CANCELLED, cancel_reason=reason
    )
    if moved and order.account:
        books.refund_in_full(order.account, reference=CANCELLATION)
    order.refresh_from_db()
    return order


def _check(order: Order, *, reason: str) -> None:
    if reason not in Order.CancelReason.values:
        raise BadReason
    if order.status != Order.Status.PENDING:
        raise OrderNotPending(number=order.number, status=order.get_status_display())
