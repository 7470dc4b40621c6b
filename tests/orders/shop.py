"""A small shop to test with."""

from typing import Any

from django.apps import apps
from django.contrib.auth.models import User

from billing import services as books
from billing.models import PaymentMethod
from orders.models import Order, OrderLine, Product, Variant
from tests.billing.books import account_paid


def variant(name: str = "Mug", *, sku: str = "MUG-1", price: int = 1600, **options: str) -> Variant:
    """A variant of the product with that name, which is made where there is none."""
    product, _ = Product.objects.get_or_create(code=name.upper(), defaults={"name": name})
    return Variant.objects.get_or_create(
        sku=sku, defaults={"product": product, "options": options, "price_minor": price}
    )[0]


def order(
    user: User, number: str = "DZ-10423", *, status: str = "pending", prices: tuple[int, ...] = (), **about: Any
) -> Order:
    """An order with a line for each price."""
    made = Order.objects.create(number=number, customer=user, status=status, **about)
    for position, price in enumerate(prices, 1):
        OrderLine.objects.create(order=made, position=position, variant=variant(), price_minor=price)
    return made


def order_paid(
    user: User, *payments: tuple[PaymentMethod, int], number: str = "DZ-10423", status: str = "pending", **about: Any
) -> Order:
    """An order that costs what these payments paid."""
    prices = tuple(amount for _, amount in payments)
    return order(user, number, status=status, prices=prices, account=account_paid(user, *payments), **about)


def left(made: Order) -> int:
    """What could still be refunded on the order."""
    return sum(part.amount_minor for part in books.plan_full_refund(made.account))


def order_with(
    user: User,
    *variants: Variant,
    paid_with: PaymentMethod,
    number: str = "DZ-10423",
    status: str = "pending",
    **about: Any,
) -> Order:
    """An order with a line for each variant at its price, paid whole by one method."""
    total = sum(bought.price_minor for bought in variants)
    made = order(user, number, status=status, account=account_paid(user, (paid_with, total)), **about)
    for position, bought in enumerate(variants, 1):
        OrderLine.objects.create(order=made, position=position, variant=bought, price_minor=bought.price_minor)
    return made


def sold_out(row: Variant) -> Variant:
    """The variant, no longer available."""
    row.available = False
    row.save()
    return row


def everything() -> dict[str, list[Any]]:
    """All rows of the shop and its books: a refusal leaves them as they were."""
    models = [*apps.get_app_config("orders").get_models(), *apps.get_app_config("billing").get_models()]
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}
