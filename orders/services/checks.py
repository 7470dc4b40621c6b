"""What has to be true of an order before something is done with it; plans and services ask the same."""

from billing.models import Account
from orders.errors import (
    ItemsChangedBefore,
    NoBooks,
    OrderNotChangeable,
    OrderNotDelivered,
    OrderStillPending,
    SentBackBefore,
)
from orders.models import Order

S = Order.Status


def locked(order: Order) -> Order:
    """The order as it is now, with its account; the row is kept to the end of the transaction."""
    return Order.objects.select_for_update(of=("self",)).select_related("account").get(pk=order.pk)


def books_of(order: Order) -> Account:
    """The account on which a difference can be settled. Raises NoBooks."""
    if order.account is None:
        raise NoBooks(number=order.number)
    return order.account


def check_changeable(order: Order) -> None:
    """Raises OrderNotChangeable, ItemsChangedBefore."""
    if order.status == S.ITEMS_CHANGED:
        raise ItemsChangedBefore(number=order.number)
    if order.status != S.PENDING:
        raise OrderNotChangeable(number=order.number, status=order.get_status_display())


def check_delivered(order: Order) -> None:
    """Raises OrderNotDelivered, OrderStillPending, SentBackBefore."""
    if order.status == S.PENDING:
        raise OrderStillPending(number=order.number)
    if order.status in (S.RETURN_REQUESTED, S.EXCHANGE_REQUESTED):
        raise SentBackBefore(number=order.number)
    if order.status != S.DELIVERED:
        raise OrderNotDelivered(number=order.number, status=order.get_status_display())


def move(order: Order, *, to: Order.Status) -> bool:
    """Without a row lock (SQLite outside an immediate transaction) two may come this far; one moves the row."""
    return Order.objects.filter(pk=order.pk, status=order.status).update(status=to) == 1
