"""Where an order is sent, and where the next one would be."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import CharField
from django.utils.translation import gettext_lazy as _

from billing.services import lock_customer
from orders import selectors
from orders.errors import BadAddress
from orders.models import Address, Order
from orders.services.checks import check_changeable, locked

PARTS = {
    "line1": _("street"),
    "line2": _("address line 2"),
    "city": _("city"),
    "state": _("state"),
    "country": _("country"),
    "zip": _("zip code"),
}
REQUIRED = ("line1", "city", "country", "zip")


def plan_shipping_address_change(order: Order, *, address: Mapping[str, str]) -> dict[str, Any]:
    """The facts of `change_shipping_address`. Reads only; the same refusals."""
    check_changeable(order)
    return {"order": order.number, "from": _facts(order.ship_to), "to": cleaned(address)}


@transaction.atomic
def change_shipping_address(order: Order, *, address: Mapping[str, str]) -> Order:
    """Send a pending order somewhere else; the customer's default address stays.

    Raises OrderNotChangeable, ItemsChangedBefore, BadAddress.
    """
    order = locked(order)
    check_changeable(order)
    # A row of its own: the old one may be the default address, or another order's.
    order.ship_to = Address.objects.create(customer_id=order.customer_id, **cleaned(address))
    order.save(update_fields=["ship_to"])
    return order


def plan_default_address_change(customer: User, *, address: Mapping[str, str]) -> dict[str, Any]:
    """The facts of `change_default_address`. Reads only; the same refusals."""
    return {"from": _facts(selectors.default_address(customer)), "to": cleaned(address)}


@transaction.atomic
def change_default_address(customer: User, *, address: Mapping[str, str]) -> Address:
    """Where the customer's next orders go; orders that are placed keep theirs. Raises BadAddress."""
    parts = cleaned(address)
    lock_customer(customer.pk)
    # A new row, not other words in the old one: an order may point to it.
    Address.objects.filter(customer=customer, is_default=True).update(is_default=False)
    return Address.objects.create(customer=customer, is_default=True, **parts)


def cleaned(address: Mapping[str, str]) -> dict[str, str]:
    """The parts without what cannot be seen or printed, each in one line. Raises BadAddress, which names the part."""
    found = {part: _printable(address.get(part, "")) for part in PARTS}
    for part, text in found.items():
        field = cast("CharField[str, str]", Address._meta.get_field(part))
        if len(text) > (field.max_length or 0) or (part in REQUIRED and not re.search(r"\w", text)):
            raise BadAddress(part=PARTS[part])
    return found


def _printable(text: str) -> str:
    """Controls, direction marks, zero widths and characters without a meaning go; every blank is one space."""
    seen = "".join(
        " " if character.isspace() else character
        for character in unicodedata.normalize("NFC", text)
        if character.isspace() or unicodedata.category(character)[0] != "C"
    )
    return " ".join(seen.split())


def _facts(address: Address | None) -> dict[str, str] | None:
    return {part: getattr(address, part) for part in PARTS} if address else None
