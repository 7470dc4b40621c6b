"""A customer's part of the shop as a flat list of facts, in the terms in which the cases name them."""

from collections import Counter
from typing import Any

from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import QuerySet

from agent.evals.snapshot import CHANGED, REMOVED, Change, Table, belongs_to
from billing.selectors import gift_card_balances
from config.cases.folder import Expected, OrderAfter
from orders.models import Address, Exchange, Order, OrderLine, Return

Facts = dict[str, Any]

# Which columns an act of support may change; everything else is added or stays.
MAY_CHANGE: dict[Table, frozenset[str]] = {
    Order: frozenset({"status", "cancel_reason", "ship_to"}),
    OrderLine: frozenset({"variant", "price_minor"}),
    User: frozenset({"last_login"}),
    Address: frozenset({"line1", "line2", "city", "state", "country", "zip", "is_default"}),
}
WORDS_OF_NOTHING = "unchanged"


def shop_tables() -> list[Table]:
    """Every table that holds something of the shop or of its customers; sign-ins and the agent's own are none."""
    shop = [model for app in ("orders", "billing") for model in apps.get_app_config(app).get_models(True)]
    tables: list[Table] = [*shop, User, EmailAddress]
    return [table for table in tables if not table._meta.proxy]


def facts_of(user: User) -> Facts:
    """What the shop holds for the customer now."""
    name = user.username
    address = Address.objects.filter(customer=user, is_default=True).first()
    balances = gift_card_balances(user)
    facts: Facts = {f"customer {name}: address": _address(address)}
    for method in user.payment_methods.all():
        if method.is_gift_card:
            facts[f"customer {name}: balance of {method.public_id}"] = balances.get(method.pk, 0)
    for order in _with_everything(Order.objects.filter(customer=user)):
        facts |= {f"order {order.number}: {key}": value for key, value in _order_facts(order).items()}
    return facts


def _with_everything(orders: QuerySet[Order]) -> QuerySet[Order]:
    return orders.select_related(
        "ship_to", "account", "return_request__method", "exchange_request__method"
    ).prefetch_related(
        "lines__variant",
        "account__entries__method",
        "shipments__lines__variant",
        "return_request__lines__variant",
        "exchange_request__lines__line__variant",
        "exchange_request__lines__variant",
    )


def _order_facts(order: Order) -> Facts:
    entries = order.account.entries.all() if order.account else ()
    back: Return | None = getattr(order, "return_request", None)
    swap: Exchange | None = getattr(order, "exchange_request", None)
    return {
        "status": order.status,
        "cancel_reason": order.cancel_reason,
        "ship_to": _address(order.ship_to),
        "payments": Counter((entry.kind, entry.amount_minor, entry.method.public_id) for entry in entries),
        "return": back and (sorted(_skus(back.lines)), back.method.public_id),
        "exchange": swap and _exchange_facts(swap),
        "shipments": [(parcel.tracking, sorted(_skus(parcel.lines))) for parcel in order.shipments.all()],
        **{f"item {place}": (line.variant.sku, line.price_minor) for place, line in enumerate(order.lines.all())},
    }


def _exchange_facts(swap: Exchange) -> tuple[Any, ...]:
    rows = swap.lines.all()
    old, new = sorted(row.line.variant.sku for row in rows), sorted(row.variant.sku for row in rows)
    return old, new, swap.method.public_id, swap.difference_minor


def _skus(lines: Any) -> list[str]:
    return [line.variant.sku for line in lines.all()]


def _address(address: Address | None) -> Facts | None:
    keys = ("line1", "line2", "city", "state", "country", "zip")
    return {key: getattr(address, key) for key in keys} if address else None


def moved(before: Facts, after: Facts) -> Facts:
    """What differs; of payments those that were added."""
    found: Facts = {}
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        found[key] = sorted((new - old).elements()) if isinstance(new, Counter) and old is not None else new
        if isinstance(new, Counter) and old is not None and old - new:
            found[f"{key} removed"] = sorted((old - new).elements())
    return found


def named(expected: Expected) -> Facts:
    """What a case expects to differ, as `moved` puts it."""
    facts: Facts = {}
    for name, customer in expected.customers.items():
        facts |= {f"customer {name}: balance of {key}": cents for key, cents in customer.balances_cents.items()}
        if customer.address:
            facts[f"customer {name}: address"] = customer.address.model_dump()
    for number, order in expected.orders.items():
        facts |= {f"order {number}: {key}": value for key, value in _named_order(order).items()}
    return facts


def _named_order(order: OrderAfter) -> Facts:
    facts: Facts = {f"item {item.line}": (item.sku, item.price_cents) for item in order.items}
    plain = {"status": order.status, "cancel_reason": order.cancel_reason}
    facts |= {key: value for key, value in plain.items() if value is not None}
    if order.ship_to:
        facts["ship_to"] = order.ship_to.model_dump()
    if order.payments_added:
        facts["payments"] = sorted((row.kind, row.amount_cents, row.method) for row in order.payments_added)
    if order.return_:
        facts["return"] = (sorted(order.return_.skus), order.return_.method)
    if order.exchange:
        swap = order.exchange
        facts["exchange"] = (sorted(swap.old), sorted(swap.new), swap.method, swap.difference_cents)
    return facts


def compared(expected: Facts, found: Facts) -> list[str]:
    """A line for each fact that is not as it was expected."""
    return [
        f"{key}: expected {expected.get(key, WORDS_OF_NOTHING)}, found {found.get(key, WORDS_OF_NOTHING)}"
        for key in sorted(expected.keys() | found.keys())
        if expected.get(key) != found.get(key)
    ]


def strays(changes: list[Change], *, user: User) -> list[str]:
    """A line for each change that is no act for this customer: a stranger's row, a shared one, or one removed."""
    return [f"changed besides: {change}" for change in changes if not _is_an_act(change, user)]


def _is_an_act(change: Change, user: User) -> bool:
    if change.kind == REMOVED or not belongs_to(change, user):
        return False
    return change.kind != CHANGED or change.fields <= MAY_CHANGE.get(change.table, frozenset())
