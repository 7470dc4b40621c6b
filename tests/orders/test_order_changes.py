"""Another payment method and another address for what was ordered, and for the account."""

import pytest

from billing import selectors as ledger
from billing.errors import BillingError, GiftCardTooLow, MethodNotFound, NotOnePayment, SameMethod
from orders import selectors, services
from orders.errors import BadAddress, NoBooks, OrderNotChangeable
from orders.models import Address, Order
from tests.billing.books import card, gift_card
from tests.orders.shop import everything, order, order_paid

BERLIN = {"line1": "Lindenallee 20", "line2": "", "city": "Berlin", "state": "", "country": "Germany", "zip": "10585"}
DENVER = {"line1": "9 Maple Drive", "line2": "", "city": "Denver", "state": "CO", "country": "USA", "zip": "80279"}


def home(user, **parts):
    return Address.objects.create(customer=user, is_default=True, **DENVER | parts)


def parts_of(address):
    return {part: getattr(address, part) for part in BERLIN}


# --- Payment ----------------------------------------------------------------------------------------------------------


def test_change_payment_pays_anew_and_gives_the_old_back(alice):
    gift, visa = gift_card(alice, holds=5000), card(alice)
    made = order_paid(alice, (gift, 5000))

    done = services.change_payment(made, method=visa)

    entries = [(e.kind, e.amount_minor, e.method) for e in made.account.entries.all()]
    assert entries == [("payment", 5000, gift), ("payment", 5000, visa), ("refund", 5000, gift)]
    assert (done.status, ledger.gift_card_balance(gift)) == ("pending", 5000)


def test_change_payment_to_a_gift_card_charges_it_at_once(alice):
    gift = gift_card(alice, holds=5001)
    services.change_payment(order_paid(alice, (card(alice), 5000)), method=gift)
    assert ledger.gift_card_balance(gift) == 1


def test_cancel_order_after_a_change_of_payment_gives_the_money_back_once(alice):
    gift, visa = gift_card(alice, holds=5000), card(alice)
    made = order_paid(alice, (gift, 5000))
    services.change_payment(made, method=visa)

    services.cancel_order(made, reason="no longer needed")

    refunds = [(e.method, e.amount_minor) for e in made.account.entries.filter(kind="refund")]
    assert refunds == [(gift, 5000), (visa, 5000)]
    assert (ledger.gift_card_balance(gift), ledger.standing(made.account).left_minor) == (5000, 0)


def test_change_payment_is_beyond_the_limits_of_refunds(alice):
    made = order_paid(alice, (card(alice), 90_000))
    services.change_payment(made, method=card(alice, last4="1881"))
    assert ledger.standing(made.account).left_minor == 90_000


def _assert_payment_stays(made, method, error):
    before = everything()
    with pytest.raises(error) as plan:
        services.plan_payment_change(made, method=method)
    with pytest.raises(error) as act:
        services.change_payment(made, method=method)
    assert (str(plan.value), everything()) == (str(act.value), before)


@pytest.mark.parametrize("status", [s for s in Order.Status.values if s != "pending"])
def test_change_payment_of_an_order_that_does_not_wait_changes_nothing(alice, status):
    made = order_paid(alice, (card(alice), 5000), status=status)
    _assert_payment_stays(made, gift_card(alice, holds=9000), OrderNotChangeable)


def test_change_payment_to_the_same_method_changes_nothing(alice):
    visa = card(alice)
    _assert_payment_stays(order_paid(alice, (visa, 5000)), visa, SameMethod)


def test_change_payment_to_a_gift_card_below_the_total_changes_nothing(alice):
    _assert_payment_stays(order_paid(alice, (card(alice), 5000)), gift_card(alice, holds=4999), GiftCardTooLow)


def test_change_payment_to_a_strangers_method_changes_nothing(alice, bob):
    _assert_payment_stays(order_paid(alice, (card(alice), 5000)), card(bob), MethodNotFound)


def test_change_payment_of_an_order_paid_in_parts_changes_nothing(alice):
    made = order_paid(alice, (card(alice), 5000), (gift_card(alice, holds=100), 100))
    _assert_payment_stays(made, card(alice, last4="1881"), NotOnePayment)


def test_change_payment_works_once(alice):
    visa, other = card(alice), card(alice, last4="1881")
    made = order_paid(alice, (visa, 5000))
    services.change_payment(made, method=other)
    _assert_payment_stays(made, visa, NotOnePayment)


def test_change_payment_of_an_order_that_nobody_paid_changes_nothing(alice):
    _assert_payment_stays(order(alice), card(alice), NoBooks)


# --- Addresses --------------------------------------------------------------------------------------------------------


def test_change_shipping_address_leaves_the_default_and_other_orders_alone(alice):
    shared = home(alice)
    made = order(alice, ship_to=shared)
    other = order(alice, "DZ-10424", ship_to=shared)

    services.change_shipping_address(made, address=BERLIN)

    made.refresh_from_db()
    other.refresh_from_db()
    assert parts_of(made.ship_to) == BERLIN
    assert parts_of(other.ship_to) == parts_of(selectors.default_address(alice)) == DENVER


@pytest.mark.parametrize("status", [s for s in Order.Status.values if s != "pending"])
def test_change_shipping_address_of_an_order_that_does_not_wait_changes_nothing(alice, status):
    made = order(alice, status=status, ship_to=home(alice))
    before = everything()

    for service in (services.plan_shipping_address_change, services.change_shipping_address):
        with pytest.raises(OrderNotChangeable):
            service(made, address=BERLIN)

    assert everything() == before


def test_change_default_address_leaves_placed_orders_alone(alice):
    made = order(alice, ship_to=home(alice))

    services.change_default_address(alice, address=BERLIN)

    made.refresh_from_db()
    assert parts_of(selectors.default_address(alice)) == BERLIN
    assert parts_of(made.ship_to) == DENVER
    assert Address.objects.filter(customer=alice, is_default=True).count() == 1


def test_change_default_address_gives_the_first_one_to_a_customer_without(alice):
    assert services.plan_default_address_change(alice, address=BERLIN) == {"from": None, "to": BERLIN}
    services.change_default_address(alice, address=BERLIN)
    assert parts_of(selectors.default_address(alice)) == BERLIN


def test_address_is_kept_without_what_cannot_be_seen(alice):
    facts = services.plan_default_address_change(
        alice,
        address=BERLIN
        | {"line1": "  Linden\u202eallee\u200b\n20\x00 ", "city": "Berl\u0069\u0308n", "line2": "\ufeff"},
    )
    assert facts["to"] == BERLIN | {"line1": "Lindenallee 20", "city": "Berlïn"}


@pytest.mark.parametrize(
    ("part", "text", "name"),
    [
        ("line1", "", "street"),
        ("line1", "\u200b \u202e", "street"),
        ("city", " , ", "city"),
        ("country", "", "country"),
        ("zip", "1" * 21, "zip code"),
        ("line2", "x" * 201, "address line 2"),
    ],
)
def test_address_without_a_part_or_too_long_is_refused_by_name(alice, part, text, name):
    home(alice)
    made = order(alice)
    before = everything()

    with pytest.raises(BadAddress, match=f"{name}\\.$"):
        services.change_default_address(alice, address=BERLIN | {part: text})
    with pytest.raises(BadAddress, match=f"{name}\\.$"):
        services.change_shipping_address(made, address=BERLIN | {part: text})

    assert everything() == before


def test_plans_of_a_change_read_only(alice):
    made = order_paid(alice, (card(alice), 5000), ship_to=home(alice))
    gift = gift_card(alice, holds=5000)
    before = everything()

    payment = services.plan_payment_change(made, method=gift)
    address = services.plan_shipping_address_change(made, address=BERLIN)

    assert everything() == before
    assert (payment["amount_minor"], payment["old_method"]["last4"], payment["refund_at_once"]) == (5000, "4242", False)
    assert address == {"order": "DZ-10423", "from": DENVER, "to": BERLIN}


def test_refusal_of_the_books_is_text_for_a_customer(alice):
    with pytest.raises(BillingError, match="The payment method can be changed once"):
        services.plan_payment_change(order_paid(alice), method=card(alice))
    assert Order.objects.count() == 1
