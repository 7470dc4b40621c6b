"""What the shop's tools answer with: few fields, money with its currency, ready sentences in the customer's language.

The texts are as the rows hold them; `orders.tools` cleans them, and fences those that are Foreign.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from billing import selectors as ledger
from billing.models import PaymentMethod
from billing.money import plain
from billing.words import method_line, method_result
from orders import action_words, change_words, selectors, services, words
from orders.models import Address, Order, Shipment, Variant

Result = dict[str, Any]
Facts = dict[str, Any]

MAX_LISTED_ORDERS = 20
MAX_PRODUCTS = 60


@dataclass(frozen=True)
class Foreign:
    """Words that others wrote: material, never instructions."""

    text: str
    source: str


def order_found(order: Order) -> Result:
    parcel = words.last_shipment(order)
    standing = ledger.standing(order.account)
    possible = services.can_do_now(order, standing=standing)
    refunded = words.refund_words(standing)
    return {
        "order_number": order.number,
        **_status(order),
        "placed_on": words.iso_day(order.placed_at),
        "carrier": parcel.carrier if parcel else None,
        "tracking": [str(number) for s in order.shipments.all() for number in s.tracking],
        "items": [
            {
                **_variant(line.variant),
                "name": line.variant.product.name,
                "price": plain(line.price_minor, currency=order.currency),
            }
            for line in order.lines.all()
        ],
        "items_text": words.items_words(order),
        "total": _total(order),
        "paid_with": words.payment_words(standing),
        **({"refunded_to": refunded} if refunded else {}),
        "ship_to": str(order.ship_to) if order.ship_to else None,
        "can_do_now": {
            **possible.actions(),
            "refund_order_up_to": plain(possible.refund_minor, currency=order.currency),
        },
        "can_do_text": words.can_do_words(order, possible),
        **_foreign(order, parcel),
        "summary": words.where_words(order),
    }


def orders_found(user: User) -> Result:
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
                "items_text": words.items_words(order),
            }
            for order in newest
        ],
        "summary": words.orders_words(newest, count=count),
    }


def products_found(query: str) -> Result:
    variants = selectors.find_variants(query)
    products: dict[int, list[Variant]] = {}
    for variant in variants:
        products.setdefault(variant.product_id, []).append(variant)
    is_detailed = len(products) <= words.MANY_PRODUCTS
    return {
        "count": len(products),
        "products": [_product(rows, is_detailed=is_detailed) for rows in list(products.values())[:MAX_PRODUCTS]],
        "summary": words.products_words(variants),
    }


def account_found(user: User) -> Result:
    balances, reserved = ledger.gift_card_balances(user), ledger.gift_card_reservations(user)
    methods = list(ledger.methods_of(user))
    address = selectors.default_address(user)
    label = "; ".join(method_line(method, balances, reserved) for method in methods)
    label = label or _("There is no payment method.")
    name, email = user.get_full_name(), words.masked_email(user.email)
    return {
        "name": name,
        "email": email,
        "default_address": str(address) if address else _("no address on record"),
        "payment_methods": [method_result(method, balances, reserved) for method in methods],
        "payment_methods_text": label,
        "orders": selectors.orders_of(user).count(),
        "summary": f"{name}, {email}. {label}",
    }


def cancelled(order: Order, facts: Facts) -> Result:
    return {
        "order_number": order.number,
        **_status(order),
        "refunded": plain(action_words.refunded_minor(facts), currency=facts["currency"]),
        "refunds_text": action_words.parts_words(facts),
        "summary": words.where_words(order),
    }


def refunded(facts: Facts) -> Result:
    return {
        "order_number": facts["order"],
        "refunded": plain(facts["amount_minor"], currency=facts["currency"]),
        "refunds_text": action_words.parts_words(facts),
        "left_to_refund": plain(facts["left_after_minor"] or 0, currency=facts["currency"]),
        "summary": _("Refunded: %(parts)s.") % {"parts": action_words.parts_words(facts)},
    }


def swapped(order: Order, facts: Facts, *, method: PaymentMethod) -> Result:
    """Of changed items and of an exchange alike: `to_pay` is above zero or `to_get_back` is, or neither."""
    difference = facts["difference_minor"]
    return {
        "order_number": order.number,
        **_status(order),
        "to_pay": plain(max(0, difference), currency=facts["currency"]),
        "to_get_back": plain(max(0, -difference), currency=facts["currency"]),
        "difference_text": change_words.difference_words(facts),
        "items_text": words.items_words(order),
        "total": _total(order),
        **_gift_card(method),
        "summary": words.where_words(order),
    }


def to_be_returned(order: Order, facts: Facts) -> Result:
    return {
        "order_number": order.number,
        **_status(order),
        "to_get_back": plain(facts["amount_minor"], currency=facts["currency"]),
        "refund_text": change_words.return_money_words(facts),
        "summary": words.where_words(order),
    }


def paid_otherwise(order: Order, facts: Facts, *, method: PaymentMethod) -> Result:
    return {
        "order_number": order.number,
        **_status(order),
        "paid": plain(facts["amount_minor"], currency=facts["currency"]),
        "given_back_text": change_words.given_back_words(facts),
        **_gift_card(method),
        "summary": change_words.payment_sentence(facts),
    }


def readdressed(order: Order) -> Result:
    return {"order_number": order.number, **_status(order), "ship_to": str(order.ship_to)}


def moved(address: Address) -> Result:
    return {"default_address": str(address)}


def _status(order: Order) -> Result:
    return {"status": order.status, "status_text": str(order.get_status_display())}


def _gift_card(method: PaymentMethod) -> Result:
    if not method.is_gift_card:
        return {}
    held, free = ledger.gift_card_balance(method), ledger.gift_card_free(method)
    reserved = {"gift_card_reserved": plain(held - free, currency=method.currency)} if free != held else {}
    return {"gift_card_balance": plain(held, currency=method.currency), **reserved}


def _foreign(order: Order, parcel: Shipment | None) -> Result:
    """What the customer wrote at the checkout and what the carrier reports."""
    news = "\n".join(event.text for event in parcel.events.all()) if parcel else ""
    found = {"note": Foreign(order.note, "order note"), "carrier_news": Foreign(news, "carrier")}
    return {key: foreign for key, foreign in found.items() if foreign.text}


def _product(variants: list[Variant], *, is_detailed: bool) -> Result:
    lowest = min(variants, key=lambda row: row.price_minor)
    found: Result = {
        "name": lowest.product.name,
        "price_from": plain(lowest.price_minor, currency=lowest.currency),
    }
    if is_detailed:
        found["variants"] = [
            {
                **_variant(row),
                "price": plain(row.price_minor, currency=row.currency),
                "available": row.available,
            }
            for row in variants
        ]
    return found


def _variant(variant: Variant) -> Result:
    return {"sku": variant.sku, "options": {str(key): str(value) for key, value in variant.options.items()}}


def _total(order: Order) -> str:
    return plain(selectors.total_minor(order), currency=order.currency)
