"""What the agent can do in this shop. Tools translate: selectors read, services plan and do, words describe."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from agent.tools import Amount, Card, Description, Example, Failed, Refusal, tool
from agent.untrusted import clean_text, fence
from billing.errors import BillingError
from billing.tools import REFUND, REFUND_WITH_A_CHANGE
from orders import (
    action_words,
    change_examples,
    change_words,
    requests,
    results,
    selectors,
    tool_examples,
    tool_facts,
    words,
)
from orders.action_words import Words
from orders.errors import OrderError, OrderNotFound
from orders.models import Variant
from orders.result_shapes import AccountFound, OrderFound, OrdersFound, ProductsFound
from orders.results import Foreign
from orders.tool_arguments import (
    CancelReason,
    Changes,
    City,
    Country,
    Line1,
    Line2,
    MethodId,
    OrderNumber,
    Query,
    RefundMethodId,
    Skus,
    State,
    Zip,
)

Facts = dict[str, Any]
Result = dict[str, Any]
MAX_CHARS = 2000  # of one text in a result


@contextmanager
def _refusals() -> Iterator[None]:
    """The shop's errors are texts for the customer: the agent hears them as refusals."""
    try:
        yield
    except (OrderError, BillingError) as error:
        raise Refusal(str(error)) from error


def _clean(value: Any) -> Any:
    """Names, notes and addresses as a reader sees them; what others wrote inside a fence."""
    if isinstance(value, Foreign):
        return fence(value.text, value.source)
    if isinstance(value, str):
        return clean_text(value, MAX_CHARS)
    if isinstance(value, dict):
        return {clean_text(key, 40): _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list) else value


def _asked(request: Callable[..., Any]) -> Callable[..., Any]:
    """A request as a hook of the gate: `plan` or `lock`."""

    def hook(arguments: dict[str, Any], *, user: User) -> Any:
        with _refusals():
            return request(arguments, user=user)

    return hook


def _worded(make: Callable[[Facts], Words]) -> Callable[[Facts], Description]:
    def describe(facts: Facts) -> Description:
        return Description(**make(facts)._asdict())

    return describe


def _done(request: Callable[..., Result], *, user: User, **arguments: Any) -> Result:
    with _refusals():
        return _clean(request(arguments, user=user))


def _examples(rows: list[tool_examples.Row]) -> list[Example]:
    return [Example(says=s, arguments=a, answer=answer, language=language) for s, a, answer, language in rows]


def _order_subject(arguments: dict[str, Any]) -> str:
    """A proposal for an order takes the place of an older one for it."""
    return f"order {arguments['order_number']}"


_ORDER_WRITE = {
    "writes": True,
    "lock": _asked(requests.lock_order),
    "subject": _order_subject,
    "labels": tool_facts.LABELS,
}


# --- Reads ------------------------------------------------------------------------------------------------------------


def _order_card(result: Result, *, user: User) -> Card | None:
    if "error" in result:
        return None
    order = selectors.order_of(user, number=result["order_number"])
    return Card(template="orders/cards/order.html", context=words.order_card(order))


@tool(
    title=gettext_lazy("Order status"),
    progress=gettext_lazy("Looking up order %(order_number)s"),
    card=_order_card,
    records=tool_facts.ORDER_RECORDS,
    examples=_examples(tool_examples.ORDER_STATUS),
)
def order_status(order_number: OrderNumber, *, user: User) -> OrderFound | Failed:
    """Look up one order of this customer: status, carrier, tracking numbers, items with skus and prices, payments,
    address, and what can be done with it now (cancelled, changed, returned, exchanged, how much can be refunded).

    Use this before answering any question about where an order is or what is in it, and before proposing anything
    that changes an order. Needs the order number; where the customer does not know it, use list_orders first.
    Not for products that were not ordered yet: that is find_products.
    """
    try:
        order = selectors.order_of(user, number=order_number)
    except OrderNotFound as error:
        return {"error": str(error)}
    return _clean(results.order_found(order))


@tool(
    title=gettext_lazy("Orders"),
    progress=gettext_lazy("Looking up your orders"),
    records=tool_facts.ORDER_RECORDS,
    examples=_examples(tool_examples.LIST_ORDERS),
)
def list_orders(*, user: User) -> OrdersFound:
    """List this customer's orders, newest first: number, status, date, total and items of each, at most 20.

    Use this when the customer gives no order number, or asks about several orders. For carrier, tracking, payments
    or what can be done with an order, use order_status with its number.
    """
    return _clean(results.orders_found(user))


def _products_card(result: Result, *, user: User) -> Card | None:
    skus = [variant["sku"] for product in result["products"] for variant in product.get("variants", ())]
    variants = list(Variant.objects.select_related("product").filter(sku__in=skus).order_by("product__name", "id"))
    if not variants:
        return None
    return Card(template="orders/cards/products.html", context={"products": words.product_cards(variants)})


@tool(
    title=gettext_lazy("Products"),
    progress=gettext_lazy("Looking through the shop"),
    card=_products_card,
    records=tool_facts.PRODUCT_RECORDS,
    examples=_examples(tool_examples.FIND_PRODUCTS),
)
def find_products(query: Query = "", *, user: User) -> ProductsFound:
    """Search what the shop sells: products with their options, prices, skus and whether each variant is available.

    Use this for questions about products, prices, sizes and stock, and to find the sku of another option before an
    item is changed or exchanged. Product names are English: translate the customer's words. A product's name or one
    of its skus gives all its variants; a wide search gives names and prices only, so search again with the name.
    Not for things the customer has ordered already.
    """
    return _clean(results.products_found(query))


@tool(
    title=gettext_lazy("Account"),
    progress=gettext_lazy("Looking up your account"),
    records=tool_facts.ACCOUNT_RECORDS,
    examples=_examples(tool_examples.MY_ACCOUNT),
)
def my_account(*, user: User) -> AccountFound:
    """Show this customer's own account: name, masked e-mail, default address, and payment methods with their ids and
    the balances of gift cards.

    Use this for questions about the account, and to find the id of a payment method, for instance the gift card that
    a refund shall go to. It never holds a password or a full card number. Not for orders: that is list_orders.
    """
    return _clean(results.account_found(user))


# --- Writes: each is planned, shown and confirmed before its function runs -------------------------------------------


@tool(
    **_ORDER_WRITE,
    title=gettext_lazy("Cancel an order"),
    progress=gettext_lazy("Preparing the cancellation of %(order_number)s"),
    plan=_asked(requests.plan_cancellation),
    describe=_worded(action_words.cancellation),
    amount=tool_facts.cancelled,
    outside=REFUND_WITH_A_CHANGE,
    spoken=tool_facts.REASONS_SPOKEN,
    examples=_examples(tool_examples.CANCEL_ORDER),
)
def cancel_order(order_number: OrderNumber, reason: CancelReason, *, user: User) -> Result:
    """Propose to cancel a whole order that is still pending; every payment goes back to its own payment method.

    Nothing happens until the customer confirms on the page that the answer links to: say so, and never say that the
    order is cancelled. Ask for the reason first if the customer gave none. Not for orders that were sent, delivered
    or changed, not for single items, and not to give back part of the money: that is refund_order.
    """
    return _done(requests.cancel_order, user=user, order_number=order_number, reason=reason)


@tool(
    **_ORDER_WRITE,
    title=gettext_lazy("Refund"),
    progress=gettext_lazy("Preparing a refund for %(order_number)s"),
    plan=_asked(requests.plan_refund),
    describe=_worded(action_words.refund),
    amount=tool_facts.moved,
    outside=REFUND,
    examples=_examples(tool_examples.REFUND_ORDER),
)
def refund_order(
    order_number: OrderNumber, amount: Amount, payment_method: RefundMethodId | None = None, *, user: User
) -> Result:
    """Propose to give back part or all of what was paid for an order, to the original payment method or to one of the
    customer's gift cards (by its id, only if the customer asks for that).

    Nothing happens until the customer confirms on the page that the answer links to: say so, and never say that the
    money was refunded. Look the order up with order_status first, which says how much can be refunded. Not to call
    off a pending order (cancel_order gives everything back) and not for what is sent back: that is return_items.
    """
    return _done(
        requests.refund_order, user=user, order_number=order_number, amount=amount, payment_method=payment_method
    )


@tool(
    **_ORDER_WRITE,
    title=gettext_lazy("Change items"),
    progress=gettext_lazy("Preparing other items for %(order_number)s"),
    plan=_asked(requests.plan_item_change),
    describe=_worded(change_words.item_change),
    amount=tool_facts.difference,
    outside=REFUND_WITH_A_CHANGE,
    examples=_examples(change_examples.CHANGE_ITEMS),
)
def change_items(order_number: OrderNumber, changes: Changes, payment_method: MethodId, *, user: User) -> Result:
    """Propose other options (colour, size, ...) of the same products for items of an order that is still pending. The
    difference in price is paid with, or goes back to, the payment method given.

    It works once an order, so ask whether these are all the items to change, and make address and payment changes
    before: afterwards the order can be neither changed nor cancelled. Take skus from order_status, new skus from
    find_products. Nothing happens until the customer confirms: never say that it was changed. Not for delivered
    orders (exchange_items), not for another product, and not to add or remove items.
    """
    return _done(
        requests.change_items, user=user, order_number=order_number, changes=changes, payment_method=payment_method
    )


@tool(
    **_ORDER_WRITE,
    title=gettext_lazy("Change payment"),
    progress=gettext_lazy("Preparing another payment for %(order_number)s"),
    plan=_asked(requests.plan_payment_change),
    describe=_worded(change_words.payment_change),
    amount=tool_facts.moved,
    outside=REFUND_WITH_A_CHANGE,
    examples=_examples(change_examples.CHANGE_PAYMENT),
)
def change_payment(order_number: OrderNumber, payment_method: MethodId, *, user: User) -> Result:
    """Propose to pay a pending order by another payment method of this customer; what was paid goes back to the old.

    It works once an order, before its items are changed; a gift card must hold the whole total. Ids come from
    my_account. Nothing happens until the customer confirms: never say that it was changed. Not for orders that were
    sent, and not to choose where a refund goes: refund_order and return_items take a payment method themselves.
    """
    return _done(requests.change_payment, user=user, order_number=order_number, payment_method=payment_method)


@tool(
    **_ORDER_WRITE,
    title=gettext_lazy("Change the shipping address"),
    progress=gettext_lazy("Preparing another address for %(order_number)s"),
    plan=_asked(requests.plan_shipping_address_change),
    describe=_worded(change_words.shipping_address_change),
    examples=_examples(change_examples.CHANGE_SHIPPING_ADDRESS),
)
def change_shipping_address(
    order_number: OrderNumber,
    line1: Line1,
    city: City,
    state: State,
    country: Country,
    zip: Zip,
    line2: Line2 = "",
    *,
    user: User,
) -> Result:
    """Propose to send one pending order to another address. Needs the whole new address: ask for what is missing.

    Make it before a change of items, after which the address stays. Nothing happens until the customer confirms:
    never say that it was changed. Not for orders that were sent, and not for the address of the account, which
    future orders use: that is change_default_address.
    """
    address = {"line1": line1, "line2": line2, "city": city, "state": state, "country": country, "zip": zip}
    return _done(requests.change_shipping_address, user=user, order_number=order_number, **address)


@tool(
    writes=True,
    title=gettext_lazy("Change the address"),
    progress=gettext_lazy("Preparing another default address"),
    plan=_asked(requests.plan_default_address_change),
    lock=_asked(requests.lock_customer),
    subject=lambda _arguments: "default address",
    labels=tool_facts.LABELS,
    describe=_worded(change_words.default_address_change),
    examples=_examples(change_examples.CHANGE_DEFAULT_ADDRESS),
)
def change_default_address(
    line1: Line1,
    city: City,
    state: State,
    country: Country,
    zip: Zip,
    line2: Line2 = "",
    *,
    user: User,
) -> Result:
    """Propose another default address for the customer's account, which future orders use. Needs the whole address.

    Orders that are placed already keep theirs; to send a pending one elsewhere use change_shipping_address, also
    beside this where the customer wants both. Nothing happens until the customer confirms: never say that it was
    changed.
    """
    address = {"line1": line1, "line2": line2, "city": city, "state": state, "country": country, "zip": zip}
    return _done(requests.change_default_address, user=user, **address)


@tool(
    **_ORDER_WRITE,
    title=gettext_lazy("Return items"),
    progress=gettext_lazy("Preparing a return for %(order_number)s"),
    plan=_asked(requests.plan_return),
    describe=_worded(change_words.return_request),
    amount=tool_facts.moved,
    examples=_examples(change_examples.RETURN_ITEMS),
)
def return_items(order_number: OrderNumber, skus: Skus, payment_method: MethodId, *, user: User) -> Result:
    """Propose that items of a delivered order come back. Their money goes to the payment method given, once they have
    arrived: the order's original one, or a gift card of the customer's.

    A return or an exchange works once an order, so ask whether these are all the items. Skus come from order_status.
    Nothing happens until the customer confirms: never say that it is registered or refunded. Not for orders that
    were not delivered, and not where the customer wants another option instead of money: that is exchange_items.
    """
    return _done(requests.return_items, user=user, order_number=order_number, skus=skus, payment_method=payment_method)


@tool(
    **_ORDER_WRITE,
    title=gettext_lazy("Exchange items"),
    progress=gettext_lazy("Preparing an exchange for %(order_number)s"),
    plan=_asked(requests.plan_exchange),
    describe=_worded(change_words.exchange),
    amount=tool_facts.difference,
    examples=_examples(change_examples.EXCHANGE_ITEMS),
)
def exchange_items(order_number: OrderNumber, changes: Changes, payment_method: MethodId, *, user: User) -> Result:
    """Propose to exchange items of a delivered order for other options of the same products. The difference in price
    is paid with, or goes back to, the payment method given, once the items have arrived.

    A return or an exchange works once an order, so ask whether these are all the items. Take skus from order_status,
    new skus from find_products. Nothing happens until the customer confirms: never say that it is registered. Not
    for pending orders (change_items), not for another product, and not to get money only: that is return_items.
    """
    return _done(
        requests.exchange_items, user=user, order_number=order_number, changes=changes, payment_method=payment_method
    )
