"""What the agent can do in this shop. Tools translate: selectors read, services plan and do, words describe."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import AfterValidator, Field

from agent.tools import Amount, Card, Description, Example, Refusal, tool
from agent.untrusted import clean_text, fence
from billing import selectors as ledger
from billing import services as books
from billing.errors import BillingError
from billing.money import parse, plain, shown
from billing.words import method_line, method_result
from orders import action_words, selectors, services, tool_examples, words
from orders.errors import OrderError, OrderNotFound
from orders.models import Order, Shipment, Variant
from orders.numbers import canonical, typed_pattern

Result = dict[str, Any]
MAX_LISTED_ORDERS = 20
MAX_PRODUCTS = 60


def _one_spelling(text: str) -> str:
    """So that "dz 10423" and "DZ-10423" are one proposal. What is no number at all is answered by the lookup."""
    try:
        return canonical(text)
    except OrderNotFound:
        return text.strip()


OrderNumber = Annotated[
    str,
    Field(
        pattern=typed_pattern(),
        max_length=32,
        description="The order's number as the customer gave it, like DZ-10423 or #W2611340. Never guess one.",
    ),
    AfterValidator(_one_spelling),
]
CancelReason = Literal["no longer needed", "ordered by mistake"]
MethodId = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_-]{1,64}$",
        description="Id of one of the customer's payment methods as my_account lists it, like gift_card_5107. "
        "Leave it out to refund to the original payment method.",
    ),
]


@contextmanager
def _refusals() -> Iterator[None]:
    """The shop's errors are texts for the customer: the agent hears them as refusals."""
    try:
        yield
    except (OrderError, BillingError) as error:
        raise Refusal(str(error)) from error


def _examples(rows: list[tool_examples.Row]) -> list[Example]:
    return [Example(says=s, arguments=a, answer=answer, language=language) for s, a, answer, language in rows]


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
    examples=_examples(tool_examples.ORDER_STATUS),
)
def order_status(order_number: OrderNumber, *, user: User) -> Result:
    """Look up one order of this customer: status, carrier, tracking numbers, items, prices, payments, and what can be
    done with it now (cancelled or not, how much can be refunded).

    Use this before answering any question about where an order is or what is in it, and before proposing a
    cancellation or a refund. Needs the order number; where the customer does not know it, use list_orders first.
    Not for products that were not ordered yet: that is find_products.
    """
    try:
        order = selectors.order_of(user, number=order_number)
    except OrderNotFound as error:
        return {"error": str(error)}
    return _order_result(order)


@tool(
    title=gettext_lazy("Orders"),
    progress=gettext_lazy("Looking up your orders"),
    examples=_examples(tool_examples.LIST_ORDERS),
)
def list_orders(*, user: User) -> Result:
    """List this customer's orders, newest first: number, status, date, total and items of each, at most 20.

    Use this when the customer gives no order number, or asks about several orders. For carrier, tracking, payments
    or what can be done with an order, use order_status with its number.
    """
    orders = selectors.orders_of(user)
    newest, count = list(orders[:MAX_LISTED_ORDERS]), orders.count()
    return {
        "count": count,
        "orders": [
            {
                "order_number": order.number,
                "status": order.status,
                "placed_on": words.iso_day(order.placed_at),
                "total": _total(order),
                "items_text": clean_text(words.items_words(order), 400),
            }
            for order in newest
        ],
        "summary": words.orders_words(newest, count=count),
    }


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
    examples=_examples(tool_examples.FIND_PRODUCTS),
)
def find_products(
    query: Annotated[
        str, Field(max_length=200, description="A few words: product, colour, size. Empty lists everything sold.")
    ] = "",
    *,
    user: User,
) -> Result:
    """Search what the shop sells: products with their options, prices, skus and whether each variant is available.

    Use this for questions about products, prices, sizes and stock, and to find another variant of something that was
    ordered. Product names are English: translate the customer's words. A wide search gives names and prices only;
    search again with the product's name for its variants. Not for things the customer has ordered already.
    """
    variants = selectors.find_variants(query)
    products: dict[int, list[Variant]] = {}
    for variant in variants:
        products.setdefault(variant.product_id, []).append(variant)
    is_detailed = len(products) <= words.MANY_PRODUCTS
    return {
        "count": len(products),
        "products": [_product_result(r, is_detailed=is_detailed) for r in list(products.values())[:MAX_PRODUCTS]],
        "summary": clean_text(words.products_words(variants), 2000),
    }


@tool(
    title=gettext_lazy("Account"),
    progress=gettext_lazy("Looking up your account"),
    examples=_examples(tool_examples.MY_ACCOUNT),
)
def my_account(*, user: User) -> Result:
    """Show this customer's own account: name, masked e-mail, default address, and payment methods with their ids and
    the balances of gift cards.

    Use this for questions about the account, and to find the id of a payment method, for instance the gift card that
    a refund shall go to. It never holds a password or a full card number. Not for orders: that is list_orders.
    """
    balances = ledger.gift_card_balances(user)
    methods = list(ledger.methods_of(user))
    address = selectors.default_address(user)
    label = "; ".join(method_line(method, balances) for method in methods) or _("There is no payment method.")
    name = clean_text(user.get_full_name(), 80)
    return {
        "name": name,
        "email": words.masked_email(user.email),
        "default_address": clean_text(str(address), 400) if address else _("no address on record"),
        "payment_methods": [method_result(method, balances) for method in methods],
        "payment_methods_text": label,
        "orders": selectors.orders_of(user).count(),
        "summary": f"{name}, {words.masked_email(user.email)}. {label}",
    }


# --- Writes: each is planned, shown and confirmed before its function runs -------------------------------------------


def _plan_cancellation(arguments: dict[str, Any], *, user: User) -> dict[str, Any]:
    with _refusals():
        order = selectors.order_of(user, number=arguments["order_number"])
        return services.plan_cancellation(order, reason=arguments["reason"])


def _lock_order(arguments: dict[str, Any], *, user: User) -> None:
    """The order, then its account: the order in which the services lock them."""
    with _refusals():
        order = selectors.order_of(user, number=arguments["order_number"], lock=True)
        if order.account:
            books.lock_account(order.account)


def _describe_cancellation(facts: dict[str, Any]) -> Description:
    return Description(
        title=_("Cancel order %(order)s") % facts,
        sentence=action_words.cancellation_sentence(facts),
        lines=action_words.cancellation_lines(facts),
        warning=_("A cancelled order cannot be restored; it would have to be placed again."),
        decline=_("Keep the order"),
    )


@tool(
    writes=True,
    title=gettext_lazy("Cancel an order"),
    progress=gettext_lazy("Preparing the cancellation of %(order_number)s"),
    plan=_plan_cancellation,
    lock=_lock_order,
    describe=_describe_cancellation,
    examples=_examples(tool_examples.CANCEL_ORDER),
)
def cancel_order(order_number: OrderNumber, reason: CancelReason, *, user: User) -> Result:
    """Propose to cancel a whole order that is still pending; every payment goes back to its own payment method.

    Nothing happens until the customer confirms on the page that the answer links to: say so, and never say that the
    order is cancelled. Ask for the reason first if the customer gave none. Not for orders that were sent, delivered
    or changed, not for single items, and not to give back part of the money: that is refund_order.
    """
    with _refusals():
        order = selectors.order_of(user, number=order_number)
        facts = services.plan_cancellation(order, reason=reason)
        order = services.cancel_order(order, reason=reason)
    return {
        "order_number": order.number,
        "status": order.status,
        "status_text": str(order.get_status_display()),
        "refunded": plain(action_words.refunded_minor(facts), currency=facts["currency"]),
        "refunds_text": action_words.parts_words(facts),
        "summary": words.where_words(order),
    }


def _refund_arguments(arguments: dict[str, Any], *, user: User) -> tuple[Order, dict[str, Any]]:
    """The order, and what the services of a refund take."""
    order = selectors.order_of(user, number=arguments["order_number"])
    currency = order.account.currency if order.account else order.currency
    public_id = arguments.get("payment_method")
    return order, {
        "amount_minor": parse(arguments["amount"], currency=currency),
        "method": ledger.method_of(user, public_id=public_id) if public_id else None,
    }


def _plan_refund(arguments: dict[str, Any], *, user: User) -> dict[str, Any]:
    with _refusals():
        order, terms = _refund_arguments(arguments, user=user)
        return services.plan_refund(order, **terms)


def _describe_refund(facts: dict[str, Any]) -> Description:
    amount = shown(facts["amount_minor"], currency=facts["currency"])
    return Description(
        title=_("Refund %(amount)s") % {"amount": amount},
        sentence=action_words.refund_sentence(facts),
        lines=action_words.refund_lines(facts),
        warning=_("This cannot be undone."),
        decline=_("Don't refund"),
    )


@tool(
    writes=True,
    title=gettext_lazy("Refund"),
    progress=gettext_lazy("Preparing a refund for %(order_number)s"),
    plan=_plan_refund,
    lock=_lock_order,
    describe=_describe_refund,
    examples=_examples(tool_examples.REFUND_ORDER),
)
def refund_order(
    order_number: OrderNumber, amount: Amount, payment_method: MethodId | None = None, *, user: User
) -> Result:
    """Propose to give back part or all of what was paid for an order, to the original payment method or to one of the
    customer's gift cards (by its id, only if the customer asks for that).

    Nothing happens until the customer confirms on the page that the answer links to: say so, and never say that the
    money was refunded. Look the order up with order_status first, which says how much can be refunded. Not to call
    off a pending order: cancel_order gives everything back.
    """
    with _refusals():
        order, terms = _refund_arguments(
            {"order_number": order_number, "amount": amount, "payment_method": payment_method}, user=user
        )
        facts = services.plan_refund(order, **terms)
        services.refund_order(order, **terms)
    return {
        "order_number": order.number,
        "refunded": plain(facts["amount_minor"], currency=facts["currency"]),
        "refunds_text": action_words.parts_words(facts),
        "left_to_refund": plain(facts["left_after_minor"] or 0, currency=facts["currency"]),
        "summary": _("Refunded: %(parts)s.") % {"parts": action_words.parts_words(facts)},
    }


# --- Results ----------------------------------------------------------------------------------------------------------


def _order_result(order: Order) -> Result:
    """Few fields, money with its currency, and whatever others wrote inside a fence."""
    parcel = words.last_shipment(order)
    possible = services.can_do_now(order)
    return {
        "order_number": order.number,
        "status": order.status,
        "status_text": str(order.get_status_display()),
        "placed_on": words.iso_day(order.placed_at),
        "carrier": clean_text(parcel.carrier, 60) if parcel else None,
        "tracking": [clean_text(str(number), 60) for s in order.shipments.all() for number in s.tracking],
        "items": [
            {
                **_variant_result(line.variant),
                "name": clean_text(line.variant.product.name, 200),
                "price": plain(line.price_minor, currency=order.currency),
            }
            for line in order.lines.all()
        ],
        "items_text": clean_text(words.items_words(order), 1000),
        "total": _total(order),
        "paid_with": words.payment_words(order),
        "ship_to": clean_text(str(order.ship_to), 400) if order.ship_to else None,
        "can_do_now": {
            "cancel_order": possible.cancel,
            "refund_order_up_to": plain(possible.refund_minor, currency=order.currency),
        },
        "can_do_text": words.can_do_words(order, possible),
        **_outside_texts(order, parcel),
        "summary": words.where_words(order),
    }


def _outside_texts(order: Order, parcel: Shipment | None) -> Result:
    """What the customer wrote at the checkout and what the carrier reports: material, never instructions."""
    news = "\n".join(event.text for event in parcel.events.all()) if parcel else ""
    found = {"note": (order.note, "order note"), "carrier_news": (news, "carrier")}
    return {key: fence(text, source) for key, (text, source) in found.items() if text}


def _product_result(variants: list[Variant], *, is_detailed: bool) -> Result:
    lowest = min(variants, key=lambda row: row.price_minor)
    found: Result = {
        "name": clean_text(lowest.product.name, 200),
        "price_from": plain(lowest.price_minor, currency=lowest.currency),
    }
    if is_detailed:
        found["variants"] = [
            {
                **_variant_result(row),
                "price": plain(row.price_minor, currency=row.currency),
                "available": row.available,
            }
            for row in variants
        ]
    return found


def _variant_result(variant: Variant) -> Result:
    options = {clean_text(str(key), 40): clean_text(str(value), 80) for key, value in variant.options.items()}
    return {"sku": variant.sku, "options": options}


def _total(order: Order) -> str:
    return plain(selectors.total_minor(order), currency=order.currency)
