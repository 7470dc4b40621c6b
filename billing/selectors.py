"""What the books say. Nothing here writes; whatever starts from an id takes the customer too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet, Sum
from django.utils import timezone

from billing.errors import MethodNotFound
from billing.limits import CUSTOMER_DAYS, Given
from billing.models import OWED_REFERENCES, Account, Entry, GiftCardEntry, PaymentMethod, Refund, Reservation


@dataclass(frozen=True)
class OpenPayment:
    """A payment and how much of it was not given back yet, in minor units."""

    payment: Entry
    left_minor: int


@dataclass(frozen=True)
class Standing:
    """An account in three sums, in minor units."""

    paid_minor: int
    refunded_minor: int
    payments: tuple[OpenPayment, ...]  # oldest first, those given back in full too
    refunds: tuple[Entry, ...] = ()  # oldest first; one of nothing, which stands for an equal price, is left out

    @property
    def left_minor(self) -> int:
        return self.paid_minor - self.refunded_minor


def methods_of(customer: User) -> QuerySet[PaymentMethod]:
    """The customer's payment methods, oldest first."""
    return PaymentMethod.objects.filter(customer=customer)


def method_of(customer: User, *, public_id: str) -> PaymentMethod:
    """Raises MethodNotFound, for a stranger's method as for none."""
    try:
        return methods_of(customer).get(public_id=public_id)
    except PaymentMethod.DoesNotExist:
        raise MethodNotFound from None


def gift_card_balance(method: PaymentMethod) -> int:
    """What the gift card holds, in minor units of its own currency."""
    return GiftCardEntry.objects.filter(method=method).aggregate(sum=Sum("amount_minor"))["sum"] or 0


def gift_card_free(method: PaymentMethod) -> int:
    """What can still be spent of it: what it holds, less what exchanges have reserved."""
    return gift_card_balance(method) - (
        Reservation.objects.filter(method=method).aggregate(sum=Sum("amount_minor"))["sum"] or 0
    )


def gift_card_balances(customer: User) -> dict[int, int]:
    """What each of the customer's gift cards holds, by the method's key."""
    rows = GiftCardEntry.objects.filter(method__customer=customer).order_by().values_list("method_id")
    return dict(rows.annotate(sum=Sum("amount_minor")))


def gift_card_reservations(customer: User) -> dict[int, int]:
    """What is reserved on each of the customer's gift cards, by the method's key; those without are missing."""
    rows = Reservation.objects.filter(method__customer=customer).order_by().values_list("method_id")
    return dict(rows.annotate(sum=Sum("amount_minor")))


def given_back(account: Account) -> Given:
    """What counts against the limits of refunds: those that were asked for, not those that the shop owed anyway."""
    since = timezone.now() - timedelta(days=CUSTOMER_DAYS)
    refunds = Refund.objects.filter(
        Q(account=account) | Q(created_at__gte=since), account__customer_id=account.customer_id, reversal=None
    ).exclude(_is_owed())
    rows = list(refunds)
    recent = [row for row in rows if row.created_at >= since]
    return Given(
        order_minor=sum(row.amount_minor for row in rows if row.account_id == account.pk),
        customer_minor=sum(row.amount_minor for row in recent if row.currency == account.currency),
        customer_count=len({(row.account_id, row.reference) for row in recent}),
    )


def _is_owed() -> Q:
    found = Q()
    for reference in OWED_REFERENCES:
        found |= Q(reference=reference) | Q(reference__startswith=f"{reference}:")
    return found


def standing(account: Account | None) -> Standing:
    """What was paid and given back; zeros where an order has no account."""
    entries = list(account.entries.select_related("method").order_by("id")) if account else []
    payments = [entry for entry in entries if entry.kind == Entry.Kind.PAYMENT]
    returned = dict.fromkeys((payment.pk for payment in payments), 0)
    for entry in entries:
        if entry.payment_id is not None:  # a refund, or one taken back
            returned[entry.payment_id] += entry.returned_minor
    return Standing(
        paid_minor=sum(payment.amount_minor for payment in payments),
        refunded_minor=sum(returned.values()),
        payments=_open_payments(payments, returned),
        refunds=tuple(entry for entry in entries if entry.kind == Entry.Kind.REFUND and entry.amount_minor > 0),
    )


def _open_payments(payments: Sequence[Entry], returned: Mapping[int, int]) -> tuple[OpenPayment, ...]:
    """A refund from an imported history may be larger than the payment it names: the rest comes off the others."""
    overflow = sum(max(0, returned[p.pk] - p.amount_minor) for p in payments)
    found = []
    for payment in payments:
        left = max(0, payment.amount_minor - returned[payment.pk])
        taken = min(left, overflow)
        overflow -= taken
        found.append(OpenPayment(payment, left - taken))
    return tuple(found)
