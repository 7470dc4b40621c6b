"""The made-up shop has something of everything, and only where it is wanted."""

from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from billing import selectors as ledger
from orders.models import Order, Product, Variant
from orders.sample_shop import load_sample_shop
from orders.selectors import order_of, total_minor
from orders.services import can_do_now

pytestmark = pytest.mark.django_db


def test_sample_shop_has_everything_to_try():
    logins = load_sample_shop()

    assert (len(logins), User.objects.filter(is_staff=False).count()) == (10, 8)
    assert (Order.objects.count(), Product.objects.count()) == (30, 15)
    assert set(Order.objects.values_list("status", flat=True)) == set(Order.Status.values)
    assert Variant.objects.filter(available=False).exists()
    assert EmailAddress.objects.filter(verified=True, primary=True).count() == 10


def test_sample_shop_twice_is_the_same():
    load_sample_shop()
    before = list(Order.objects.values_list("number", "status", "placed_at"))

    load_sample_shop()

    assert list(Order.objects.values_list("number", "status", "placed_at")) == before
    assert Variant.objects.count() == sum(product.variants.count() for product in Product.objects.all())


def test_sample_customer_anna_shows_everything_from_one_login():
    load_sample_shop()
    anna = User.objects.get(username="anna")

    assert order_of(anna, number="DZ-10423").status == "shipped"
    assert can_do_now(order_of(anna, number="DZ-10428")).cancel
    assert can_do_now(order_of(anna, number="DZ-10414")).refund_minor > 0


def test_sample_orders_are_paid_to_the_cent_and_in_the_past():
    load_sample_shop()

    for order in Order.objects.all():
        assert ledger.standing(order.account).paid_minor == total_minor(order)
        assert order.placed_at <= timezone.now()
        assert all(s.sent_at is None or s.sent_at <= timezone.now() for s in order.shipments.all())


def test_sample_staff_may_do_what_they_are_for():
    load_sample_shop()
    reviewer, admin = User.objects.get(username="reviewer"), User.objects.get(username="admin")

    assert (reviewer.is_staff, reviewer.is_superuser, admin.is_superuser) == (True, False, True)
    assert reviewer.has_perm("agent.view_agentrun")
    assert not reviewer.has_perm("agent.change_agentrun")


def test_load_sample_shop_prints_the_logins():
    out = StringIO()
    call_command("load_sample_shop", stdout=out)
    assert "anna        demo        Anna Weber        DZ-10423 is on its way" in out.getvalue()


def test_load_sample_shop_refuses_beside_a_shop_of_somebodys_own(bob):
    with pytest.raises(CommandError, match="--beside"):
        call_command("load_sample_shop")
    assert User.objects.count() == 1


def test_load_sample_shop_beside_another_shop_when_asked_for(bob):
    call_command("load_sample_shop", beside=True, stdout=StringIO())
    assert User.objects.count() == 11
