"""What changes an order, and when it refuses."""

import threading

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from billing import selectors as ledger
from billing.errors import BillingError, RefundTooHigh
from billing.models import Refund
from orders import services
from orders.errors import BadReason, NothingPaid, OrderError, OrderNotPending
from orders.models import Order, OrderLine
from tests.billing.books import card, gift_card
from tests.orders.shop import left, order, order_paid

NO_LONGER_NEEDED = "no longer needed"


def test_cancel_order_gives_every_payment_back_to_its_own_method(alice):
    gift, visa = gift_card(alice, holds=2000), card(alice)
    made = order_paid(alice, (gift, 2000), (visa, 5090))

    done = services.cancel_order(made, reason=NO_LONGER_NEEDED)

    assert (done.status, done.cancel_reason) == ("cancelled", NO_LONGER_NEEDED)
    assert {(r.method, r.amount_minor) for r in Refund.objects.all()} == {(gift, 2000), (visa, 5090)}
    assert ledger.gift_card_balance(gift) == 2000


def test_cancel_order_twice_changes_nothing_the_second_time(alice):
    made = order_paid(alice, (card(alice), 5000))
    services.cancel_order(made, reason=NO_LONGER_NEEDED)

    again = services.cancel_order(made, reason="ordered by mistake")

    assert (again.status, again.cancel_reason, Refund.objects.count()) == ("cancelled", NO_LONGER_NEEDED, 1)


def test_cancel_order_after_a_partial_refund_gives_back_the_rest(alice):
    made = order_paid(alice, (card(alice), 5000))
    services.refund_order(made, amount_minor=2000)

    services.cancel_order(made, reason=NO_LONGER_NEEDED)

    assert sorted(Refund.objects.values_list("amount_minor", flat=True)) == [2000, 3000]


def test_cancel_order_that_nobody_paid_moves_no_money(alice):
    done = services.cancel_order(order(alice), reason=NO_LONGER_NEEDED)
    assert (done.status, Refund.objects.count()) == ("cancelled", 0)


@pytest.mark.parametrize("status", [s for s in Order.Status.values if s not in ("pending", "cancelled")])
def test_cancel_order_that_is_not_pending_changes_nothing(alice, status):
    made = order_paid(alice, (card(alice), 5000), status=status)

    with pytest.raises(OrderNotPending):
        services.cancel_order(made, reason=NO_LONGER_NEEDED)
    with pytest.raises(OrderNotPending):
        services.plan_cancellation(made, reason=NO_LONGER_NEEDED)

    made.refresh_from_db()
    assert (made.status, made.cancel_reason, Refund.objects.count()) == (status, "", 0)


def test_cancel_order_for_another_reason_changes_nothing(alice):
    made = order_paid(alice, (card(alice), 5000))

    with pytest.raises(BadReason):
        services.cancel_order(made, reason="too expensive")

    made.refresh_from_db()
    assert (made.status, Refund.objects.count()) == ("pending", 0)


def test_plan_cancellation_writes_nothing_and_says_what_comes_back(alice):
    made = order_paid(alice, (gift_card(alice, holds=2000), 2000), (card(alice), 5090))

    facts = services.plan_cancellation(made, reason=NO_LONGER_NEEDED)

    assert (facts["total_minor"], [part["amount_minor"] for part in facts["refunds"]]) == (7090, [2000, 5090])
    assert [part["at_once"] for part in facts["refunds"]] == [True, False]
    assert Refund.objects.count() == 0


def test_plan_cancellation_changes_when_the_facts_do(alice):
    made = order_paid(alice, (card(alice), 5000))
    before = services.plan_cancellation(made, reason=NO_LONGER_NEEDED)

    services.refund_order(made, amount_minor=100)

    assert services.plan_cancellation(made, reason=NO_LONGER_NEEDED) != before


def test_refund_order_is_partial_and_keeps_the_status(alice):
    made = order_paid(alice, (card(alice), 5000), status="delivered")

    services.refund_order(made, amount_minor=4200)

    made.refresh_from_db()
    assert (left(made), made.status) == (800, "delivered")


def test_refund_order_above_the_rest_changes_nothing(alice):
    made = order_paid(alice, (card(alice), 5000), status="delivered")

    with pytest.raises(RefundTooHigh):
        services.refund_order(made, amount_minor=5001)
    with pytest.raises(RefundTooHigh):
        services.plan_refund(made, amount_minor=5001)

    assert Refund.objects.count() == 0


def test_refund_order_without_books_refuses_though_its_plan_may_be_shown(alice):
    made = order(alice, status="shipped")

    facts = services.plan_refund(made, amount_minor=4200)
    with pytest.raises(NothingPaid):
        services.refund_order(made, amount_minor=4200)

    assert (facts["refunds"], facts["left_after_minor"], Refund.objects.count()) == ([], None, 0)


@pytest.mark.parametrize(
    ("status", "paid", "cancel", "back", "refund_minor"),
    [
        ("pending", 5000, True, False, 5000),
        ("pending (item modified)", 5000, False, False, 5000),
        ("delivered", 90_000, False, True, 50_000),
        ("return requested", 5000, False, False, 5000),
    ],
)
def test_can_do_now_says_what_the_services_allow(alice, status, paid, cancel, back, refund_minor):
    made = order_paid(alice, (card(alice), paid), status=status)
    assert services.can_do_now(made) == services.Possible(
        cancel=cancel, change=cancel, send_back=back, refund_minor=refund_minor
    )


@pytest.mark.django_db(transaction=True)
def test_cancellations_and_refunds_at_once_give_back_what_was_paid_and_no_more(alice):
    made = order_paid(alice, (card(alice), 10000))
    barrier, results = threading.Barrier(6), []

    def work(turn):
        barrier.wait()
        try:
            if turn % 2:
                results.append(services.cancel_order(made, reason=NO_LONGER_NEEDED))
            else:
                results.append(services.refund_order(made, amount_minor=6000))
        except (BillingError, OrderError) as error:
            results.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(turn,)) for turn in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(results), left(made)) == (6, 0)
    made.refresh_from_db()
    assert made.status == "cancelled"


@pytest.mark.parametrize(
    "about",
    [
        {"status": "lost"},
        {"cancel_reason": NO_LONGER_NEEDED},
        {"status": "cancelled", "cancel_reason": "a whim"},
    ],
)
def test_an_order_in_no_legal_state_is_refused_by_the_database(alice, about):
    with pytest.raises(IntegrityError), transaction.atomic():
        Order.objects.create(number="DZ-10423", customer=alice, **about)
    assert Order.objects.count() == 0


def test_two_lines_in_one_place_are_refused_by_the_database(alice):
    made = order(alice, prices=(100,))
    line = made.lines.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        OrderLine.objects.create(order=made, position=1, variant=line.variant, price_minor=1)
    assert made.lines.count() == 1


def test_an_order_number_is_there_once(alice, bob):
    order(alice)
    with pytest.raises(IntegrityError), transaction.atomic():
        order(bob)
    assert Order.objects.count() == 1


AMOUNTS = st.integers(min_value=-100, max_value=9000)
STEPS = st.lists(
    st.one_of(st.just("cancel"), st.tuples(AMOUNTS, st.sampled_from([None, "visa", "gift", "other"]))), max_size=8
)


class MoneyIsNeitherMadeNorLost(TestCase):
    """Whatever is tried in whatever order."""

    def setUp(self):
        super().setUp()
        user = User.objects.create(username="alice")
        self.visa, self.gift, self.other = card(user), gift_card(user, holds=3000), card(user, last4="9999")
        self.made = order_paid(user, (self.gift, 2000), (self.visa, 5000))

    @settings(max_examples=40, deadline=None)
    @given(STEPS)
    def test_refunds_never_exceed_payments_and_balances_add_up(self, steps):
        for step in steps:
            try:
                if step == "cancel":
                    services.cancel_order(self.made, reason=NO_LONGER_NEEDED)
                else:
                    amount, method = step
                    services.refund_order(self.made, amount_minor=amount, method=method and getattr(self, method))
            except (OrderError, BillingError):
                continue
        standing = ledger.standing(self.made.account)
        to_gift = sum(r.amount_minor for r in Refund.objects.all() if r.method == self.gift)
        to_visa = sum(r.amount_minor for r in Refund.objects.all() if r.method == self.visa)
        assert 0 <= standing.refunded_minor <= 7000
        assert ledger.gift_card_balance(self.gift) == 1000 + to_gift
        assert to_gift + to_visa == standing.refunded_minor
        assert to_visa <= 5000
        assert all(part.left_minor >= 0 for part in standing.payments)
        self.made.refresh_from_db()
        assert self.made.status == ("cancelled" if "cancel" in steps else "pending")
        assert standing.left_minor == 0 or "cancel" not in steps
