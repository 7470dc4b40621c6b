"""Returns and exchanges: what is noted, what is reserved, and that no money moves yet."""

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection

from billing import adjustments
from billing import selectors as ledger
from billing.errors import AlreadyReserved, BillingError, GiftCardTooLow, MethodNotAllowed, MethodNotFound
from billing.models import Entry, Reservation
from orders import services
from orders.errors import (
    ItemNotInOrder,
    NoBooks,
    NothingChosen,
    OrderError,
    OrderNotDelivered,
    OrderStillPending,
    OtherProduct,
    RefundPromised,
    SameOption,
    SentBackBefore,
    SoldOut,
)
from orders.models import Exchange, Order, Return
from tests.billing.books import card, gift_card
from tests.orders.shop import everything, order, order_with, sold_out, variant

SWAP = [("MUG-1", "MUG-2")]


@pytest.fixture
def mug(db):
    return variant("Mug", sku="MUG-1", price=1600, color="blue")


@pytest.fixture
def large_mug(mug):
    return variant("Mug", sku="MUG-2", price=1900, color="sand")


def delivered(user, *variants, paid_with, **about):
    return order_with(user, *variants, paid_with=paid_with, status="delivered", **about)


def test_return_items_notes_lines_and_method_and_moves_no_money(alice, mug, large_mug):
    visa = card(alice)
    made = delivered(alice, mug, large_mug, mug, paid_with=visa)

    done = services.return_items(made, skus=["MUG-1", "MUG-1"], method=visa)

    noted = Return.objects.get(order=made)
    assert (done.status, noted.method) == ("return requested", visa)
    assert list(noted.lines.values_list("position", flat=True)) == [1, 3]
    assert Entry.objects.filter(kind="refund").count() == 0


def test_return_items_may_pay_to_a_gift_card(alice, mug):
    gift = gift_card(alice, holds=0)
    made = delivered(alice, mug, paid_with=card(alice))
    services.return_items(made, skus=["MUG-1"], method=gift)
    assert (Return.objects.get().method, ledger.gift_card_balance(gift)) == (gift, 0)


def test_plan_return_promises_no_more_than_is_left(alice, mug):
    visa = card(alice)
    made = delivered(alice, mug, paid_with=visa)
    services.refund_order(made, amount_minor=1000)
    assert services.plan_return(made, skus=["MUG-1"], method=visa)["amount_minor"] == 600


@pytest.mark.parametrize(("promised", "free"), [("return", 1600), ("exchange", 3200)])
def test_money_that_is_promised_to_a_return_or_an_exchange_is_not_refunded_before(
    alice, mug, large_mug, promised, free
):
    visa = card(alice)
    made = delivered(alice, large_mug, mug, paid_with=visa)
    if promised == "return":
        services.return_items(made, skus=["MUG-2"], method=visa)
    else:
        services.exchange_items(made, changes=[("MUG-2", "MUG-1")], method=visa)
    before = everything()

    for service in (services.plan_refund, services.refund_order):
        with pytest.raises(RefundPromised, match=f"Beside it €{free / 100:.2f} can be refunded at most"):
            service(made, amount_minor=free + 1)
    assert (everything(), services.can_do_now(made).refund_minor) == (before, free)

    services.refund_order(made, amount_minor=free, reference="a")
    assert len(services.refund_order(made, amount_minor=free, reference="a")) == 1


def test_exchange_items_notes_the_signed_difference_and_moves_no_money(alice, mug, large_mug):
    visa = card(alice)
    up = delivered(alice, mug, paid_with=visa)
    down = delivered(alice, large_mug, paid_with=visa, number="DZ-10424")

    done = services.exchange_items(up, changes=SWAP, method=visa)
    services.exchange_items(down, changes=[("MUG-2", "MUG-1")], method=visa)

    assert done.status == "exchange requested"
    assert list(Exchange.objects.values_list("difference_minor", flat=True)) == [300, -300]
    assert [row.variant.sku for row in up.exchange_request.lines.all()] == ["MUG-2"]
    assert list(up.lines.values_list("variant__sku", "price_minor")) == [("MUG-1", 1600)]
    assert (Entry.objects.filter(kind="refund").count(), Reservation.objects.count()) == (0, 0)


def test_exchange_items_to_be_paid_by_gift_card_reserves_the_difference(alice, mug, large_mug):
    gift = gift_card(alice, holds=500)
    services.exchange_items(delivered(alice, mug, paid_with=card(alice)), changes=SWAP, method=gift)
    assert (ledger.gift_card_balance(gift), ledger.gift_card_free(gift)) == (500, 200)


def test_gift_card_money_is_promised_once(alice, mug, large_mug):
    gift, visa = gift_card(alice, holds=500), card(alice)
    services.exchange_items(delivered(alice, mug, paid_with=visa), changes=SWAP, method=gift)
    second = delivered(alice, mug, paid_with=visa, number="DZ-10424")
    waiting = order_with(alice, mug, paid_with=visa, number="DZ-10425")
    small = order_with(alice, variant("Pin", sku="PIN-1", price=201), paid_with=visa, number="DZ-10426")
    before = everything()

    for attempt in (
        lambda: services.exchange_items(second, changes=SWAP, method=gift),
        lambda: services.change_items(waiting, changes=SWAP, method=gift),
        lambda: services.change_payment(small, method=gift),
    ):
        with pytest.raises(GiftCardTooLow, match=r"^The gift card holds €2\.00"):
            attempt()

    assert everything() == before


def test_reservation_once_an_account(alice, mug):
    made = delivered(alice, mug, paid_with=card(alice))
    gift = gift_card(alice, holds=500)
    adjustments.reserve(made.account, amount_minor=100, method=gift)
    with pytest.raises(AlreadyReserved):
        adjustments.reserve(made.account, amount_minor=100, method=gift)
    assert Reservation.objects.count() == 1


def _both(made, *, skus=None, changes=None, method):
    if skus is not None:
        return services.plan_return, services.return_items, {"skus": skus, "method": method}
    return services.plan_exchange, services.exchange_items, {"changes": changes, "method": method}


def _assert_refused(made, error, **terms):
    plan, act, arguments = _both(made, **terms)
    before = everything()
    with pytest.raises(error) as planned:
        plan(made, **arguments)
    with pytest.raises(error) as done:
        act(made, **arguments)
    assert (str(planned.value), everything()) == (str(done.value), before)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("pending", OrderStillPending),
        ("pending (item modified)", OrderNotDelivered),
        ("processed", OrderNotDelivered),
        ("shipped", OrderNotDelivered),
        ("cancelled", OrderNotDelivered),
        ("return requested", SentBackBefore),
        ("exchange requested", SentBackBefore),
    ],
)
def test_nothing_goes_back_that_was_not_delivered_or_went_back_before(alice, mug, large_mug, status, error):
    visa = card(alice)
    made = order_with(alice, mug, paid_with=visa, status=status)
    _assert_refused(made, error, skus=["MUG-1"], method=visa)
    _assert_refused(made, error, changes=SWAP, method=visa)


@pytest.mark.parametrize(
    ("terms", "error"),
    [
        ({"skus": []}, NothingChosen),
        ({"skus": ["MUG-2"]}, ItemNotInOrder),
        ({"skus": ["MUG-1", "MUG-1"]}, ItemNotInOrder),
        ({"changes": []}, NothingChosen),
        ({"changes": [("MUG-1", "MUG-1")]}, SameOption),
        ({"changes": [("MUG-1", "MUG-3")]}, SoldOut),
        ({"changes": [("MUG-1", "PIN-1")]}, OtherProduct),
    ],
)
def test_items_that_do_not_fit_change_nothing(alice, mug, large_mug, terms, error):
    sold_out(variant("Mug", sku="MUG-3", color="grey"))
    variant("Pin", sku="PIN-1")
    visa = card(alice)
    _assert_refused(delivered(alice, mug, paid_with=visa), error, method=visa, **terms)


def test_return_to_another_card_of_the_customer_changes_nothing(alice, mug):
    made = delivered(alice, mug, paid_with=card(alice))
    _assert_refused(made, MethodNotAllowed, skus=["MUG-1"], method=card(alice, last4="1881"))


def test_a_strangers_method_changes_nothing(alice, bob, mug, large_mug):
    made, gift = delivered(alice, mug, paid_with=card(alice)), gift_card(bob, holds=9000)
    _assert_refused(made, MethodNotFound, skus=["MUG-1"], method=gift)
    _assert_refused(made, MethodNotFound, changes=SWAP, method=gift)


def test_exchange_names_what_the_gift_card_holds_and_what_is_needed(alice, mug, large_mug):
    gift = gift_card(alice, holds=299)
    made = delivered(alice, mug, paid_with=card(alice))
    with pytest.raises(GiftCardTooLow, match=r"^The gift card holds €2\.99, and €3\.00 is needed\.$"):
        services.plan_exchange(made, changes=SWAP, method=gift)
    _assert_refused(made, GiftCardTooLow, changes=SWAP, method=gift)


def test_an_order_without_books_does_not_go_back(alice, mug):
    made = order(alice, status="delivered", prices=(1600,))
    _assert_refused(made, NoBooks, skus=["MUG-1"], method=gift_card(alice, holds=0))


def test_two_exchanges_at_once_promise_a_gift_card_once(postgres):
    user = User.objects.create_user("alice")
    mug, gift, visa = variant("Mug", sku="MUG-1", price=1600, color="blue"), gift_card(user, holds=300), card(user)
    variant("Mug", sku="MUG-2", price=1900, color="sand")
    orders = [delivered(user, mug, paid_with=visa, number=f"DZ-1042{n}") for n in range(4)]
    barrier, outcomes = threading.Barrier(4), []

    def exchange(made):
        try:
            barrier.wait(10)
            services.exchange_items(made, changes=SWAP, method=gift)
            outcomes.append("done")
        except (BillingError, OrderError) as error:
            outcomes.append(type(error).__name__)
        finally:
            connection.close()

    threads = [threading.Thread(target=exchange, args=[made]) for made in orders]
    [thread.start() for thread in threads]
    [thread.join(30) for thread in threads]

    assert sorted(outcomes) == ["GiftCardTooLow"] * 3 + ["done"]
    assert Order.objects.filter(status="exchange requested").count() == Reservation.objects.count() == 1
