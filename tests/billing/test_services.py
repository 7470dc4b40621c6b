"""What moves money, and when it refuses (SECURITY 19: in the service, whoever asks)."""

import threading

import pytest
from django.db import connection
from django.utils.translation import override

from billing import selectors, services
from billing.errors import (
    BadAmount,
    BillingError,
    GiftCardTooLow,
    MethodNotAllowed,
    MethodNotFound,
    NothingToRefund,
    RefundOverLimit,
    RefundTooHigh,
    RefundTooHighForMethod,
    WrongCurrency,
)
from billing.models import Entry, GiftCardEntry, Payment, Refund
from tests.billing.books import account_paid, card, gift_card


def test_pay_by_gift_card_charges_it_at_once(alice):
    gift = gift_card(alice, holds=5000)

    account_paid(alice, (gift, 3000))

    assert selectors.gift_card_balance(gift) == 2000
    assert Payment.objects.get().amount_minor == 3000


def test_pay_refuses_more_than_the_gift_card_holds(alice):
    gift = gift_card(alice, holds=5100)
    account = services.open_account(alice)

    with pytest.raises(GiftCardTooLow, match=r"holds €51.00, and €63.20 is needed"), override("en"):
        services.pay(account, amount_minor=6320, method=gift)

    assert (selectors.gift_card_balance(gift), Entry.objects.count()) == (5100, 0)


def test_pay_refuses_a_strangers_method(alice, bob):
    account = services.open_account(alice)

    with pytest.raises(MethodNotFound):
        services.pay(account, amount_minor=100, method=card(bob))

    assert Entry.objects.count() == 0


def test_pay_with_the_same_reference_books_once(alice):
    account, method = services.open_account(alice), card(alice)

    first = services.pay(account, amount_minor=100, method=method, reference="a")
    second = services.pay(account, amount_minor=100, method=method, reference="a")

    assert (first.pk, Payment.objects.count()) == (second.pk, 1)


def test_refund_goes_back_to_the_method_that_paid(alice):
    method = card(alice)
    account = account_paid(alice, (method, 10000))

    [refund] = services.refund(account, amount_minor=4200)

    assert (refund.method, refund.amount_minor, Refund.objects.count()) == (method, 4200, 1)
    assert selectors.standing(account).left_minor == 5800


def test_refund_to_a_gift_card_is_there_at_once(alice):
    gift = gift_card(alice, holds=0)
    account = account_paid(alice, (card(alice), 10000))

    services.refund(account, amount_minor=4200, method=gift)

    assert selectors.gift_card_balance(gift) == 4200


def test_refund_takes_the_newest_payment_first_and_then_the_others(alice):
    old, new = card(alice, last4="1111"), card(alice, last4="2222")
    account = account_paid(alice, (old, 3000), (new, 2000))

    refunds = services.refund(account, amount_minor=2500)

    assert [(r.method, r.amount_minor) for r in refunds] == [(new, 2000), (old, 500)]


def test_refund_refuses_more_than_is_left(alice):
    account = account_paid(alice, (card(alice), 10000))
    services.refund(account, amount_minor=9000)

    with pytest.raises(RefundTooHigh, match=r"At most €10.00 .* €10.01"), override("en"):
        services.refund(account, amount_minor=1001)

    assert Refund.objects.count() == 1


def test_refund_refuses_more_than_the_method_paid(alice):
    first, second = card(alice, last4="1111"), card(alice, last4="2222")
    account = account_paid(alice, (first, 3000), (second, 2000))

    with pytest.raises(RefundTooHighForMethod):
        services.refund(account, amount_minor=2001, method=second)

    assert Refund.objects.count() == 0


@pytest.mark.parametrize("amount_minor", [0, -1])
def test_refund_refuses_nothing_and_less(alice, amount_minor):
    account = account_paid(alice, (card(alice), 10000))

    with pytest.raises(BadAmount):
        services.refund(account, amount_minor=amount_minor)

    assert Refund.objects.count() == 0


def test_refund_refuses_an_account_without_payments(alice):
    with pytest.raises(NothingToRefund):
        services.refund(services.open_account(alice), amount_minor=1)
    assert Refund.objects.count() == 0


def test_refund_refuses_another_card_of_the_same_customer(alice):
    account = account_paid(alice, (card(alice), 10000))

    with pytest.raises(MethodNotAllowed):
        services.refund(account, amount_minor=100, method=card(alice, last4="9999"))

    assert Refund.objects.count() == 0


def test_refund_refuses_a_strangers_gift_card(alice, bob):
    account = account_paid(alice, (card(alice), 10000))
    gift = gift_card(bob, holds=0)

    with pytest.raises(MethodNotFound):
        services.refund(account, amount_minor=100, method=gift)

    assert (Refund.objects.count(), selectors.gift_card_balance(gift)) == (0, 0)


def test_refund_refuses_a_gift_card_in_another_currency(alice):
    account = account_paid(alice, (card(alice), 10000))
    gift = services.open_gift_card(alice, public_id="gift_card_1", amount_minor=0, currency="USD")

    with pytest.raises(WrongCurrency):
        services.refund(account, amount_minor=100, method=gift)

    assert Refund.objects.count() == 0


def test_refund_refuses_more_than_the_shops_limit(alice):
    account = account_paid(alice, (card(alice), 100_000))

    with pytest.raises(RefundOverLimit):
        services.refund(account, amount_minor=50_001)

    assert Refund.objects.count() == 0


def test_refund_without_a_limit_has_only_what_was_paid(alice, settings):
    settings.BILLING = {"CURRENCY": "EUR"}
    account = account_paid(alice, (card(alice), 100_000))

    services.refund(account, amount_minor=100_000)

    assert selectors.standing(account).left_minor == 0


def test_refund_with_the_same_reference_books_once(alice):
    account = account_paid(alice, (card(alice), 10000))

    first = services.refund(account, amount_minor=4200, reference="action-1")
    second = services.refund(account, amount_minor=4200, reference="action-1")

    assert [r.pk for r in first] == [r.pk for r in second]
    assert selectors.standing(account).refunded_minor == 4200


def test_plan_refund_writes_nothing_and_says_what_refund_does(alice):
    gift = gift_card(alice, holds=1000)
    account = account_paid(alice, (gift, 1000), (card(alice), 2000))

    planned = services.plan_refund(account, amount_minor=2500)

    assert Refund.objects.count() == 0
    done = services.refund(account, amount_minor=2500)
    assert [(p.method, p.amount_minor) for p in planned] == [(r.method, r.amount_minor) for r in done]


def test_refund_in_full_is_above_the_limit_and_finds_nothing_the_second_time(alice):
    account = account_paid(alice, (card(alice), 100_000))

    services.refund_in_full(account)
    again = services.refund_in_full(account)

    assert (again, selectors.standing(account).refunded_minor) == ([], 100_000)


def test_standing_spreads_a_refund_that_is_larger_than_its_payment(alice):
    method = card(alice)
    account = account_paid(alice, (method, 5000), (method, 2000))
    first = account.entries.order_by("id").first()
    Refund.objects.create(account=account, amount_minor=6000, method=method, payment=first)

    assert [p.left_minor for p in selectors.standing(account).payments] == [0, 1000]


def test_error_text_is_in_the_active_language(alice):
    with override("de"):
        assert str(NothingToRefund()) == "Bei dieser Bestellung gibt es nichts mehr zu erstatten."


def _at_once(count, do):
    """Run `do` in threads that start together; return what each returned or raised."""
    barrier, results = threading.Barrier(count), []

    def work():
        barrier.wait()
        try:
            results.append(do())
        except BillingError as error:
            results.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.django_db(transaction=True)
def test_refunds_at_once_never_exceed_what_was_paid(alice):
    account = account_paid(alice, (card(alice), 10000))

    results = _at_once(6, lambda: services.refund(account, amount_minor=4000))

    assert sum(isinstance(result, list) for result in results) == 2
    assert sum(isinstance(result, RefundTooHigh) for result in results) == 4
    assert selectors.standing(account).refunded_minor == 8000


@pytest.mark.django_db(transaction=True)
def test_two_orders_paid_at_once_from_one_gift_card_never_overdraw_it(alice):
    gift = gift_card(alice, holds=5000)

    results = _at_once(4, lambda: services.pay(services.open_account(alice), amount_minor=3000, method=gift))

    assert sum(isinstance(result, GiftCardTooLow) for result in results) == 3
    assert (selectors.gift_card_balance(gift), GiftCardEntry.objects.count()) == (2000, 2)
