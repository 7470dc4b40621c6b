"""Tools that forget whose rows they look at, each in another way: what the tests beside them are tested with."""

from typing import Any

from django.contrib.auth.models import User

from agent.tools import Example, Refusal, tool
from billing.models import PaymentMethod
from orders.models import Address, Order

ANNAS = {"order_number": "DZ-10423"}


@tool(examples=[Example("What is in DZ-10423?", ANNAS)])
def anyones_order(order_number: str, *, user: User) -> dict[str, Any]:
    """Look up an order by its number alone: the selector does not take the customer."""
    order = Order.objects.filter(number=order_number).select_related("ship_to").first()
    return {"note": order.note, "ship_to": str(order.ship_to)} if order else {"error": "no such order"}


@tool(examples=[Example("What is in DZ-10423?", ANNAS)])
def order_that_is_not_yours(order_number: str, *, user: User) -> dict[str, Any]:
    """Tell apart a stranger's order and none."""
    order = Order.objects.filter(number=order_number).first()
    if order is None:
        raise Refusal("no such order")
    if order.customer_id != user.pk:
        raise Refusal("this order is not yours")
    return {"status": order.status}


@tool(examples=[Example("What is in DZ-10423?", ANNAS)])
def slower_where_there_is_one(order_number: str, *, user: User) -> dict[str, Any]:
    """Say the same of a stranger's order and of none, but ask the database once more about the stranger's."""
    order = Order.objects.filter(number=order_number).first()
    lines = order.lines.count() if order else 0
    if order is None or order.customer_id != user.pk:
        return {"error": "no such order"}
    return {"lines": lines}


@tool(examples=[Example("List everything", {})])
def everybodys_addresses(*, user: User) -> dict[str, Any]:
    """Forget the filter altogether."""
    cards = PaymentMethod.objects.values_list("public_id", flat=True)
    return {"addresses": [str(address) for address in Address.objects.all()], "cards": list(cards)}
