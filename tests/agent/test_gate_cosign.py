"""Two signatures: above an amount nothing happens until a member of staff, who is not the customer, approves it too."""

import pytest
from django.contrib.auth.models import Permission
from django.db import IntegrityError, transaction
from django.utils import translation

from agent import actions
from agent.errors import NotFound, Refusal
from agent.models import Message, PendingAction
from agent.tools import registry
from billing import services as books
from billing.models import Refund
from tests.agent.conftest import paid_order
from tests.agent.test_gate import at_once, decide, proposed

State = PendingAction.State

pytestmark = pytest.mark.django_db


def allow(user):
    user.is_staff = True
    user.save()
    user.user_permissions.add(Permission.objects.get(codename="cosign_action"))
    return type(user).objects.get(pk=user.pk)


@pytest.fixture(autouse=True)
def two_signatures(settings):
    settings.AGENT = {**settings.AGENT, "COSIGN": {"refund_order": {"EUR": 2000}}}


@pytest.fixture
def signer(staff):
    return allow(staff)


@pytest.fixture
def waiting(customer, order):
    action = proposed(customer, order_number=order.number, amount="30.00")
    decide(action, by=customer)
    action.refresh_from_db()
    return action


def cosign(action, *, by, decision=actions.CONFIRM, digest=None):
    return actions.cosign(action.pk, by=by, decision=decision, digest=digest or action.digest)


def test_confirmed_above_the_amount_waits_for_staff(customer, waiting):
    assert (waiting.state, waiting.decided_by, Refund.objects.count()) == (State.AWAITING_STAFF, customer, 0)
    assert "waits for staff" in Message.objects.get(author="system").text


@pytest.mark.parametrize("amount", ["20.00", "19.99"])
def test_up_to_the_amount_one_signature_is_enough(customer, order, amount):
    action = proposed(customer, order_number=order.number, amount=amount)
    assert decide(action, by=customer).action.state == State.EXECUTED


def test_other_currency_is_not_meant(customer, order, settings):
    settings.AGENT = {**settings.AGENT, "COSIGN": {"refund_order": {"USD": 1}}}
    assert decide(proposed(customer, order_number=order.number, amount="30.00"), by=customer).action.state == "executed"


def test_approved_is_done_once(signer, waiting):
    first, second = cosign(waiting, by=signer), cosign(waiting, by=signer)
    assert (first.decided_now, second.decided_now, Refund.objects.get().amount_minor) == (True, False, 3000)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.cosigned_by) == (State.EXECUTED, signer)


def test_declined_by_staff_changes_nothing(signer, waiting):
    assert cosign(waiting, by=signer, decision=actions.REJECT).action.state == State.REJECTED
    assert (cosign(waiting, by=signer).decided_now, Refund.objects.count()) == (False, 0)


def test_customer_may_still_decline(customer, signer, waiting):
    assert decide(waiting, by=customer, decision=actions.REJECT).action.state == State.REJECTED
    with pytest.raises(NotFound):
        cosign(waiting, by=signer)
    assert Refund.objects.count() == 0


def test_customer_cannot_confirm_a_second_time(customer, waiting):
    decision = decide(waiting, by=customer)
    assert (decision.decided_now, decision.action.state, Refund.objects.count()) == (False, State.AWAITING_STAFF, 0)


def test_customer_who_is_staff_cannot_sign_for_both(customer, waiting):
    with pytest.raises(NotFound):
        cosign(waiting, by=allow(customer))
    assert Refund.objects.count() == 0


def test_the_database_knows_two_signatures_of_one_person(customer, waiting):
    with pytest.raises(IntegrityError), transaction.atomic():
        PendingAction.objects.update(cosigned_by=customer)


def test_staff_without_the_permission_finds_nothing(staff, waiting):
    with pytest.raises(NotFound):
        cosign(waiting, by=staff)
    assert Refund.objects.count() == 0


def test_what_the_customer_has_not_confirmed_is_not_there(customer, order, signer):
    action = proposed(customer, order_number=order.number, amount="30.00")
    with pytest.raises(NotFound):
        cosign(action, by=signer)


def test_other_facts_send_it_back_to_the_customer(customer, signer, order, waiting):
    books.refund(order.account, amount_minor=500)
    before = Refund.objects.count()
    decision = cosign(waiting, by=signer)
    assert (decision.decided_now, decision.action.state, Refund.objects.count()) == (False, State.EXPIRED, before)
    fresh = actions.renew(decision.action, user=customer)
    assert decide(fresh, by=customer).action.state == State.AWAITING_STAFF
    assert cosign(fresh, by=signer).action.state == State.EXECUTED


def test_forged_digest_of_staff_does_nothing(signer, waiting):
    assert not cosign(waiting, by=signer, digest="0" * 64).decided_now
    assert Refund.objects.count() == 0


def test_impossible_by_now_fails_with_the_reason(signer, order, waiting):
    books.refund(order.account, amount_minor=6000)
    decision = cosign(waiting, by=signer)
    assert (decision.action.state, Refund.objects.count()) == (State.FAILED, 1)
    assert decision.action.reason


def test_the_same_is_not_proposed_while_it_waits(customer, waiting):
    tool = registry.all_tools()["refund_order"]
    with translation.override("en"), pytest.raises(Refusal, match="waits for a member of staff"):
        actions.propose(waiting.run, tool, arguments=waiting.arguments, facts=waiting.facts)


def test_every_tool_that_moves_money_says_how_much():
    gated = {name: tool for name, tool in registry.all_tools().items() if tool.gated}
    silent = {name for name, tool in gated.items() if tool.amount is None}
    assert silent == {"change_shipping_address", "change_default_address"}


@pytest.mark.parametrize(("most", "state"), [(6319, State.AWAITING_STAFF), (6320, State.EXECUTED)])
def test_a_cancellation_counts_what_goes_back(customer, pending_order, settings, most, state):
    settings.AGENT = {**settings.AGENT, "COSIGN": {"cancel_order": {"EUR": most}}}
    action = proposed(customer, "cancel_order", order_number=pending_order.number, reason="no longer needed")
    assert decide(action, by=customer).action.state == state
    assert Refund.objects.count() == (1 if state == State.EXECUTED else 0)


@pytest.mark.django_db(transaction=True)
class TestRounds:
    def rounds(self, customer, *works):
        for number in range(20):
            order = paid_order(customer, number=f"DZ-13{number:03}")
            action = proposed(customer, order_number=order.number, amount="30.00")
            decide(action, by=customer)
            before = Refund.objects.count()
            results = at_once([lambda work=work, row=action: work(row) for work in works])
            unexpected = [one for one in results if isinstance(one, Exception) and not isinstance(one, NotFound)]
            assert not unexpected
            action.refresh_from_db()
            yield action.state, Refund.objects.count() - before

    def test_approval_against_decline_of_staff(self, customer, signer):
        approve, decline = (
            (lambda row: cosign(row, by=signer)),
            (lambda row: cosign(row, by=signer, decision=actions.REJECT)),
        )
        for outcome in self.rounds(customer, approve, decline):
            assert outcome in {(State.EXECUTED, 1), (State.REJECTED, 0)}

    def test_approval_against_decline_of_the_customer(self, customer, signer):
        decline = lambda row: decide(row, by=customer, decision=actions.REJECT)  # noqa: E731
        for outcome in self.rounds(customer, lambda row: cosign(row, by=signer), decline):
            assert outcome in {(State.EXECUTED, 1), (State.REJECTED, 0)}

    def test_approval_against_approval(self, customer, signer):
        for outcome in self.rounds(customer, *[lambda row: cosign(row, by=signer)] * 2):
            assert outcome == (State.EXECUTED, 1)
