"""SECURITY 19: what one refund, the refunds of an order and those of a customer may be; whoever asked."""

import threading
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone
from django.utils.translation import override

from billing import selectors, services
from billing.errors import RefundOverCustomerLimit, RefundOverLimit, RefundOverOrderLimit, TooManyRefunds
from billing.limits import within_limits
from billing.models import Refund
from tests.billing.books import account_paid, card, gift_card


@pytest.fixture
def limits(settings):
    """Sets the limits by the ends of their names."""

    def to(**limits):
        named = {f"REFUND_LIMIT_{name}_MINOR": value for name, value in limits.items() if name != "COUNT"}
        count = {"REFUND_LIMIT_CUSTOMER_COUNT": limits.get("COUNT")}
        settings.BILLING = {"CURRENCY": "EUR", **named, **count}

    return to


@pytest.fixture
def account(alice):
    return account_paid(alice, (card(alice), 100_000))


def _assert_refused(account, amount_minor, error, words=""):
    before = Refund.objects.count()
    with pytest.raises(error, match=words):
        services.plan_refund(account, amount_minor=amount_minor)
    with pytest.raises(error):
        services.refund(account, amount_minor=amount_minor)
    assert Refund.objects.count() == before


def test_shop_without_limits_has_what_was_paid(account, limits):
    limits()
    services.refund(account, amount_minor=100_000)
    assert selectors.standing(account).left_minor == 0


def test_refunds_of_an_order_stop_at_its_limit(account, limits):
    limits(ORDER=5000)
    services.refund(account, amount_minor=3000)

    _assert_refused(account, 2001, RefundOverOrderLimit, r"€50\.00 at most, and €20\.00 is left; €20\.01 is more\.")
    services.refund(account, amount_minor=2000)

    assert selectors.given_back(account).order_minor == 5000


def test_refunds_of_a_customer_stop_at_their_limit_whatever_the_order(alice, bob, account, limits):
    limits(CUSTOMER=5000)
    second = account_paid(alice, (card(alice, last4="1881"), 9000))
    services.refund(account, amount_minor=3000)

    _assert_refused(second, 2001, RefundOverCustomerLimit, r"€50\.00 can be .* €20\.00 is left")
    services.refund(account_paid(bob, (card(bob), 9000)), amount_minor=5000)

    assert selectors.given_back(second).customer_minor == 3000


def test_refunds_of_a_customer_stop_at_their_number(alice, account, limits):
    limits(COUNT=2)
    services.refund(account, amount_minor=1)
    services.refund(account, amount_minor=1)
    _assert_refused(account, 1, TooManyRefunds, "2 refunds at most.* A member of staff")


def test_refund_in_two_parts_is_one_refund(alice, limits):
    limits(COUNT=2)
    account = account_paid(alice, (card(alice), 1000), (gift_card(alice, holds=1000), 1000))
    services.refund(account, amount_minor=1500)
    assert (Refund.objects.count(), selectors.given_back(account).customer_count) == (2, 1)


def test_refunds_of_more_than_30_days_ago_do_not_count(alice, account, limits):
    limits(CUSTOMER=1000, COUNT=1)
    payment = account.entries.get()
    old = timezone.now() - timedelta(days=31)
    Refund.objects.create(account=account, amount_minor=1000, method=payment.method, payment=payment, created_at=old)

    services.refund(account, amount_minor=1000)

    assert selectors.given_back(account).customer_count == 1


def test_limit_of_a_call_holds_beside_the_others(account, limits, settings):
    limits(ORDER=90_000)
    settings.BILLING["REFUND_LIMIT_MINOR"] = 1000
    services.refund(account, amount_minor=1000)
    _assert_refused(account, 1001, RefundOverLimit, r"^One refund can be €10\.00 at most; €10\.01 is more\.")


def test_what_the_shop_owes_is_paid_whatever_the_limits_and_does_not_count(alice, account, limits):
    limits(ORDER=1, CUSTOMER=1, COUNT=0)
    services.refund_in_full(account, reference="cancellation")
    assert selectors.standing(account).left_minor == 0
    assert selectors.given_back(account).customer_count == 0


def test_within_limits_is_what_check_limits_lets_pass(account, limits):
    limits(ORDER=5000, CUSTOMER=4000, COUNT=2)
    services.refund(account, amount_minor=1500)

    most = within_limits(100_000, given=selectors.given_back(account))
    services.refund(account, amount_minor=most)

    assert most == 2500
    assert within_limits(100_000, given=selectors.given_back(account)) == 0


def test_limits_are_told_in_german(account, limits):
    limits(ORDER=5000)
    with override("de"), pytest.raises(RefundOverOrderLimit, match="höchstens 50,00\xa0€ betragen"):
        services.plan_refund(account, amount_minor=5001)
    assert Refund.objects.count() == 0


def test_refunds_on_several_orders_at_once_stay_within_a_customers_limit(postgres, limits):
    limits(CUSTOMER=1000)
    user = User.objects.create_user("alice")
    visa = card(user)
    accounts = [account_paid(user, (visa, 1000)) for _ in range(4)]
    barrier, outcomes = threading.Barrier(4), []

    def refund(account):
        try:
            barrier.wait(10)
            services.refund(account, amount_minor=600)
            outcomes.append("done")
        except RefundOverLimit as error:
            outcomes.append(type(error).__name__)
        finally:
            connection.close()

    threads = [threading.Thread(target=refund, args=[account]) for account in accounts]
    [thread.start() for thread in threads]
    [thread.join(30) for thread in threads]

    assert sorted(outcomes) == ["RefundOverCustomerLimit"] * 3 + ["done"]
