"""What a change, a return and an exchange do, in the customer's words, from the facts of their plans."""

from typing import Any

from django.utils.translation import gettext as _

from billing.money import shown
from billing.words import due_words, method_words
from orders.action_words import Lines, Words
from orders.models import Address

Facts = dict[str, Any]


def item_change(facts: Facts) -> Words:
    return Words(
        title=_("Change items of order %(order)s") % facts,
        sentence=_("Change in order %(order)s: %(swaps)s; %(difference)s")
        % {"order": facts["order"], "swaps": _swaps_words(facts), "difference": difference_words(facts)},
        lines=[
            (_("Order"), facts["order"]),
            *_swap_lines(facts),
            (_("Difference"), difference_words(facts)),
            (_("Order total afterwards"), _money(facts, facts["total_minor"])),
        ],
        warning=_("Items of an order can be changed once. Afterwards it can be neither changed nor cancelled."),
        decline=_("Keep the items"),
    )


def exchange(facts: Facts) -> Words:
    return Words(
        title=_("Exchange items of order %(order)s") % facts,
        sentence=_("Exchange from order %(order)s: %(swaps)s; %(difference)s")
        % {"order": facts["order"], "swaps": _swaps_words(facts), "difference": difference_words(facts)},
        lines=[
            (_("Order"), facts["order"]),
            *_swap_lines(facts),
            (_("Difference"), difference_words(facts)),
            (_("When"), _when_words(facts)),
        ],
        warning=_("A return or an exchange can be requested once an order, for all items together."),
        decline=_("Don't exchange"),
    )


def return_request(facts: Facts) -> Words:
    items = [(_named(item), _money(facts, item["price_minor"])) for item in facts["items"]]
    return Words(
        title=_("Return items of order %(order)s") % facts,
        sentence=_("Return from order %(order)s: %(items)s; %(money)s")
        % {
            "order": facts["order"],
            "items": ", ".join(name for name, _price in items),
            "money": return_money_words(facts),
        },
        lines=[
            (_("Order"), facts["order"]),
            *items,
            (_("Refund"), return_money_words(facts)),
            (_("When"), _("Money moves when the items have arrived.")),
        ],
        warning=_("A return or an exchange can be requested once an order, for all items together."),
        decline=_("Don't return"),
    )


def payment_change(facts: Facts) -> Words:
    return Words(
        title=_("Change payment of order %(order)s") % facts,
        sentence=payment_sentence(facts),
        lines=[
            (_("Order"), facts["order"]),
            (_("Amount"), _money(facts, facts["amount_minor"])),
            (_("Paid until now with"), method_words(facts["old_method"])),
            (_("Paid from now on with"), method_words(facts["method"])),
            (_("Given back"), given_back_words(facts)),
        ],
        warning=_("The payment method of an order can be changed once."),
        decline=_("Keep the payment method"),
    )


def shipping_address_change(facts: Facts) -> Words:
    return Words(
        title=_("Send order %(order)s elsewhere") % facts,
        sentence=_("Send order %(order)s to this address: %(to)s")
        % {"order": facts["order"], "to": _address(facts["to"])},
        lines=[(_("Order"), facts["order"]), *_address_lines(facts)],
        decline=_("Keep the address"),
    )


def default_address_change(facts: Facts) -> Words:
    return Words(
        title=_("Change your address"),
        sentence=_("Change your default address to: %(to)s") % {"to": _address(facts["to"])},
        lines=[*_address_lines(facts), (_("Orders already placed"), _("keep their address"))],
        decline=_("Keep the address"),
    )


def payment_sentence(facts: Facts) -> str:
    """ "Pay order DZ-10430 (€69.00) with PayPal instead of the card ending 3737"."""
    return _("Pay order %(order)s (%(amount)s) with %(new)s instead of %(old)s") % {
        "order": facts["order"],
        "amount": _money(facts, facts["amount_minor"]),
        "new": method_words(facts["method"]),
        "old": method_words(facts["old_method"]),
    }


def given_back_words(facts: Facts) -> str:
    """What the replaced payment method gets back, and when."""
    return _to_method(
        facts, facts["amount_minor"], method=facts["old_method"], due=due_words(at_once=facts["refund_at_once"])
    )


def difference_words(facts: Facts) -> str:
    """Who pays what: "€5.00 to pay with the card ending 4242", "€5.00 back to PayPal (in 5 to 7 business days)"."""
    difference = facts["difference_minor"]
    if difference == 0:
        return _("no difference in price")
    if difference > 0:
        words = {"amount": _money(facts, difference), "method": method_words(facts["method"])}
        return _("%(amount)s to pay with %(method)s") % words
    return _to_method(facts, -difference, method=facts["method"], due=due_words(at_once=facts["at_once"]))


def return_money_words(facts: Facts) -> str:
    """What the customer gets for what is sent back."""
    if not facts["amount_minor"]:
        return _("nothing is left to refund")
    return _to_method(facts, facts["amount_minor"], method=facts["method"], due=due_words(at_once=facts["at_once"]))


def _to_method(facts: Facts, amount_minor: int, *, method: dict[str, str], due: str) -> str:
    words = {"amount": _money(facts, amount_minor), "method": method_words(method), "due": due}
    return _("%(amount)s back to %(method)s (%(due)s)") % words


def _when_words(facts: Facts) -> str:
    if facts["difference_minor"] > 0 and facts["at_once"]:
        return _("Money moves when the items have arrived; until then it is reserved on the gift card.")
    return _("Money moves when the items have arrived.")


def _swaps_words(facts: Facts) -> str:
    return ", ".join(
        _("%(item)s becomes %(new)s") % {"item": _named(swap), "new": _chosen(swap["new"])} for swap in facts["swaps"]
    )


def _swap_lines(facts: Facts) -> Lines:
    return [(swap["name"], f"{_priced(facts, swap)} → {_priced(facts, swap['new'])}") for swap in facts["swaps"]]


def _priced(facts: Facts, variant: dict[str, Any]) -> str:
    return f"{_chosen(variant)}, {_money(facts, variant['price_minor'])}"


def _chosen(variant: dict[str, Any]) -> str:
    """The options of a variant, as words; its number where it has none."""
    return ", ".join(str(value) for value in variant["options"].values()) or variant["sku"]


def _named(variant: dict[str, Any]) -> str:
    return f"{variant['name']} ({_chosen(variant)})"


def _address_lines(facts: Facts) -> Lines:
    before = _address(facts["from"]) if facts["from"] else _("no address on record")
    return [(_("From"), before), (_("To"), _address(facts["to"]))]


def _address(parts: dict[str, str]) -> str:
    return str(Address(**parts))


def _money(facts: Facts, amount_minor: int) -> str:
    return shown(amount_minor, currency=facts["currency"])
