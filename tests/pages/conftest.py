"""Alice with an answered question about her order, a refund that waits for her, and browsers for the whole cast."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agent.models import AgentRun, PendingAction
from agent.runs import direct, run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from tests.agent.conftest import paid_order

ORDER = "DZ-10001"
JSON = {"Accept": "application/json"}


@pytest.fixture
def order(alice: User) -> Any:
    return paid_order(alice, number=ORDER)


def refund_proposed(user: User, *, amount: str = "10.00", order_number: str = ORDER) -> PendingAction:
    client = ScriptedClient(
        [tool_use("order_status", order_number=order_number)],
        [tool_use("refund_order", order_number=order_number, amount=amount)],
        [text("I prepared a refund. Please **confirm** it.")],
    )
    run = run_agent_for_user(f"Refund {amount} of {order_number}", user=user, client=client)
    return PendingAction.objects.get(run=run)


def asked_by(user: User, name: str, *, amount: str = "10.00") -> PendingAction:
    """A refund that a connected program asked for."""
    client = direct.Client(id="https://desk.example/client", name=name)
    arguments = {"order_number": ORDER, "amount": amount}
    step = direct.call(user, "refund_order", arguments, client=client, offered={"refund_order"})
    assert step.action is not None, step.result
    return step.action


@pytest.fixture
def proposal(alice: User, order: Any) -> PendingAction:
    """A refund of 10.00 that waits for Alice."""
    return refund_proposed(alice)


@pytest.fixture
def answered(proposal: PendingAction) -> AgentRun:
    """The run that ended with the proposal."""
    return proposal.run


def signed_in(user: User, **options: Any) -> Client:
    client = Client(**options)
    client.force_login(user)
    return client


@pytest.fixture
def as_alice(alice: User) -> Client:
    return signed_in(alice)


@pytest.fixture
def as_bob(bob: User) -> Client:
    return signed_in(bob)


@pytest.fixture
def as_staff(staff: User) -> Client:
    return signed_in(staff)
