"""An effect that fails, or that dies midway, has not happened; the same page can still say so, or do it."""

import re

import pytest

from agent import actions
from agent.models import AuditEntry, Message, OutgoingMail, PendingAction
from billing import services as books
from billing.models import Refund
from orders.models import Order
from tests.agent import odd_tools as tools_of_tests
from tests.agent.conftest import marks_left
from tests.agent.test_gate import at_once, decide, proposed

State = PendingAction.State

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("odd_tools")]


class Death(BaseException):
    """The process is gone: nothing in it catches this, and its open transaction is rolled back."""


@pytest.fixture
def ends_by(monkeypatch):
    return lambda error: monkeypatch.setattr(tools_of_tests, "ENDS_BY", [error] if error else [])


def kinds():
    return list(AuditEntry.objects.order_by("pk").values_list("kind", flat=True))


def test_failed_effect_leaves_nothing_half_done(customer, ends_by):
    action = proposed(customer, "leave_mark_and_break")
    ends_by(RuntimeError("half way"))
    decided = decide(action, by=customer).action
    assert (decided.state, decided.result, marks_left()) == (State.FAILED, None, 0)
    assert re.search(r"nothing was changed. Quote reference [A-Z0-9]{8}", decided.reason)
    assert kinds() == ["action.proposed", "action.confirmed", "action.failed"]
    ends_by(None)
    assert (decide(action, by=customer).decided_now, marks_left()) == (False, 0)  # what was told stays true


def test_effect_that_died_midway_is_done_by_the_next_click_once(customer, ends_by):
    action = proposed(customer, "leave_mark_and_break")
    before = kinds(), Message.objects.count(), OutgoingMail.objects.count()
    ends_by(Death())
    with pytest.raises(Death):
        decide(action, by=customer)
    action.refresh_from_db()
    assert (action.state, action.decided_at, marks_left()) == (State.PENDING, None, 0)
    assert (kinds(), Message.objects.count(), OutgoingMail.objects.count()) == before
    ends_by(None)
    results = at_once([lambda: decide(action, by=customer) for _ in range(4)])
    assert (sum(result.decided_now for result in results), marks_left()) == (1, 1)


def test_death_between_effect_and_record_takes_the_effect_back(customer, order, monkeypatch):
    action = proposed(customer, order_number=order.number, amount="10.00")

    def dies(*_args, **_more):
        raise Death

    with monkeypatch.context() as patch:
        patch.setattr("agent.actions.executing.tell", dies)  # the effect is there, its commit is not
        with pytest.raises(Death):
            decide(action, by=customer)
    action.refresh_from_db()
    assert (action.state, Refund.objects.count()) == (State.PENDING, 0)
    assert (decide(action, by=customer).action.state, Refund.objects.count()) == (State.EXECUTED, 1)


def test_death_after_the_commit_leaves_the_receipt(customer, order, monkeypatch):
    action = proposed(customer, order_number=order.number, amount="10.00")
    whole = actions.deciding._confirm

    def dies_after(*args, **more):
        whole(*args, **more)
        raise Death

    with monkeypatch.context() as patch:
        patch.setattr("agent.actions.deciding._confirm", dies_after)
        with pytest.raises(Death):
            decide(action, by=customer)
    again = decide(action, by=customer)
    assert (again.decided_now, again.action.state, Refund.objects.count()) == (False, State.EXECUTED, 1)


def _send(order):
    Order.objects.filter(pk=order.pk).update(status="processed")


def _refund_elsewhere(order):
    books.refund(order.account, amount_minor=500)


@pytest.mark.parametrize(("change", "state"), [(_send, State.FAILED), (_refund_elsewhere, State.PENDING)])
def test_cancellation_of_what_changed_since_the_look_is_not_done(customer, pending_order, change, state):
    action = proposed(customer, "cancel_order", order_number=pending_order.number, reason="no longer needed")
    change(pending_order)
    before = Refund.objects.count()
    decided = decide(action, by=customer)
    pending_order.refresh_from_db()
    assert (decided.action.state, pending_order.status == "cancelled", Refund.objects.count()) == (state, False, before)


def test_digest_of_the_old_facts_stays_void(customer, order):
    """Whoever goes back in the browser and sends the old form again signs nothing."""
    action = proposed(customer, order_number=order.number, amount="10.00")
    old = action.digest
    _refund_elsewhere(order)
    before = Refund.objects.count()
    for _ in range(3):
        assert decide(action, by=customer, digest=old).action.state == State.PENDING
    assert Refund.objects.count() == before
    action.refresh_from_db()
    assert action.digest != old
    assert decide(action, by=customer).action.state == State.EXECUTED
