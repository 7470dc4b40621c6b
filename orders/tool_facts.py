"""What the gate is told of the shop's tools: which results are records, how customers name things, what is at stake."""

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from orders import action_words

Facts = dict[str, Any]
Stake = tuple[int, str]  # minor units and their currency

# Keys of results that hold the shop's own identifiers and amounts, and addresses on record. Never a name or a note.
ORDER_RECORDS = frozenset(
    {"order_number", "tracking", "sku", "price", "total", "paid_with", "refunded_to", "ship_to", "refund_order_up_to"}
)
PRODUCT_RECORDS = frozenset({"sku", "price", "price_from"})
ACCOUNT_RECORDS = frozenset({"id", "balance", "reserved", "default_address"})

# Arguments by the label of their line in the document. Items have none: nobody writes their numbers.
LABELS: dict[str, str | Promise] = {
    "order_number": _("Order"),
    "amount": _("Amount"),
    "reason": _("Reason"),
    "payment_method": _("Payment method"),
    **dict.fromkeys(("line1", "line2", "city", "state", "country", "zip"), _("To")),
}

# How customers say why they cancel: words that begin like these, in this order, in one sentence.
REASONS_SPOKEN = {
    "no longer needed": (
        "no longer need", "no longer want", "not need", "not want", "don't need", "don't want",
        "dont need", "dont want", "changed my mind", "no use for", "nicht mehr brauch", "brauch nicht mehr",
        "nicht mehr benötig", "benötig nicht mehr", "nicht mehr will", "will nicht mehr", "möchte nicht mehr",
        "nicht mehr möchte", "nicht mehr haben", "anders überlegt", "keine verwendung",
    ),
    "ordered by mistake": (
        "mistake", "accident", "wrong order", "ordered wrong", "not mean to", "didn't mean", "versehen", "irrtum",
        "irrtümlich", "falsch bestellt", "fehlbestellung", "aus versehen",
    ),
}  # fmt: skip


def cancelled(facts: Facts) -> Stake:
    """Everything that goes back."""
    return action_words.refunded_minor(facts), facts["currency"]


def moved(facts: Facts) -> Stake:
    """A refund, a return, or what another payment method takes over."""
    return facts["amount_minor"], facts["currency"]


def difference(facts: Facts) -> Stake:
    """Of items that become others, whoever pays it."""
    return abs(facts["difference_minor"]), facts["currency"]
