"""Other options for the items of a pending order: to the cent, once, or not at all."""

import pytest

from billing import adjustments
from billing import selectors as ledger
from billing import services as books
from billing.errors import BillingError, GiftCardTooLow, MethodNotFound, RefundTooHigh
from billing.models import Entry, Refund
from orders import services
from orders.errors import (
    ItemNotInOrder,
    ItemsChangedBefore,
    NoBooks,
    NothingChosen,
    OrderNotChangeable,
    OtherCurrency,
    OtherProduct,
    SameOption,
    SoldOut,
    VariantNotFound,
)
from orders.models import Order
from tests.billing.books import card, gift_card
from tests.orders.shop import everything, order, order_with, sold_out, variant


@pytest.fixture
def lamp(db):
    return variant("Lamp", sku="LAMP-1", price=6900, color="white")


@pytest.fixture
def black_lamp(lamp):
    return variant("Lamp", sku="LAMP-2", price=7400, color="black")


@pytest.fixture
def mug(db):
    return variant("Mug", sku="MUG-1", price=1900, color="blue")


@pytest.fixture
def small_mug(mug):
    return variant("Mug", sku="MUG-2", price=1600, color="sand")


def lines_of(made):
    return list(made.lines.values_list("position", "variant__sku", "price_minor"))


def added(made):
    return [(e.kind, e.amount_minor, e.method) for e in made.account.entries.all()[1:]]


def test_change_items_settles_the_true_sum_of_all_lines_in_one_entry(alice, lamp, black_lamp, mug, small_mug):
    visa = card(alice)
    made = order_with(alice, lamp, mug, paid_with=visa)

    done = services.change_items(made, changes=[("MUG-1", "MUG-2"), ("LAMP-1", "LAMP-2")], method=visa)

    assert done.status == "pending (item modified)"
    assert lines_of(made) == [(1, "LAMP-2", 7400), (2, "MUG-2", 1600)]
    assert added(made) == [("payment", 200, visa)]


def test_change_items_to_a_lower_price_refunds_the_difference(alice, mug, small_mug):
    visa = card(alice)
    made = order_with(alice, mug, paid_with=visa)

    services.change_items(made, changes=[("MUG-1", "MUG-2")], method=visa)

    assert added(made) == [("refund", 300, visa)]


def test_change_items_at_the_same_price_leaves_a_refund_of_nothing(alice, mug):
    variant("Mug", sku="MUG-3", price=1900, color="moss")
    gift = gift_card(alice, holds=1900)
    made = order_with(alice, mug, paid_with=gift)

    services.change_items(made, changes=[("MUG-1", "MUG-3")], method=gift)

    assert added(made) == [("refund", 0, gift)]
    assert ledger.gift_card_balance(gift) == 0


@pytest.mark.parametrize(("old", "new", "held"), [("LAMP-1", "LAMP-2", 100), ("MUG-1", "MUG-2", 900)])
def test_change_items_moves_the_money_of_a_gift_card_at_once(alice, lamp, black_lamp, mug, small_mug, old, new, held):
    gift = gift_card(alice, holds=600)
    made = order_with(alice, lamp, mug, paid_with=card(alice))

    services.change_items(made, changes=[(old, new)], method=gift)

    assert ledger.gift_card_balance(gift) == held


def test_change_items_refunds_the_difference_to_any_method_of_the_customer(alice, mug, small_mug):
    gift, visa = gift_card(alice, holds=1900), card(alice)
    made = order_with(alice, mug, paid_with=gift)

    services.change_items(made, changes=[("MUG-1", "MUG-2")], method=visa)

    assert added(made) == [("refund", 300, visa)]


def test_change_items_counts_what_was_paid_for_a_line_not_what_it_costs_today(alice, mug, small_mug):
    visa = card(alice)
    made = order_with(alice, mug, paid_with=visa)
    type(mug).objects.filter(pk=mug.pk).update(price_minor=9900)

    services.change_items(made, changes=[("MUG-1", "MUG-2")], method=visa)

    assert added(made) == [("refund", 300, visa)]


def test_change_items_of_two_alike_takes_one_line_each_time_it_is_named(alice, mug, small_mug):
    visa = card(alice)
    one = order_with(alice, mug, mug, paid_with=visa)
    both = order_with(alice, mug, mug, paid_with=visa, number="DZ-10424")

    services.change_items(one, changes=[("MUG-1", "MUG-2")], method=visa)
    services.change_items(both, changes=[("MUG-1", "MUG-2"), ("MUG-1", "MUG-2")], method=visa)

    assert lines_of(one) == [(1, "MUG-2", 1600), (2, "MUG-1", 1900)]
    assert lines_of(both) == [(1, "MUG-2", 1600), (2, "MUG-2", 1600)]
    assert added(both) == [("refund", 600, visa)]


def test_change_items_may_swap_two_options_of_one_product(alice, mug, small_mug):
    visa = card(alice)
    made = order_with(alice, mug, small_mug, paid_with=visa)

    services.change_items(made, changes=[("MUG-1", "MUG-2"), ("MUG-2", "MUG-1")], method=visa)

    assert lines_of(made) == [(1, "MUG-2", 1600), (2, "MUG-1", 1900)]
    assert added(made) == [("refund", 0, visa)]


def test_change_items_after_a_change_of_payment_gives_money_back_once(alice, mug, small_mug):
    gift, visa = gift_card(alice, holds=1900), card(alice)
    made = order_with(alice, mug, paid_with=gift)
    services.change_payment(made, method=visa)

    services.change_items(made, changes=[("MUG-1", "MUG-2")], method=gift)

    assert ledger.gift_card_balance(gift) == 1900 + 300
    assert ledger.standing(made.account).left_minor == 1600


def _assert_refused(made, error, changes, method):
    before = everything()
    with pytest.raises(error) as plan:
        services.plan_item_change(made, changes=changes, method=method)
    with pytest.raises(error) as act:
        services.change_items(made, changes=changes, method=method)
    assert str(plan.value) == str(act.value)
    assert everything() == before


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ([], NothingChosen),
        ([("LAMP-1", "LAMP-2")], ItemNotInOrder),
        ([("MUG-1", "MUG-2"), ("MUG-1", "MUG-2")], ItemNotInOrder),
        ([("MUG-1", "MUG-1")], SameOption),
        ([("MUG-1", "MUG-5")], SameOption),
        ([("MUG-1", "LAMP-2")], OtherProduct),
        ([("MUG-1", "NOTHING")], VariantNotFound),
        ([("MUG-1", "MUG-3")], SoldOut),
        ([("MUG-1", "MUG-4")], OtherCurrency),
    ],
)
def test_change_items_that_do_not_fit_changes_nothing(alice, lamp, black_lamp, mug, small_mug, changes, error):
    sold_out(variant("Mug", sku="MUG-3", color="grey"))
    other = variant("Mug", sku="MUG-4", color="red")
    type(other).objects.filter(pk=other.pk).update(currency="USD")
    variant("Mug", sku="MUG-5", color="blue")
    visa = card(alice)
    made = order_with(alice, mug, paid_with=visa)

    _assert_refused(made, error, changes, visa)


@pytest.mark.parametrize("status", [s for s in Order.Status.values if s != "pending"])
def test_change_items_of_an_order_that_does_not_wait_changes_nothing(alice, mug, small_mug, status):
    visa = card(alice)
    made = order_with(alice, mug, paid_with=visa, status=status)
    _assert_refused(made, OrderNotChangeable, [("MUG-1", "MUG-2")], visa)


def test_items_change_once_and_then_nothing_of_the_order_does(alice, mug, small_mug):
    visa = card(alice)
    made = order_with(alice, mug, paid_with=visa)
    services.change_items(made, changes=[("MUG-1", "MUG-2")], method=visa)

    _assert_refused(Order.objects.get(), ItemsChangedBefore, [("MUG-2", "MUG-1")], visa)
    with pytest.raises(ItemsChangedBefore):
        services.change_shipping_address(made, address={})
    with pytest.raises(ItemsChangedBefore):
        services.change_payment(made, method=gift_card(alice, holds=9900))


def test_change_items_by_a_strangers_method_changes_nothing(alice, bob, mug, small_mug):
    made = order_with(alice, mug, paid_with=card(alice))
    _assert_refused(made, MethodNotFound, [("MUG-1", "MUG-2")], card(bob))


def test_change_items_names_what_the_gift_card_holds_and_what_is_needed(alice, lamp, black_lamp):
    made = order_with(alice, lamp, paid_with=card(alice))
    gift = gift_card(alice, holds=499)

    _assert_refused(made, GiftCardTooLow, [("LAMP-1", "LAMP-2")], gift)
    with pytest.raises(GiftCardTooLow, match=r"^The gift card holds €4\.99, and €5\.00 is needed\.$"):
        services.plan_item_change(made, changes=[("LAMP-1", "LAMP-2")], method=gift)


def test_change_items_never_refunds_more_than_is_left(alice, mug, small_mug):
    visa = card(alice)
    made = order_with(alice, mug, paid_with=visa)
    services.refund_order(made, amount_minor=1700)

    _assert_refused(made, RefundTooHigh, [("MUG-1", "MUG-2")], visa)


def test_change_items_of_an_order_without_books_changes_nothing(alice, mug, small_mug):
    made = order(alice, prices=(1900,))
    _assert_refused(made, NoBooks, [("MUG-1", "MUG-2")], card(alice))


def test_plan_item_change_reads_only_and_says_from_what_to_what(alice, lamp, black_lamp):
    visa = card(alice)
    made = order_with(alice, lamp, paid_with=visa)
    before = everything()

    facts = services.plan_item_change(made, changes=[("LAMP-1", "LAMP-2")], method=visa)

    assert everything() == before
    assert facts["swaps"] == [
        {
            "line": 1,
            "sku": "LAMP-1",
            "name": "Lamp",
            "options": {"color": "white"},
            "price_minor": 6900,
            "new": {"sku": "LAMP-2", "name": "Lamp", "options": {"color": "black"}, "price_minor": 7400},
        }
    ]
    assert (facts["difference_minor"], facts["total_minor"], facts["at_once"]) == (500, 7400, False)


def test_difference_larger_than_any_one_payment_comes_off_several(alice):
    gift, visa = gift_card(alice, holds=1000), card(alice)
    made = order_with(alice, variant("Sofa", sku="SOFA-1", price=900), paid_with=gift)
    books.pay(made.account, amount_minor=900, method=visa)

    entries = adjustments.settle_difference(made.account, difference_minor=-1500, method=visa)

    assert [(e.payment.method, e.amount_minor) for e in entries] == [(visa, 900), (gift, 600)]
    assert {e.method for e in entries} == {visa}
    assert Refund.objects.count() == Entry.objects.filter(kind="refund").count() == 2


def test_settling_twice_is_refused_by_the_books(alice, mug):
    visa = card(alice)
    made = order_with(alice, mug, paid_with=visa)
    adjustments.settle_difference(made.account, difference_minor=-1900, method=visa)
    with pytest.raises(BillingError):
        adjustments.settle_difference(made.account, difference_minor=-1, method=visa)
    assert Refund.objects.count() == 1
