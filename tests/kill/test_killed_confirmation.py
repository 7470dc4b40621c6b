"""The process that sends a refund dies by SIGKILL while it waits for the provider; another one ends it, once."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from django.db import connection, connections

from agent import actions
from agent.models import PendingAction
from tests.agent.test_gate import proposed
from tests.agent.test_outside_payment import INTENT, NUMBER, PAID, later, left, order, state_of, stripe  # noqa: F401

pytestmark = [pytest.mark.kill, pytest.mark.django_db(transaction=True)]

State = PendingAction.State
ROOT = Path(__file__).parents[2]
PATIENCE = 60.0


@pytest.fixture
def customer(alice):
    return alice


def database_url() -> str:
    """The address of the test's own database, for a process that is not the test."""
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{found['NAME']}"
    place = f"{found['USER']}:{found['PASSWORD']}@{found['HOST']}:{found['PORT'] or 5432}"
    return f"postgresql://{place}/{found['NAME']}"


def killed_while_it_waits(action, stripe) -> None:  # noqa: F811
    address = stripe.settings()["STRIPE"]["API_BASE"]
    command = [sys.executable, "-m", "tests.kill.confirming", str(action.pk), address]
    process = subprocess.Popen(command, env=os.environ | {"DATABASE_URL": database_url()}, cwd=ROOT)
    try:
        until = time.monotonic() + PATIENCE
        # The request has arrived, and what it does is done: the server only keeps its answer back.
        while stripe.faults and time.monotonic() < until and process.poll() is None:
            threading.Event().wait(0.05)
    finally:
        process.kill()
        process.wait(timeout=10)
        connections.close_all()


@pytest.mark.parametrize(("fault", "effects", "waits"), [("timeout_after", 1, 31), ("timeout_before", 0, 61)])
def test_refund_of_a_killed_process_is_made_once(customer, order, stripe, fault, effects, waits):  # noqa: F811
    action = proposed(customer, order_number=NUMBER, amount="10.00")
    stripe.faults = [fault]
    killed_while_it_waits(action, stripe)
    assert (state_of(action), left(order), len(stripe.effects)) == (State.EXECUTING, PAID - 1000, effects)
    later(seconds=waits)
    assert [actions.reconcile(), actions.reconcile()] == [1, 0]
    assert (state_of(action), stripe.effects) == (State.EXECUTED, [(INTENT, 1000)])
