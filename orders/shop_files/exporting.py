"""Writes the shop's customers, orders and products as files, in the order in which they came in."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db.models import Prefetch

from billing.models import Account, Entry, PaymentMethod
from billing.selectors import gift_card_balances
from orders.models import Address, Order, OrderLine, Product
from orders.shop_files.reading import CUSTOMERS, ORDERS, PRODUCTS

Line = dict[str, Any]


def export_shop(folder: Path) -> dict[str, int]:
    """Write three files, replacing those that are there. Returns how many lines each has.

    A customer is a user with a default address; members of staff are none. Carriers, dates and notes have no place
    in this format and stay behind.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return {
        "customers": _write(folder / CUSTOMERS, _customers()),
        "orders": _write(folder / ORDERS, _orders()),
        "products": _write(folder / PRODUCTS, _products()),
    }


def _write(path: Path, lines: Iterable[Line]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for count, line in enumerate(lines, 1):  # noqa: B007 - the last count is the answer
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    return count


def _customers() -> Iterator[Line]:
    users = (
        get_user_model()
        .objects.filter(addresses__is_default=True)
        .prefetch_related(
            Prefetch("addresses", Address.objects.filter(is_default=True)),
            "payment_methods",
            "orders",
        )
    )
    for user in users.order_by("pk"):
        yield _customer(user)


def _customer(user: User) -> Line:
    balances = gift_card_balances(user)
    return {
        "customer": user.username,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "email": user.email,
        "address": _address(user.addresses.all()[0]),
        "payment_methods": [_method(method, balances) for method in user.payment_methods.all()],
        "orders": [order.number for order in user.orders.all()],
    }


def _method(method: PaymentMethod, balances: dict[int, int]) -> Line:
    line: Line = {"id": method.public_id, "kind": method.kind}
    if method.brand:
        line["brand"] = method.brand
    if method.last4:
        line["last4"] = method.last4
    if method.is_gift_card:
        line["balance_cents"] = balances.get(method.pk, 0)
    return line


def _orders() -> Iterator[Line]:
    lines = Prefetch("lines", OrderLine.objects.select_related("variant").order_by("position"))
    inside = OrderLine.objects.select_related("variant").order_by("position")
    rows = Order.objects.select_related("customer", "ship_to", "account").prefetch_related(
        lines,
        Prefetch("account__entries", Entry.objects.select_related("method").order_by("id")),
        Prefetch("shipments__lines", inside),
        Prefetch("return_request__lines", inside),
        "return_request__method",
        "exchange_request__method",
        "exchange_request__lines__line__variant",
        "exchange_request__lines__variant",
    )
    for order in rows.order_by("pk"):
        yield _order(order) | _requests(order)


def _order(order: Order) -> Line:
    return {
        "order": order.number,
        "customer": order.customer.username,
        "status": order.status,
        "ship_to": _address(order.ship_to),
        "items": [{"sku": line.variant.sku, "price_cents": line.price_minor} for line in order.lines.all()],
        "shipments": [
            {"tracking": parcel.tracking, "skus": [line.variant.sku for line in parcel.lines.all()]}
            for parcel in order.shipments.all()
        ],
        "payments": _payments(order.account),
    }


def _requests(order: Order) -> Line:
    """What is there only for some orders: why it was cancelled, what is to come back."""
    found: Line = {"cancel_reason": order.cancel_reason} if order.cancel_reason else {}
    back = getattr(order, "return_request", None)
    if back:
        skus = [line.variant.sku for line in back.lines.all()]
        found["return"] = {"skus": skus, "method": back.method.public_id}
    swap = getattr(order, "exchange_request", None)
    if swap:
        found["exchange"] = {
            "old": [row.line.variant.sku for row in swap.lines.all()],
            "new": [row.variant.sku for row in swap.lines.all()],
            "method": swap.method.public_id,
            "difference_cents": swap.difference_minor,
        }
    return found


def _payments(account: Account | None) -> list[Line]:
    entries = list(account.entries.all()) if account else []
    undone = {e.reverses_id for e in entries}  # a refund that was taken back is as if it had never been
    entries = [e for e in entries if e.pk not in undone and e.kind != Entry.Kind.REVERSAL]
    return [{"kind": e.kind, "amount_cents": e.amount_minor, "method": e.method.public_id} for e in entries]


def _products() -> Iterator[Line]:
    for product in Product.objects.prefetch_related("variants").order_by("pk"):
        variants = [
            {"sku": v.sku, "options": v.options, "available": v.available, "price_cents": v.price_minor}
            for v in product.variants.all()
        ]
        yield {"product": product.code, "name": product.name, "variants": variants}


def _address(address: Address | None) -> Line:
    keys = ("line1", "line2", "city", "state", "country", "zip")
    return {key: getattr(address, key, "") for key in keys}
