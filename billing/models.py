"""The books: how a customer pays, one account an order, and what was paid and given back on it.

Entries and gift card entries are only ever added. What is left on an account, and what a gift card holds, are sums
over them. The services are the only writers.
"""

from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing.money import default_currency

# References of refunds that the shop owes, whatever its limits are: for what was called off or became cheaper, for a
# payment that another one replaced, and from before the books began.
CANCELLATION, ITEMS_CHANGED, PAYMENT_CHANGED, IMPORTED = "cancellation", "items", "payment", "import"
OWED_REFERENCES = (CANCELLATION, ITEMS_CHANGED, PAYMENT_CHANGED, IMPORTED)


class PaymentMethod(models.Model):
    """Where a customer's money comes from and goes back to. Holds no card number, only its last four digits."""

    class Kind(models.TextChoices):
        CREDIT_CARD = "credit_card", _("card")
        PAYPAL = "paypal", _("PayPal")
        GIFT_CARD = "gift_card", _("gift card")

    customer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="payment_methods")
    public_id = models.CharField(max_length=64)  # credit_card_7815826: what tools and files call it
    kind = models.CharField(max_length=12, choices=Kind)
    brand = models.CharField(max_length=30, blank=True)
    last4 = models.CharField(max_length=4, blank=True)
    currency = models.CharField(max_length=3, default=default_currency)  # of a gift card's balance

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["customer", "public_id"], name="method_once_a_customer"),
            models.CheckConstraint(
                condition=Q(kind__in=["credit_card", "paypal", "gift_card"]), name="method_kind_is_known"
            ),
            models.CheckConstraint(condition=~Q(public_id=""), name="method_has_an_id"),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def is_gift_card(self) -> bool:
        return self.kind == self.Kind.GIFT_CARD


class Account(models.Model):
    """The books of one order. The order points here; the books know no orders.

    Whoever adds an entry locks this row first.
    """

    customer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="accounts")
    currency = models.CharField(max_length=3, default=default_currency)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"account {self.pk}"


class AppendOnlyQuerySet(models.QuerySet[Any]):
    """Rows are read and added, never changed or removed."""

    def update(self, **values: object) -> NoReturn:
        raise TypeError("rows of the books are only ever added")

    def delete(self) -> NoReturn:
        raise TypeError("rows of the books are only ever added")


class AppendOnly(models.Model):
    """A row that stays as it was written: a mistake is mended by another row."""

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("rows of the books are only ever added")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("rows of the books are only ever added")


class Entry(AppendOnly):
    """Money that came in (a payment) or went back (a refund, which names the payment that it gives back).

    A reversal takes back a refund that its payment provider did not carry out.
    """

    class Kind(models.TextChoices):
        PAYMENT = "payment", _("payment")
        REFUND = "refund", _("refund")
        REVERSAL = "reversal", _("refund taken back")

    account = models.ForeignKey(Account, models.PROTECT, related_name="entries")
    kind = models.CharField(max_length=8, choices=Kind)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3, default=default_currency)
    method = models.ForeignKey(PaymentMethod, models.PROTECT, related_name="entries")
    payment = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="refunds")
    reference = models.CharField(max_length=80, blank=True)  # the caller's key: the same one books once
    reverses = models.OneToOneField("self", models.PROTECT, null=True, blank=True, related_name="reversal")
    external_id = models.CharField(max_length=120, null=True, blank=True)  # the provider's, of a payment: pi_...
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "entries"
        constraints = [
            models.CheckConstraint(
                # A refund of nothing may stand for a change of items that cost the same.
                condition=Q(kind="payment", amount_minor__gt=0, payment__isnull=True, reverses__isnull=True)
                | Q(kind="refund", amount_minor__gte=0, payment__isnull=False, reverses__isnull=True)
                | Q(kind="reversal", amount_minor__gt=0, payment__isnull=False, reverses__isnull=False),
                name="entry_payment_or_refund",
            ),
            models.UniqueConstraint(
                fields=["account", "reference"],
                condition=Q(kind="payment") & ~Q(reference=""),
                name="entry_payment_reference_once",
            ),
            models.UniqueConstraint(
                fields=["account", "reference", "payment"],
                condition=Q(kind="refund") & ~Q(reference=""),
                name="entry_refund_reference_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.amount_minor} {self.currency}"

    @property
    def returned_minor(self) -> int:
        """What the row adds to the money that went back: below zero where it takes a refund back."""
        signs = {self.Kind.REFUND: 1, self.Kind.REVERSAL: -1}
        return signs.get(self.Kind(self.kind), 0) * self.amount_minor


class PaymentManager(models.Manager.from_queryset(AppendOnlyQuerySet)):  # type: ignore[misc]
    """Entries that are payments."""

    def get_queryset(self) -> models.QuerySet[Any]:
        return super().get_queryset().filter(kind=Entry.Kind.PAYMENT)


class RefundManager(models.Manager.from_queryset(AppendOnlyQuerySet)):  # type: ignore[misc]
    """Entries that are refunds."""

    def get_queryset(self) -> models.QuerySet[Any]:
        return super().get_queryset().filter(kind=Entry.Kind.REFUND)


class Payment(Entry):
    """Money that came in."""

    objects: ClassVar[Any] = PaymentManager()

    class Meta:
        proxy = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not args:
            kwargs.setdefault("kind", Entry.Kind.PAYMENT)
        super().__init__(*args, **kwargs)


class Refund(Entry):
    """Money that went back."""

    objects: ClassVar[Any] = RefundManager()

    class Meta:
        proxy = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not args:
            kwargs.setdefault("kind", Entry.Kind.REFUND)
        super().__init__(*args, **kwargs)


class GiftCardEntry(AppendOnly):
    """A movement on a gift card; the balance is the sum. `entry` is the payment or refund that moved it."""

    class Kind(models.TextChoices):
        OPENING = "opening", _("opening balance")
        SPENT = "spent", _("spent")
        REFUNDED = "refunded", _("refunded")

    method = models.ForeignKey(PaymentMethod, models.PROTECT, related_name="gift_card_entries")
    kind = models.CharField(max_length=8, choices=Kind)
    amount_minor = models.BigIntegerField()  # signed: below zero where it was spent
    entry = models.OneToOneField(Entry, models.PROTECT, null=True, blank=True, related_name="gift_card_entry")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "gift card entries"
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="opening", amount_minor__gt=0, entry__isnull=True)
                | Q(kind="spent", amount_minor__lt=0, entry__isnull=False)
                | Q(kind="refunded", amount_minor__gt=0, entry__isnull=False),
                name="gift_card_entry_sign_fits_kind",
            ),
            models.UniqueConstraint(fields=["method"], condition=Q(kind="opening"), name="gift_card_opened_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.amount_minor}"


class Reservation(models.Model):
    """Gift card money that an exchange has been promised. It stays on the card, and nobody else can spend it.

    The row goes when the exchange is carried out.
    """

    account = models.ForeignKey(Account, models.PROTECT, related_name="reservations")
    method = models.ForeignKey(PaymentMethod, models.PROTECT, related_name="reservations")
    amount_minor = models.BigIntegerField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=Q(amount_minor__gt=0), name="reservation_above_zero"),
            models.UniqueConstraint(fields=["account"], name="reservation_once_an_account"),
        ]

    def __str__(self) -> str:
        return f"{self.amount_minor} of {self.method_id}"


class Transfer(models.Model):
    """A refund that a payment provider has to carry out: written with its entry, sent after that commit.

    The provider knows it by `key`, and does a key once. It is open until the provider's word on it is final.
    """

    class State(models.TextChoices):
        DUE = "due", _("to be sent")
        PENDING = "pending", _("on its way")
        UNKNOWN = "unknown", _("being checked")
        SUCCEEDED = "succeeded", _("done")
        FAILED = "failed", _("refused")

    OPEN = (State.DUE, State.PENDING, State.UNKNOWN)

    entry = models.OneToOneField(Entry, models.PROTECT, related_name="transfer")
    key = models.CharField(max_length=80, unique=True)
    cause = models.CharField(max_length=64, db_index=True)  # what it was done for: all of one cause settle together
    gateway = models.CharField(max_length=120)  # as it was then; a setting that changes later moves nothing
    state = models.CharField(max_length=9, choices=State, default=State.DUE)
    external_id = models.CharField(max_length=120, blank=True)  # the provider's, of the refund
    reason = models.CharField(max_length=200, blank=True)  # the provider's, for staff
    created_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True)  # before the first request left
    tried_at = models.DateTimeField(null=True, blank=True)  # before the last one did
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["due", "pending", "unknown"], settled_at__isnull=True)
                | Q(state__in=["succeeded", "failed"], settled_at__isnull=False),
                name="transfer_final_has_a_time",
            ),
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True, tried_at__isnull=True)
                | Q(sent_at__isnull=False, tried_at__gte=models.F("sent_at")),
                name="transfer_tries_have_an_order",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.state}"
