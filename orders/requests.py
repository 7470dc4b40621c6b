"""What a customer asks for, in numbers and names, becomes a call of a service: rows are found through the customer.

Each write has a function that plans it and one that does it; both take the tool's arguments.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth.models import User

from billing import selectors as ledger
from billing import services as books
from billing.money import parse
from orders import results, selectors, services
from orders.models import Order
from orders.services.addresses import PARTS

Arguments = Mapping[str, Any]
Facts = dict[str, Any]
Result = dict[str, Any]


def lock_order(arguments: Arguments, *, user: User) -> None:
    """The order, then its books with everything of the customer's money: as the services lock them."""
    order = selectors.order_of(user, number=arguments["order_number"], lock=True)
    if order.account:
        books.lock_account(order.account)
    else:
        books.lock_customer(user.pk)


def lock_customer(arguments: Arguments, *, user: User) -> None:
    """The customer, who stands for the default address."""
    books.lock_customer(user.pk)


def plan_cancellation(arguments: Arguments, *, user: User) -> Facts:
    return services.plan_cancellation(_order(arguments, user), reason=arguments["reason"])


def cancel_order(arguments: Arguments, *, user: User) -> Result:
    order = _order(arguments, user)
    facts = services.plan_cancellation(order, reason=arguments["reason"])
    return results.cancelled(services.cancel_order(order, reason=arguments["reason"]), facts)


def plan_refund(arguments: Arguments, *, user: User) -> Facts:
    order = _order(arguments, user)
    return services.plan_refund(order, **_refund_terms(order, arguments, user))


def refund_order(arguments: Arguments, *, user: User) -> Result:
    order = _order(arguments, user)
    terms = _refund_terms(order, arguments, user)
    facts = services.plan_refund(order, **terms)
    services.refund_order(order, **terms)
    return results.refunded(facts)


def plan_item_change(arguments: Arguments, *, user: User) -> Facts:
    return services.plan_item_change(_order(arguments, user), **_swap_terms(arguments, user))


def change_items(arguments: Arguments, *, user: User) -> Result:
    return _swapped(arguments, user, plan=services.plan_item_change, act=services.change_items)


def plan_exchange(arguments: Arguments, *, user: User) -> Facts:
    return services.plan_exchange(_order(arguments, user), **_swap_terms(arguments, user))


def exchange_items(arguments: Arguments, *, user: User) -> Result:
    return _swapped(arguments, user, plan=services.plan_exchange, act=services.exchange_items)


def plan_return(arguments: Arguments, *, user: User) -> Facts:
    return services.plan_return(_order(arguments, user), skus=arguments["skus"], method=_method(arguments, user))


def return_items(arguments: Arguments, *, user: User) -> Result:
    order, method = _order(arguments, user), _method(arguments, user)
    facts = services.plan_return(order, skus=arguments["skus"], method=method)
    services.return_items(order, skus=arguments["skus"], method=method)
    return results.to_be_returned(_order(arguments, user), facts)


def plan_payment_change(arguments: Arguments, *, user: User) -> Facts:
    return services.plan_payment_change(_order(arguments, user), method=_method(arguments, user))


def change_payment(arguments: Arguments, *, user: User) -> Result:
    order, method = _order(arguments, user), _method(arguments, user)
    facts = services.plan_payment_change(order, method=method)
    services.change_payment(order, method=method)
    return results.paid_otherwise(order, facts, method=method)


def plan_shipping_address_change(arguments: Arguments, *, user: User) -> Facts:
    return services.plan_shipping_address_change(_order(arguments, user), address=_address(arguments))


def change_shipping_address(arguments: Arguments, *, user: User) -> Result:
    order = _order(arguments, user)
    return results.readdressed(services.change_shipping_address(order, address=_address(arguments)))


def plan_default_address_change(arguments: Arguments, *, user: User) -> Facts:
    return services.plan_default_address_change(user, address=_address(arguments))


def change_default_address(arguments: Arguments, *, user: User) -> Result:
    return results.moved(services.change_default_address(user, address=_address(arguments)))


def _order(arguments: Arguments, user: User) -> Order:
    return selectors.order_of(user, number=arguments["order_number"])


def _method(arguments: Arguments, user: User) -> Any:
    return ledger.method_of(user, public_id=arguments["payment_method"])


def _address(arguments: Arguments) -> dict[str, str]:
    return {part: arguments.get(part, "") for part in PARTS}


def _swap_terms(arguments: Arguments, user: User) -> dict[str, Any]:
    changes = [(change["sku"], change["new_sku"]) for change in arguments["changes"]]
    return {"changes": changes, "method": _method(arguments, user)}


def _swapped(arguments: Arguments, user: User, *, plan: Callable[..., Facts], act: Callable[..., Order]) -> Result:
    order, terms = _order(arguments, user), _swap_terms(arguments, user)
    facts = plan(order, **terms)
    act(order, **terms)
    return results.swapped(_order(arguments, user), facts, method=terms["method"])


def _refund_terms(order: Order, arguments: Arguments, user: User) -> dict[str, Any]:
    currency = order.account.currency if order.account else order.currency
    return {
        "amount_minor": parse(arguments["amount"], currency=currency),
        "method": _method(arguments, user) if arguments.get("payment_method") else None,
    }
