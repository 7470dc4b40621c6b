"""What the database refuses, whoever writes (SECURITY 19)."""

from contextlib import contextmanager

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError

from billing.models import Entry, GiftCardEntry, Payment, PaymentMethod, Refund, Reservation
from tests.billing.books import account_paid, card, gift_card


@pytest.fixture
def account(alice):
    return account_paid(alice, (card(alice), 10000))


def _payment(account):
    return Payment.objects.get(account=account)


def _counts():
    return [model.objects.count() for model in (Entry, GiftCardEntry, PaymentMethod, Reservation)]


@contextmanager
def assert_refused():
    """The database refuses what is written inside, and no row is more or less."""
    before = _counts()
    with pytest.raises(IntegrityError), transaction.atomic():
        yield
    assert _counts() == before


def test_refund_above_the_payments_is_refused_by_the_database(account):
    payment = _payment(account)
    with assert_refused():
        Refund.objects.create(account=account, amount_minor=10001, method=payment.method, payment=payment)


def test_second_refund_above_the_rest_is_refused_by_the_database(account):
    payment = _payment(account)
    Refund.objects.create(account=account, amount_minor=6000, method=payment.method, payment=payment)
    with assert_refused():
        Refund.objects.create(account=account, amount_minor=4001, method=payment.method, payment=payment)


def test_refund_without_its_payment_is_refused_by_the_database(account):
    method = _payment(account).method
    with assert_refused():
        Refund.objects.create(account=account, amount_minor=1, method=method)


@pytest.mark.parametrize("amount_minor", [0, -5])
def test_payment_of_nothing_or_less_is_refused_by_the_database(account, amount_minor):
    method = _payment(account).method
    with assert_refused():
        Payment.objects.create(account=account, amount_minor=amount_minor, method=method)


def test_gift_card_below_zero_is_refused_by_the_database(alice, account):
    gift, entry = gift_card(alice, holds=100), _payment(account)
    with assert_refused():
        GiftCardEntry.objects.create(method=gift, kind="spent", amount_minor=-101, entry=entry)


def test_reservation_above_what_the_gift_card_holds_is_refused_by_the_database(alice, account):
    gift = gift_card(alice, holds=100)
    with assert_refused():
        Reservation.objects.create(account=account, method=gift, amount_minor=101)
    with assert_refused():
        Reservation.objects.create(account=account, method=gift, amount_minor=0)


def test_spending_what_is_reserved_is_refused_by_the_database(alice, account):
    gift, entry = gift_card(alice, holds=100), _payment(account)
    Reservation.objects.create(account=account, method=gift, amount_minor=60)
    with assert_refused():
        GiftCardEntry.objects.create(method=gift, kind="spent", amount_minor=-41, entry=entry)


def test_reservation_is_never_changed_and_once_an_account(alice, account):
    gift = gift_card(alice, holds=100)
    reserved = Reservation.objects.create(account=account, method=gift, amount_minor=60)
    with assert_refused():
        Reservation.objects.filter(pk=reserved.pk).update(amount_minor=10)
    with assert_refused():
        Reservation.objects.create(account=account, method=gift, amount_minor=10)


def test_gift_card_that_grows_by_spending_is_refused_by_the_database(alice, account):
    gift, entry = gift_card(alice, holds=100), _payment(account)
    with assert_refused():
        GiftCardEntry.objects.create(method=gift, kind="spent", amount_minor=5, entry=entry)


def test_method_id_is_unique_a_customer_and_not_across(alice, bob):
    card(alice), card(bob)
    with assert_refused():
        card(alice)


def test_method_of_an_unknown_kind_is_refused_by_the_database(alice):
    with assert_refused():
        PaymentMethod.objects.create(customer=alice, public_id="x", kind="cheque")


def test_entry_is_never_changed_or_deleted(account):
    payment = _payment(account)
    payment.amount_minor = 1

    for change in (
        payment.save,
        payment.delete,
        Entry.objects.all().delete,
        lambda: Payment.objects.update(amount_minor=1),
        lambda: account.entries.update(amount_minor=1),
    ):
        with pytest.raises(TypeError, match="only ever added"):
            change()

    assert _payment(account).amount_minor == 10000


def test_gift_card_entry_is_never_changed_or_deleted(alice):
    entry = GiftCardEntry.objects.get(method=gift_card(alice, holds=100))
    entry.amount_minor = 1

    for change in (entry.save, entry.delete, lambda: GiftCardEntry.objects.update(amount_minor=1)):
        with pytest.raises(TypeError, match="only ever added"):
            change()

    assert GiftCardEntry.objects.get().amount_minor == 100


@pytest.mark.parametrize("table", ["billing_entry", "billing_giftcardentry"])
def test_update_past_the_models_is_refused_by_the_database(alice, table):
    account_paid(alice, (gift_card(alice, holds=100), 100))

    with assert_refused(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET amount_minor = amount_minor + 1")


def test_customer_with_books_is_never_deleted(account, alice):
    with pytest.raises(ProtectedError):
        alice.delete()
    assert Entry.objects.count() == 1


def test_payment_and_refund_see_their_own_rows(account):
    payment = _payment(account)
    Refund.objects.create(account=account, amount_minor=1, method=payment.method, payment=payment)

    assert (Entry.objects.count(), Payment.objects.count(), Refund.objects.count()) == (2, 1, 1)
    assert Refund.objects.get().kind == Entry.Kind.REFUND
