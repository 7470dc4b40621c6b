"""A customer with a delivered order that was paid by card, and a stranger with one too."""

import pytest
from django.conf import settings
from django.contrib.auth.models import Group

from agent.conf import setting
from agent.tools import registry
from billing import services as books
from billing.models import PaymentMethod
from orders.models import Order

PAID_MINOR = 6320


def paid_order(customer, *, number, status="delivered"):
    card = PaymentMethod.objects.create(
        customer=customer, public_id=f"card_{number}", kind=PaymentMethod.Kind.CREDIT_CARD, brand="visa", last4="4242"
    )
    account = books.open_account(customer)
    books.pay(account, amount_minor=PAID_MINOR, method=card)
    return Order.objects.create(number=number, customer=customer, status=status, account=account)


def marks_left() -> int:
    """How often a tool of the tests has left its mark: a group that is no role."""
    return Group.objects.exclude(name__in=setting("ROLES")).count()


@pytest.fixture
def customer(alice):
    return alice


@pytest.fixture
def stranger(bob):
    return bob


@pytest.fixture
def order(customer):
    return paid_order(customer, number="DZ-10001")


@pytest.fixture
def pending_order(customer):
    return paid_order(customer, number="DZ-10002", status="pending")


@pytest.fixture
def strangers_order(stranger):
    return paid_order(stranger, number="DZ-20001")


@pytest.fixture
def odd_tools():
    """The registry with `tests.agent.odd_tools` besides the shop's."""
    registry.load([*settings.AGENT["TOOL_MODULES"], "tests.agent.odd_tools"])
    yield
    registry.load()
