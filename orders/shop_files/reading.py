"""Reads the three files and checks them against each other, before anything is written."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from orders.errors import OrderNotFound, ShopFileError
from orders.numbers import canonical
from orders.shop_files.rows import CustomerRow, OrderRow, ProductRow, Row

CUSTOMERS, ORDERS, PRODUCTS = "customers.jsonl", "orders.jsonl", "products.jsonl"

R = TypeVar("R", bound=Row)


@dataclass(frozen=True)
class ShopFiles:
    """Three files that fit together: every number, customer, method and sku that one names, another has."""

    customers: list[CustomerRow]
    orders: list[OrderRow]
    products: list[ProductRow]


def read_shop(folder: Path) -> ShopFiles:
    """Raises ShopFileError, which names file, line and fault."""
    shop = ShopFiles(
        customers=_read(folder / CUSTOMERS, CustomerRow),
        orders=_read(folder / ORDERS, OrderRow),
        products=_read(folder / PRODUCTS, ProductRow),
    )
    _check_products(shop)
    _check_customers(shop)
    for line, order in enumerate(shop.orders, 1):
        for fault in _order_faults(order):
            raise _error(ORDERS, line, fault)
    _check_references(shop)
    return shop


def _read(path: Path, row: type[R]) -> list[R]:
    try:
        lines = path.read_bytes().decode().split("\n")
    except OSError as error:
        raise ShopFileError(place=str(path), fault=f"cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise _error(path.name, line, "is not UTF-8 text") from None
    return [_row(path.name, number, text, row) for number, text in enumerate(lines, 1) if text.strip()]


def _row(file: str, line: int, text: str, row: type[R]) -> R:
    if "\\u0000" in text or "\0" in text:
        raise _error(file, line, "holds a NUL character")
    try:
        return row.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise _error(file, line, f"{place}: {first['msg']}" if place else first["msg"]) from None


def _check_products(shop: ShopFiles) -> None:
    _once(PRODUCTS, ((product.product, line) for line, product in enumerate(shop.products, 1)))
    _once(PRODUCTS, ((v.sku, line) for line, product in enumerate(shop.products, 1) for v in product.variants))


def _check_customers(shop: ShopFiles) -> None:
    rows = list(enumerate(shop.customers, 1))
    _once(CUSTOMERS, ((row.customer, line) for line, row in rows))
    _once(CUSTOMERS, ((row.email.lower(), line) for line, row in rows))
    _once(CUSTOMERS, ((number, line) for line, row in rows for number in row.orders))
    for line, row in rows:
        _once(CUSTOMERS, ((method.id, line) for method in row.payment_methods))
        if any((method.balance_cents is None) == (method.kind == "gift_card") for method in row.payment_methods):
            raise _error(CUSTOMERS, line, "a gift card has balance_cents, and no other payment method has it")


def _check_references(shop: ShopFiles) -> None:
    """Orders name customers, methods and skus; customers name orders, each its own and all of them."""
    methods = {row.customer: {method.id for method in row.payment_methods} for row in shop.customers}
    skus = {variant.sku for product in shop.products for variant in product.variants}
    owners = {}
    _once(ORDERS, ((order.order, line) for line, order in enumerate(shop.orders, 1)))
    for line, order in enumerate(shop.orders, 1):
        if order.customer not in methods:
            raise _error(ORDERS, line, f"customer {order.customer} is not in {CUSTOMERS}")
        for sku in sorted(_skus_of(order) - skus):
            raise _error(ORDERS, line, f"sku {sku} is not in {PRODUCTS}")
        for method in sorted(_methods_of(order) - methods[order.customer]):
            raise _error(ORDERS, line, f"payment method {method} is not one of {order.customer}")
        owners[order.order] = order.customer
    listed = {number for row in shop.customers for number in row.orders}
    _check_promises(shop)
    for line, row in enumerate(shop.customers, 1):
        for number in row.orders:
            if owners.get(number) != row.customer:
                raise _error(CUSTOMERS, line, f"order {number} is not one of {row.customer} in {ORDERS}")
    for line, order in enumerate(shop.orders, 1):
        if order.order not in listed:
            raise _error(ORDERS, line, f"order {order.order} is missing from the list of {order.customer}")


def _check_promises(shop: ShopFiles) -> None:
    """Exchanges that a gift card is to pay for are paid from what it holds, each cent once."""
    free = {(row.customer, m.id): m.balance_cents for row in shop.customers for m in row.payment_methods}
    for line, order in enumerate(shop.orders, 1):
        asked = order.exchange
        held = free[order.customer, asked.method] if asked else None
        if asked is None or held is None or asked.difference_cents <= 0:
            continue
        if held < asked.difference_cents:
            raise _error(ORDERS, line, f"{asked.method} does not hold the difference of the exchange")
        free[order.customer, asked.method] = held - asked.difference_cents


def _order_faults(order: OrderRow) -> Iterator[str]:
    """What is wrong within one order."""
    try:
        if canonical(order.order) != order.order:
            yield f"order number {order.order} should be written {canonical(order.order)}"
    except OrderNotFound:
        yield f"{order.order} does not fit the shop's pattern of order numbers"
    if order.cancel_reason and order.status != "cancelled":
        yield "cancel_reason stands only with status cancelled"
    paid = sum(p.amount_cents for p in order.payments if p.kind == "payment")
    if sum(p.amount_cents for p in order.payments if p.kind == "refund") > paid:
        yield "more was refunded than was paid"
    if any(p.kind == "payment" and not p.amount_cents for p in order.payments):
        yield "a payment is above zero"
    items = Counter(item.sku for item in order.items)
    asked = [parcel.skus for parcel in order.shipments]
    asked += [order.return_.skus] if order.return_ else []
    asked += [order.exchange.old] if order.exchange else []
    if any(Counter(skus) - items for skus in asked):
        yield "a shipment, return or exchange names an item that the order does not have"
    if order.exchange and len(order.exchange.old) != len(order.exchange.new):
        yield "an exchange has one new item for each old one"


def _skus_of(order: OrderRow) -> set[str]:
    return {item.sku for item in order.items} | set(order.exchange.new if order.exchange else ())


def _methods_of(order: OrderRow) -> set[str]:
    asked = {row.method for row in (order.return_, order.exchange) if row}
    return {payment.method for payment in order.payments} | asked


def _once(file: str, names: Iterable[tuple[str, int]]) -> None:
    seen: dict[str, int] = {}
    for name, line in names:
        if name in seen:
            raise _error(file, line, f"{name} stands in line {seen[name]} already")
        seen[name] = line


def _error(file: str, line: int, fault: str) -> ShopFileError:
    return ShopFileError(place=f"{file}, line {line}", fault=fault)
