"""What the shop keeps of a customer who wants to be forgotten, and what it takes away."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from orders.models import Address, Order, Shipment, ShipmentEvent

TAX = "invoices are kept as long as tax law asks"
KEPT = {
    "orders.Address": "the place of an order that is kept, without street and town",
    "orders.Address.country": "where the tax was due",
    "orders.Exchange": TAX,
    "orders.ExchangeLine": TAX,
    "orders.Order": TAX,
    "orders.Order.number": "the number of the invoice",
    "orders.OrderLine": TAX,
    "orders.Product": "the catalogue",
    "orders.Return": TAX,
    "orders.Shipment": "that the goods were sent, and when; without tracking numbers",
    "orders.Shipment.carrier": "who carried them",
    "orders.Variant": "the catalogue",
}
OVER = (Order.Status.DELIVERED, Order.Status.CANCELLED)


def open_matters(user: Any) -> list[str]:
    """One sentence for each order that still needs its address."""
    rows = Order.objects.filter(customer_id=user.pk).exclude(status__in=OVER)
    return [_("Order %(number)s is not over yet.") % {"number": order.number} for order in rows.order_by("pk")]


@transaction.atomic
def erase(user: Any) -> dict[str, int]:
    """Notes, tracking, carriers' words and addresses go; orders stay under a number. Returns rows by model."""
    theirs = Order.objects.filter(customer_id=user.pk)
    parcels = Shipment.objects.filter(order__in=theirs)
    notes = theirs.exclude(note="").update(note="")
    told = ShipmentEvent.objects.filter(shipment__in=parcels).delete()[0]
    tracked = parcels.exclude(tracking=[]).update(tracking=[])
    addresses = Address.objects.filter(customer_id=user.pk)
    unused = addresses.exclude(pk__in=theirs.filter(ship_to__isnull=False).values("ship_to"))
    deleted = unused.delete()[0]
    emptied = addresses.update(line1="", line2="", city="", state="", zip="", is_default=False)
    return {
        "orders.Address": deleted + emptied,
        "orders.Order": notes,
        "orders.Shipment": tracked,
        "orders.ShipmentEvent": told,
    }
