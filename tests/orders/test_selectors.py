"""What a customer can find, and what stays a stranger's."""

from datetime import timedelta

import pytest
from django.utils import timezone

from orders import selectors
from orders.errors import OrderNotFound
from orders.models import Order
from tests.orders.shop import order, variant


def test_order_of_takes_any_spelling(alice):
    made = order(alice)
    assert selectors.order_of(alice, number=" dz 10423") == made


def test_order_of_tells_a_stranger_the_same_as_of_a_missing_one(alice, bob):
    order(bob)

    with pytest.raises(OrderNotFound) as strangers:
        selectors.order_of(alice, number="DZ-10423")
    with pytest.raises(OrderNotFound) as missing:
        selectors.order_of(alice, number="DZ-99999")
    with pytest.raises(OrderNotFound) as no_number:
        selectors.order_of(alice, number="'; drop table")

    assert {str(e.value) for e in (strangers, missing, no_number)} == {"no such order for this customer"}


def test_order_of_locks_a_row_that_has_no_account(alice, db):
    made = order(alice)
    assert selectors.order_of(alice, number="DZ-10423", lock=True) == made


def test_orders_of_are_the_customers_own_newest_first(alice, bob):
    now = timezone.now()
    order(bob, "DZ-10001")
    old = order(alice, "DZ-10003", placed_at=now - timedelta(days=2))
    new = order(alice, "DZ-10002", placed_at=now)

    assert list(selectors.orders_of(alice)) == [new, old]


def test_orders_of_without_dates_follow_the_sequence(alice):
    second, first = order(alice, "DZ-10001", sequence=2), order(alice, "DZ-10002", sequence=1)
    later = order(alice, "DZ-10003")

    assert list(selectors.orders_of(alice)) == [later, second, first]


def test_orders_of_takes_the_same_number_of_queries_for_many(alice, django_assert_max_num_queries):
    for number in range(10):
        order(alice, f"DZ-1000{number}", prices=(100, 200))

    with django_assert_max_num_queries(7):
        assert [selectors.total_minor(row) for row in selectors.orders_of(alice)] == [300] * 10


def test_an_order_needs_number_customer_and_status_alone(alice):
    made = Order.objects.create(number="DZ-10423", customer=alice, status="shipped")

    assert selectors.order_of(alice, number="DZ-10423").status == "shipped"
    assert (made.currency, made.account, made.placed_at) == ("EUR", None, None)


@pytest.fixture
def shelf(db):
    return [
        variant("Desk Lamp", sku="LAMP-1", color="blue"),
        variant("Desk Lamp", sku="LAMP-2", color="red"),
        variant("Mug", sku="MUG-1", color="blue"),
        variant("T-Shirt", sku="SHIRT-1", size="M"),
    ]


@pytest.mark.parametrize(
    ("query", "skus"),
    [
        ("lamps", ["LAMP-1", "LAMP-2"]),
        ("do you have a blue desk lamp", ["LAMP-1"]),
        ("BLUE", ["LAMP-1", "MUG-1"]),
        ("t-shirts", ["SHIRT-1"]),
        ("sofa", []),
        ("", ["LAMP-1", "LAMP-2", "MUG-1", "SHIRT-1"]),
        ("% _ ' ; --", ["LAMP-1", "LAMP-2", "MUG-1", "SHIRT-1"]),
    ],
)
def test_find_variants_finds(shelf, query, skus):
    assert [row.sku for row in selectors.find_variants(query)] == skus
