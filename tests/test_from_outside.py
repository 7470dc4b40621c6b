"""The project as somebody sees it who only knows its contract: no fixture of ours, no private name."""

import pytest
from django.contrib.auth import get_user_model

from agent.models import PendingAction
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import ToolArgumentError
from billing.models import Refund
from orders.models import Order
from orders.tools import order_status

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice():
    return get_user_model().objects.create_user("alice")


@pytest.fixture
def bobs_order():
    bob = get_user_model().objects.create_user("bob")
    return Order.objects.create(number="DZ-30002", customer=bob, status="delivered")


def test_another_customers_order_is_no_order(alice, bobs_order):
    result = order_status.bound(user=alice).run(order_number=bobs_order.number)
    assert result == {"error": "no such order for this customer"}
    assert result == order_status.bound(user=alice).run(order_number="DZ-39999")


def test_a_model_that_supplies_the_user_is_refused_before_any_query(alice, bobs_order, django_assert_num_queries):
    with django_assert_num_queries(0), pytest.raises(ToolArgumentError):
        order_status.bound(user=alice).run(order_number=bobs_order.number, user=bobs_order.customer)


def test_a_refund_is_proposed_and_not_made(alice):
    order = Order.objects.create(number="DZ-30001", customer=alice, status="delivered")
    client = ScriptedClient(
        [
            tool_use("refund_order", order_number=order.number, amount="10.00"),
            text("Please confirm the refund on the page."),
        ]
    )
    run_agent_for_user("Refund 10 euros of my order", user=alice, client=client)
    assert PendingAction.objects.filter(user=alice, tool="refund_order").count() == 1
    assert Refund.objects.count() == 0
    results = [block for block in client.requests[1]["messages"][-1]["content"] if block["type"] == "tool_result"]
    assert "awaiting_confirmation" in results[0]["content"]
