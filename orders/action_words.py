"""What a cancellation and a refund do, in the customer's words, from the facts of their plans."""

from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from billing.money import shown
from billing.words import due_words, method_words
from orders.models import Order

Facts = dict[str, Any]
Lines = list[tuple[str, str]]


class Words(NamedTuple):
    """A proposal as its page shows it."""

    title: str
    sentence: str
    lines: Lines
    warning: str = ""
    decline: str = ""


def cancellation(facts: Facts) -> Words:
    return Words(
        title=_("Cancel order %(order)s") % facts,
        sentence=cancellation_sentence(facts),
        lines=cancellation_lines(facts),
        warning=_("A cancelled order cannot be restored; it would have to be placed again."),
        decline=_("Keep the order"),
    )


def refund(facts: Facts) -> Words:
    return Words(
        title=_("Refund %(amount)s") % {"amount": _money(facts, facts["amount_minor"])},
        sentence=refund_sentence(facts),
        lines=refund_lines(facts),
        warning=_("This cannot be undone."),
        decline=_("Don't refund"),
    )


def cancellation_sentence(facts: Facts) -> str:
    """The whole of it: "Cancel order DZ-10428 and refund €20.00 to the gift card ending 5107 (at once)"."""
    if not facts["refunds"]:
        return _("Cancel order %(order)s") % facts
    return _("Cancel order %(order)s and refund %(parts)s") % {"order": facts["order"], "parts": parts_words(facts)}


def cancellation_lines(facts: Facts) -> Lines:
    """What the document lists."""
    return [
        (_("Order"), facts["order"]),
        (_("Items"), str(facts["items"])),
        (_("Order total"), _money(facts, facts["total_minor"])),
        (_("Reason"), str(Order.CancelReason(facts["reason"]).label)),
        *_refund_lines(facts),
    ]


def refund_sentence(facts: Facts) -> str:
    """The whole of it: "Refund €42.00 for order DZ-10423 to the card ending 4242"."""
    words = {"amount": _money(facts, facts["amount_minor"]), "order": facts["order"]}
    targets = {method_words(part["method"]) for part in facts["refunds"]}
    if len(targets) > 1:
        return _("Refund %(amount)s for order %(order)s: %(parts)s") % {**words, "parts": parts_words(facts)}
    to = targets.pop() if targets else _("the original payment method")
    return _("Refund %(amount)s for order %(order)s to %(method)s") % {**words, "method": to}


def refund_lines(facts: Facts) -> Lines:
    """What the document lists."""
    left = facts["left_after_minor"]
    return [
        (_("Order"), facts["order"]),
        (_("Amount"), _money(facts, facts["amount_minor"])),
        *_refund_lines(facts),
        *([] if left is None else [(_("Left to refund afterwards"), _money(facts, left))]),
    ]


def parts_words(facts: Facts) -> str:
    """Each part of the money and its way: "€20.00 to the gift card ending 5107 (at once), €50.90 to ..."."""
    return ", ".join(
        _("%(amount)s to %(method)s (%(due)s)")
        % {
            "amount": _money(facts, part["amount_minor"]),
            "method": method_words(part["method"]),
            "due": due_words(at_once=part["at_once"]),
        }
        for part in facts["refunds"]
    )


def refunded_minor(facts: Facts) -> int:
    """All parts together."""
    return sum(part["amount_minor"] for part in facts["refunds"])


def _refund_lines(facts: Facts) -> Lines:
    return [
        (
            _("Back to %(method)s") % {"method": method_words(part["method"])},
            f"{_money(facts, part['amount_minor'])}, {due_words(at_once=part['at_once'])}",
        )
        for part in facts["refunds"]
    ]


def _money(facts: Facts, amount_minor: int) -> str:
    return shown(amount_minor, currency=facts["currency"])
