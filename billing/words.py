"""Payment methods in the customer's words."""

from django.utils.translation import gettext as _

from billing.models import PaymentMethod
from billing.money import plain, shown

_BRANDS = {"visa": "Visa", "mastercard": "Mastercard", "amex": "American Express"}


def method_words(facts: dict[str, str]) -> str:
    """A method as it stands in a sentence ("to ..."): "the card ending 4242", "PayPal", "the gift card ...4071"."""
    if facts["kind"] == PaymentMethod.Kind.PAYPAL:
        return _("PayPal")
    if facts["kind"] == PaymentMethod.Kind.GIFT_CARD:
        return _("the gift card ending %(last4)s") % {"last4": facts["id"][-4:]}
    if facts["last4"]:
        return _("the card ending %(last4)s") % {"last4": facts["last4"]}
    return _("the card")


def method_label(facts: dict[str, str]) -> str:
    """A method as it stands in a list: "Visa ending 4242", "PayPal", "Gift card ending 4071"."""
    if facts["kind"] == PaymentMethod.Kind.PAYPAL:
        return _("PayPal")
    if facts["kind"] == PaymentMethod.Kind.GIFT_CARD:
        return _("Gift card ending %(last4)s") % {"last4": facts["id"][-4:]}
    brand = _BRANDS.get(facts["brand"], facts["brand"].title()) or _("Card")
    return _("%(brand)s ending %(last4)s") % {"brand": brand, "last4": facts["last4"]} if facts["last4"] else brand


def method_facts(method: PaymentMethod) -> dict[str, str]:
    """What a plan keeps of a method: enough to name it, nothing to charge it."""
    return {"id": method.public_id, "kind": method.kind, "brand": method.brand, "last4": method.last4}


def due_words(*, at_once: bool) -> str:
    """When refunded money is there."""
    return _("at once") if at_once else _("in 5 to 7 business days")


def method_line(method: PaymentMethod, balances: dict[int, int], reserved: dict[int, int]) -> str:
    """A method in a list for people: "Gift card ending 5107: €42.00, €6.00 of it reserved for an exchange"."""
    label = method_label(method_facts(method))
    if not method.is_gift_card:
        return label
    held = shown(balances.get(method.pk, 0), currency=method.currency)
    if method.pk not in reserved:
        return f"{label}: {held}"
    part = shown(reserved[method.pk], currency=method.currency)
    return f"{label}: " + _("%(held)s, %(part)s of it reserved for an exchange") % {"held": held, "part": part}


def method_result(method: PaymentMethod, balances: dict[int, int], reserved: dict[int, int]) -> dict[str, str]:
    """A method as a tool answers with it: its id, its name and, of a gift card, what it holds and what is promised."""
    found = {"id": method.public_id, "label": method_label(method_facts(method))}
    if method.is_gift_card:
        found["balance"] = plain(balances.get(method.pk, 0), currency=method.currency)
    if method.pk in reserved:
        found["reserved"] = plain(reserved[method.pk], currency=method.currency)
    return found
