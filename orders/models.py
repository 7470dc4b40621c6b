"""What the shop sells and what its customers ordered. A customer is a user; a number finds an order.

The services are the only writers of orders. Money is in minor units of the row's currency.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing.models import Account, PaymentMethod
from billing.money import default_currency


class Address(models.Model):
    """Where things are sent. An order's address is a row of its own: changing the default leaves orders alone."""

    customer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="addresses")
    line1 = models.CharField(max_length=200)
    line2 = models.CharField(max_length=200, blank=True)
    city = models.CharField(max_length=100)
    state = models.CharField(max_length=100, blank=True)
    country = models.CharField(max_length=100)
    zip = models.CharField(max_length=20)
    is_default = models.BooleanField(default=False)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "addresses"
        constraints = [
            models.UniqueConstraint(
                fields=["customer"], condition=Q(is_default=True), name="address_one_default_a_customer"
            )
        ]

    def __str__(self) -> str:
        return ", ".join(filter(None, [self.line1, self.line2, f"{self.zip} {self.city}", self.state, self.country]))


class Product(models.Model):
    """Something the shop sells, in variants."""

    code = models.CharField(max_length=40, unique=True)  # what the shop's files call it
    name = models.CharField(max_length=200)

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class Variant(models.Model):
    """A product in one choice of its options; what an order line is for."""

    product = models.ForeignKey(Product, models.PROTECT, related_name="variants")
    sku = models.CharField(max_length=40, unique=True)
    options = models.JSONField(default=dict)  # {"color": "red", "size": "M"}
    price_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3, default=default_currency)
    available = models.BooleanField(default=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.CheckConstraint(condition=Q(price_minor__gte=0), name="variant_price_not_below_zero")]

    def __str__(self) -> str:
        return self.sku


class Order(models.Model):
    """What one customer ordered at once. `number`, `customer` and `status` are enough to make one."""

    class Status(models.TextChoices):
        PENDING = "pending", _("pending")
        ITEMS_CHANGED = "pending (item modified)", _("pending, items changed")
        PROCESSED = "processed", _("being prepared")
        SHIPPED = "shipped", _("on its way")
        DELIVERED = "delivered", _("delivered")
        CANCELLED = "cancelled", _("cancelled")
        RETURN_REQUESTED = "return requested", _("return requested")
        EXCHANGE_REQUESTED = "exchange requested", _("exchange requested")

    class CancelReason(models.TextChoices):
        NO_LONGER_NEEDED = "no longer needed", _("no longer needed")
        ORDERED_BY_MISTAKE = "ordered by mistake", _("ordered by mistake")

    number = models.CharField(max_length=32, unique=True)  # as orders.numbers.canonical spells it
    customer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="orders")
    status = models.CharField(max_length=24, choices=Status, default=Status.PENDING)
    cancel_reason = models.CharField(max_length=20, choices=CancelReason, blank=True)
    currency = models.CharField(max_length=3, default=default_currency)
    ship_to = models.ForeignKey(Address, models.PROTECT, null=True, blank=True, related_name="+")
    account = models.OneToOneField(Account, models.PROTECT, null=True, blank=True, related_name="+")
    note = models.TextField(blank=True)  # written by the customer at the checkout, or by a carrier: not by the shop
    placed_at = models.DateTimeField(null=True, blank=True)
    sequence = models.PositiveIntegerField(null=True, blank=True)  # 1 is the customer's oldest, where dates are missing

    class Meta:
        ordering = [F("sequence").asc(nulls_last=True), F("placed_at").asc(nulls_last=True), "id"]  # oldest first
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    status__in=[
                        "pending",
                        "pending (item modified)",
                        "processed",
                        "shipped",
                        "delivered",
                        "cancelled",
                        "return requested",
                        "exchange requested",
                    ]
                ),
                name="order_status_is_known",
            ),
            models.CheckConstraint(
                condition=Q(cancel_reason="")
                | Q(status="cancelled", cancel_reason__in=["no longer needed", "ordered by mistake"]),
                name="order_cancel_reason_fits_status",
            ),
        ]

    def __str__(self) -> str:
        return self.number


class OrderLine(models.Model):
    """One unit of one variant; two of the same are two lines. The price is what it cost when it was ordered."""

    order = models.ForeignKey(Order, models.CASCADE, related_name="lines")
    position = models.PositiveIntegerField()  # 1, 2, ... in its order
    variant = models.ForeignKey(Variant, models.PROTECT, related_name="+")
    price_minor = models.BigIntegerField()

    class Meta:
        ordering = ["order", "position"]
        constraints = [
            models.UniqueConstraint(fields=["order", "position"], name="line_position_once"),
            models.CheckConstraint(condition=Q(price_minor__gte=0), name="line_price_not_below_zero"),
        ]

    def __str__(self) -> str:
        return f"line {self.position}"


class Shipment(models.Model):
    """A parcel, or several under several tracking numbers, with the lines that are in it."""

    order = models.ForeignKey(Order, models.CASCADE, related_name="shipments")
    lines = models.ManyToManyField(OrderLine, related_name="shipments")
    carrier = models.CharField(max_length=60, blank=True)
    tracking = models.JSONField(default=list)  # numbers, as text
    sent_at = models.DateTimeField(null=True, blank=True)
    expected_on = models.DateField(null=True, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(delivered_at__isnull=True) | Q(sent_at__isnull=True) | Q(delivered_at__gte=F("sent_at")),
                name="shipment_sent_before_delivered",
            )
        ]

    def __str__(self) -> str:
        return f"{self.carrier} {', '.join(self.tracking)}".strip()


class ShipmentEvent(models.Model):
    """What the carrier reported, in the carrier's words: text from outside."""

    shipment = models.ForeignKey(Shipment, models.CASCADE, related_name="events")
    at = models.DateTimeField(default=timezone.now)
    text = models.CharField(max_length=500)

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return self.text


class Return(models.Model):
    """A customer asked to send lines of a delivered order back, once an order. Money moves when they arrive."""

    order = models.OneToOneField(Order, models.CASCADE, related_name="return_request")
    lines = models.ManyToManyField(OrderLine, related_name="returns")
    method = models.ForeignKey(PaymentMethod, models.PROTECT, related_name="+")  # where the money will go
    requested_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"return of {self.order_id}"


class Exchange(models.Model):
    """A customer asked for other variants of delivered lines, once an order. Money moves when they are swapped."""

    order = models.OneToOneField(Order, models.CASCADE, related_name="exchange_request")
    method = models.ForeignKey(PaymentMethod, models.PROTECT, related_name="+")
    difference_minor = models.BigIntegerField()  # above zero the customer pays, below zero the shop does
    requested_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"exchange of {self.order_id}"


class ExchangeLine(models.Model):
    """One line of an exchange: what is sent back, and what is sent instead."""

    exchange = models.ForeignKey(Exchange, models.CASCADE, related_name="lines")
    line = models.ForeignKey(OrderLine, models.PROTECT, related_name="+")
    variant = models.ForeignKey(Variant, models.PROTECT, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["exchange", "line"], name="exchange_line_once")]

    def __str__(self) -> str:
        return f"{self.line_id} for {self.variant_id}"
