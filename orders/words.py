"""Orders and products in the customer's words, in the active language: for cards, answers and documents."""

from collections import Counter
from datetime import date, datetime
from typing import Any

from babel.dates import format_date
from django.utils import timezone
from django.utils.translation import get_language, ngettext, to_locale
from django.utils.translation import gettext as _

from billing.money import plain, shown
from billing.selectors import Standing
from billing.words import method_facts, method_label
from orders.models import Order, Shipment, Variant
from orders.selectors import total_minor
from orders.services import Possible

S = Order.Status
MANY_PRODUCTS = 3  # more than these are named with their prices only


def day_words(day: date | datetime | None) -> str:
    """ "30 November 2026", in the customer's language and the shop's time zone; empty where there is no date."""
    if day is None:
        return ""
    local = timezone.localtime(day).date() if isinstance(day, datetime) else day
    return format_date(local, format="long", locale=to_locale(get_language() or "en"))


def iso_day(moment: datetime | None) -> str | None:
    """For machines: 2026-11-30 in the shop's time zone."""
    return timezone.localdate(moment).isoformat() if moment else None


def item_words(variant: Variant) -> str:
    """A variant in one line: "Stoneware Mug (sand, 250 ml)"."""
    options = ", ".join(str(value) for value in variant.options.values())
    return f"{variant.product.name} ({options})" if options else variant.product.name


def items_words(order: Order) -> str:
    """Everything in the order, the same things counted together: "2 × Notebook (dotted, A6), Bicycle Bell"."""
    counted = Counter(item_words(line.variant) for line in order.lines.all())
    return ", ".join(f"{count} × {words}" if count > 1 else words for words, count in counted.items())


def total_words(order: Order) -> str:
    """What the order's lines cost, as people write it."""
    return shown(total_minor(order), currency=order.currency)


def payment_words(standing: Standing) -> list[str]:
    """How an order was paid: "29.00 EUR, Visa ending 4242"."""
    return [
        f"{plain(p.payment.amount_minor, currency=p.payment.currency)}, {method_label(method_facts(p.payment.method))}"
        for p in standing.payments
    ]


def refund_words(standing: Standing) -> list[str]:
    """What was given back and where to: "29.00 EUR, Visa ending 4242"."""
    return [
        f"{plain(r.amount_minor, currency=r.currency)}, {method_label(method_facts(r.method))}"
        for r in standing.refunds
    ]


def last_shipment(order: Order) -> Shipment | None:
    """The parcel that the customer asks about: the one that came last."""
    return max(order.shipments.all(), key=lambda shipment: shipment.pk, default=None)


def where_words(order: Order) -> str:
    """Where the order is, in one sentence that names it."""
    number = {"number": order.number}
    if order.status == S.SHIPPED:
        return _on_its_way(order)
    if order.status == S.DELIVERED:
        return _delivered(order)
    if order.status == S.CANCELLED:
        return _("Order %(number)s was cancelled.") % number
    return {
        S.PENDING: _("Order %(number)s is pending: it has not been sent yet.") % number,
        S.ITEMS_CHANGED: _("Order %(number)s is pending with changed items: it has not been sent yet.") % number,
        S.PROCESSED: _("Order %(number)s is being prepared and has not been sent yet.") % number,
        S.RETURN_REQUESTED: _("A return was requested for order %(number)s.") % number,
        S.EXCHANGE_REQUESTED: _("An exchange was requested for order %(number)s.") % number,
    }[S(order.status)]


def _on_its_way(order: Order) -> str:
    parcel = last_shipment(order)
    facts = {
        "number": order.number,
        "carrier": parcel.carrier if parcel else "",
        "tracking": ", ".join(parcel.tracking) if parcel else "",
        "day": day_words(parcel.expected_on if parcel else None),
    }
    if facts["carrier"] and facts["tracking"]:
        text = _("Order %(number)s is on its way with %(carrier)s, tracking number %(tracking)s.") % facts
    else:
        text = _("Order %(number)s is on its way.") % facts
    if facts["day"]:
        text += " " + _("It should arrive by %(day)s.") % facts
    return text


def _delivered(order: Order) -> str:
    parcel = last_shipment(order)
    if parcel and parcel.delivered_at:
        day = day_words(parcel.delivered_at)
        return _("Order %(number)s was delivered on %(day)s.") % {"number": order.number, "day": day}
    return _("Order %(number)s was delivered.") % {"number": order.number}


def order_card(order: Order) -> dict[str, Any]:
    """What an order card shows: words only, ready for the template."""
    parcel = last_shipment(order)
    return {
        "number": order.number,
        "status": order.status.split()[0],
        "status_text": order.get_status_display(),
        "placed_on": day_words(order.placed_at),
        "items": [
            {"text": item_words(line.variant), "price": shown(line.price_minor, currency=order.currency)}
            for line in order.lines.all()
        ],
        "total": total_words(order),
        "where": where_words(order),
        "carrier": parcel.carrier if parcel else "",
        "tracking": parcel.tracking if parcel else [],
    }


def product_cards(variants: list[Variant]) -> list[dict[str, Any]]:
    """What a products card shows: one line a product, with the choices among these variants."""
    found: dict[int, list[Variant]] = {}
    for variant in variants:
        found.setdefault(variant.product_id, []).append(variant)
    return [
        {
            "name": rows[0].product.name,
            "price": price_words(rows),
            "options": [{"name": name, "choices": values} for name, values in choices(rows).items()],
            "in_stock": sum(row.available for row in rows),
        }
        for rows in found.values()
    ]


def choices(variants: list[Variant]) -> dict[str, list[str]]:
    """Each option's values among the variants that can be bought, in their first order; of all, where none can."""
    found: dict[str, list[str]] = {}
    for variant in [row for row in variants if row.available] or variants:
        for name, value in variant.options.items():
            values = found.setdefault(name, [])
            if value not in values:
                values.append(value)
    return found


def price_words(variants: list[Variant]) -> str:
    """ "€16.00" or "from €16.00"."""
    lowest = min(variants, key=lambda row: row.price_minor)
    price = shown(lowest.price_minor, currency=lowest.currency)
    is_same = all(row.price_minor == lowest.price_minor for row in variants)
    return price if is_same else _("from %(price)s") % {"price": price}


def orders_words(orders: list[Order], *, count: int) -> str:
    """A customer's orders in one paragraph, as many as are given of `count`."""
    if not count:
        return _("There are no orders on this account.")
    named = "; ".join(f"{order.number} ({order.get_status_display()}, {total_words(order)})" for order in orders)
    head = ngettext("There is %(count)d order", "There are %(count)d orders", count) % {"count": count}
    shorter = _(", the newest being") if count > len(orders) else ""
    return f"{head}{shorter}: {named}."


def products_words(variants: list[Variant]) -> str:
    """What a search found, in one paragraph."""
    cards = product_cards(variants)
    if not cards:
        return _("Nothing in the shop fits that.")
    is_brief = len(cards) > MANY_PRODUCTS
    return "; ".join(_product_words(card, is_brief=is_brief) for card in cards) + "."


def _product_words(card: dict[str, Any], *, is_brief: bool) -> str:
    words = f"{card['name']}, {card['price']}"
    if not card["in_stock"]:
        words += ", " + _("sold out")
    if is_brief:
        return words
    options = [f"{option['name']}: {', '.join(option['choices'])}" for option in card["options"]]
    return f"{words} ({'; '.join(options)})" if options else words


def can_do_words(order: Order, possible: Possible) -> str:
    """What `can_do_now` found, in a sentence or two; nothing of an order that is cancelled."""
    if order.status == S.CANCELLED:
        return ""
    amount = {"amount": shown(possible.refund_minor, currency=order.currency)}
    parts = [_("It can still be cancelled.") if possible.cancel else _("It can no longer be cancelled.")]
    if possible.change:
        parts.append(_("Its items, payment method and address can still be changed."))
    if possible.send_back:
        parts.append(_("Its items can be returned or exchanged, once."))
    if possible.refund_minor:
        parts.append(_("Up to %(amount)s can be refunded.") % amount)
    return " ".join(parts)


def masked_email(email: str) -> str:
    """ "anna@example.com" is "a***@example.com": enough to recognise one's own."""
    name, at, host = email.partition("@")
    return f"{name[:1]}***{at}{host}" if at else ""
