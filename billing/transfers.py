"""Refunds that a payment provider has to carry out: filed with the books, sent after that commit, settled once.

A refund leaves in three steps, each safe to die after: the entry and its transfer are committed; the try is committed;
the provider's word is. Whoever comes after a death asks the provider first, and sends again only with the same key.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from billing.errors import PaymentNotLinked
from billing.gateways import Gateway, Outcome, Status, gateway_name, gateway_named, is_outside
from billing.models import Account, Entry, PaymentMethod, Transfer

logger = logging.getLogger(__name__)

State = Transfer.State

GRACE = timedelta(seconds=60)  # a request whose answer was lost may still be at work at the provider
# Providers forget a key after a day (Stripe says so). From then on it proves nothing: look, and send no more.
KEY_LIFE = timedelta(hours=20)

_cause: ContextVar[str] = ContextVar("cause", default="")


@contextmanager
def caused_by(cause: str) -> Iterator[None]:
    """What is booked inside is filed under this cause; whoever gives one settles it after the commit.

    At most 64 characters, and never used again: the keys at the provider are made from it.
    """
    token = _cause.set(cause)
    try:
        yield
    finally:
        _cause.reset(token)


def outside_gateway(payment: Entry, *, method: PaymentMethod) -> str:
    """Which gateway must give this payment back to this method; empty where the books are enough.

    A provider gives back what it was paid, to where it came from. Raises PaymentNotLinked where that is not known.
    """
    if not is_outside(method.kind):
        return ""
    if method.pk != payment.method_id or not payment.external_id:
        raise PaymentNotLinked
    return gateway_name(method.kind)


def file(refund: Entry) -> Transfer | None:
    """Note what is due outside for a refund just booked, in its transaction. None where the books are enough.

    Raises PaymentNotLinked, and RuntimeError outside `caused_by`: money that nobody would send is not booked.
    """
    if refund.payment is None or not refund.amount_minor:
        return None
    name = outside_gateway(refund.payment, method=refund.method)
    if not name:
        return None
    cause = _cause.get()
    if not cause:
        raise RuntimeError("a refund through a payment provider needs billing.transfers.caused_by(...)")
    number = Transfer.objects.filter(cause=cause).count() + 1
    return Transfer.objects.create(entry=refund, cause=cause, key=f"{cause}-{number}", gateway=name)


def filed_under(cause: str) -> QuerySet[Transfer]:
    """The parts of one cause, in the order in which they were booked."""
    return Transfer.objects.filter(cause=cause).select_related("entry__payment", "entry__method").order_by("id")


def settle(cause: str) -> Sequence[Transfer]:
    """Take every open part of the cause as far as it goes now, and return all of them.

    Call it after the commit, outside of transactions: it waits for the provider. Safe to repeat and to run in several
    places at once: each part is sent once, or again with the same key, and its end is written once.
    """
    for transfer in filed_under(cause).filter(state__in=Transfer.OPEN):
        _settle(transfer)
    return list(filed_under(cause))


def is_for_staff(transfer: Transfer) -> bool:
    """Nobody knows, and no request can find out any more: a person has to look it up at the provider."""
    is_old = transfer.sent_at is not None and transfer.sent_at < timezone.now() - KEY_LIFE
    return transfer.state in (State.DUE, State.UNKNOWN) and is_old


def _settle(transfer: Transfer) -> None:
    gateway = gateway_named(transfer.gateway)
    was_sent = transfer.sent_at is not None
    outcome = gateway.find(_payment(transfer), key=transfer.key) if was_sent else None
    if outcome is None:
        outcome = _sent(transfer, gateway=gateway)
    if outcome is not None and outcome.status is Status.FAILED and was_sent:
        # This refusal may be of a second request, after the first one was done in the meantime.
        outcome = gateway.find(_payment(transfer), key=transfer.key) or outcome
    if outcome is not None:
        record(transfer, outcome)


def _sent(transfer: Transfer, *, gateway: Gateway) -> Outcome | None:
    """The answer to one request; UNKNOWN where none may leave now, None where another process sends it."""
    if not _may_send(transfer):
        return Outcome(Status.UNKNOWN, reason=transfer.reason)
    now = timezone.now()
    # Two come to the same conclusion: one moves the row and sends.
    mine = Transfer.objects.filter(pk=transfer.pk, state__in=Transfer.OPEN, tried_at=transfer.tried_at)
    if not mine.update(sent_at=Coalesce(F("sent_at"), now), tried_at=now):
        return None
    return gateway.refund(_payment(transfer), amount_minor=transfer.entry.amount_minor, key=transfer.key)


def _may_send(transfer: Transfer) -> bool:
    """At once the first time. Again only after a while, as long as the key holds, and never what was there once."""
    if transfer.sent_at is None or transfer.tried_at is None:
        return True
    now = timezone.now()
    return not transfer.external_id and now - transfer.tried_at >= GRACE and now - transfer.sent_at < KEY_LIFE


@transaction.atomic
def record(transfer: Transfer, outcome: Outcome) -> bool:
    """Write the provider's word down; False where it brings nothing new. What is final stays so.

    A failure takes the refund back in the books in the same transaction: the payment can be refunded again.
    """
    state = State(outcome.status.value)
    Account.objects.select_for_update().get(pk=transfer.entry.account_id)
    # What is known to be on its way does not become doubtful because the provider could not be asked once.
    earlier = [State.DUE, State.UNKNOWN] if state == State.UNKNOWN else list(Transfer.OPEN)
    changes: dict[str, Any] = {"state": state, "reason": outcome.reason}
    if outcome.external_id:
        changes["external_id"] = outcome.external_id
    if state not in Transfer.OPEN:
        changes["settled_at"] = timezone.now()
    moved = Transfer.objects.filter(pk=transfer.pk, state__in=earlier).update(**changes)
    if moved and state == State.FAILED:
        _take_back(transfer.entry)
        logger.warning("a refund was refused", extra={"key": transfer.key, "reason": outcome.reason})
    return bool(moved)


def _take_back(refund: Entry) -> None:
    Entry.objects.create(
        account_id=refund.account_id,
        kind=Entry.Kind.REVERSAL,
        amount_minor=refund.amount_minor,
        currency=refund.currency,
        method_id=refund.method_id,
        payment_id=refund.payment_id,
        reverses=refund,
    )


def _payment(transfer: Transfer) -> str:
    """The provider's id of what was paid; `file` lets nothing in without one."""
    paid = transfer.entry.payment
    return (paid.external_id or "") if paid else ""
