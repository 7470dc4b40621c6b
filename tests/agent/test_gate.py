"""The gate: what was shown is done, once, by its customer; everything else changes nothing."""

import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone
from waffle.testutils import override_switch

from agent import actions
from agent.errors import NotFound, Refusal
from agent.models import AgentRun, AuditEntry, Message, PendingAction
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from billing import services as books
from billing.models import Refund
from tests.agent.conftest import marks_left

State = PendingAction.State


def proposed(customer, name="refund_order", **arguments):
    client = ScriptedClient([tool_use(name, arguments)], [text("Please confirm.")])
    run = run_agent_for_user("Please do it", user=customer, client=client)
    return PendingAction.objects.get(run=run)


@pytest.fixture
def action(customer, order):
    return proposed(customer, order_number=order.number, amount="10.00")


def decide(action, *, by, decision=actions.CONFIRM, digest=None):
    return actions.decide(action.pk, user=by, decision=decision, digest=digest or action.digest)


@pytest.mark.django_db
class TestDecision:
    def test_confirmed_refund_is_done_and_recorded(self, customer, action):
        decision = decide(action, by=customer)
        action.refresh_from_db()
        assert (decision.decided_now, action.state, action.decided_by) == (True, State.EXECUTED, customer)
        assert [refund.amount_minor for refund in Refund.objects.all()] == [1000]
        assert list(AuditEntry.objects.values_list("kind", flat=True)) == [
            "action.proposed",
            "action.confirmed",
            "action.executed",
        ]

    def test_second_confirmation_finds_the_receipt(self, customer, action):
        decide(action, by=customer)
        again = decide(action, by=customer)
        assert (again.decided_now, again.action.state, Refund.objects.count()) == (False, State.EXECUTED, 1)

    def test_declined_action_changes_nothing(self, customer, action):
        decision = decide(action, by=customer, decision=actions.REJECT)
        assert (decision.action.state, Refund.objects.count()) == (State.REJECTED, 0)
        assert decide(action, by=customer).action.state == State.REJECTED

    def test_anybody_else_finds_nothing(self, stranger, action):
        with pytest.raises(NotFound):
            decide(action, by=stranger)
        assert Refund.objects.count() == 0

    def test_expired_action_is_not_executed(self, customer, action):
        PendingAction.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert decide(action, by=customer).action.state == State.EXPIRED
        assert Refund.objects.count() == 0

    def test_forged_digest_does_nothing_and_asks_again(self, customer, action):
        decision = decide(action, by=customer, digest="0" * 64)
        action.refresh_from_db()
        assert (decision.decided_now, decision.before is not None, action.state) == (False, True, State.PENDING)
        assert Refund.objects.count() == 0

    def test_other_facts_do_nothing_and_show_both(self, customer, action):
        PendingAction.objects.filter(pk=action.pk).update(facts={**action.facts, "amount_minor": 900})
        seen = PendingAction.objects.get(pk=action.pk)
        forged = PendingAction.objects.filter(pk=action.pk)
        forged.update(digest="f" * 64)
        decision = actions.decide(seen.pk, user=customer, decision=actions.CONFIRM, digest="f" * 64)
        assert (decision.decided_now, Refund.objects.count()) == (False, 0)
        assert decision.before.sentence != actions.show(decision.action).sentence
        assert decide(decision.action, by=customer).action.state == State.EXECUTED

    def test_impossible_by_now_fails_with_the_reason(self, customer, order, action):
        books.refund(order.account, amount_minor=6000)
        decision = decide(action, by=customer)
        assert (decision.action.state, Refund.objects.count()) == (State.FAILED, 1)
        assert "3.20" in decision.action.reason

    def test_switched_off_tool_is_not_executed(self, customer, action):
        """SECURITY 21: off between the proposal and the click."""
        with override_switch("tool.refund_order", active=False):
            decision = decide(action, by=customer)
        assert (decision.action.state, Refund.objects.count()) == (State.FAILED, 0)

    def test_conversation_goes_on_with_the_outcome(self, customer, action):
        decide(action, by=customer)
        news = Message.objects.get(author=Message.Author.SYSTEM)
        assert "it was done" in news.text
        assert action.summary in news.text
        assert news.run.state == AgentRun.State.QUEUED

    def test_cancellation_gives_every_payment_back(self, customer, pending_order):
        action = proposed(customer, "cancel_order", order_number=pending_order.number, reason="no longer needed")
        decide(action, by=customer)
        pending_order.refresh_from_db()
        assert (pending_order.status, Refund.objects.get().amount_minor) == ("cancelled", 6320)

    def test_description_is_one_sentence_from_the_facts(self, action):
        assert actions.describe_action(action) == "Refund €10.00 for order DZ-10001 to the card ending 4242"


@pytest.mark.django_db
class TestRenewal:
    def test_expired_action_is_renewed_once_with_fresh_facts(self, customer, action):
        PendingAction.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        action.refresh_from_db()
        fresh = actions.renew(action, user=customer)
        action.refresh_from_db()
        assert (fresh.renews, fresh.state, action.state) == (action, State.PENDING, State.EXPIRED)
        assert actions.renew(action, user=customer) == fresh

    def test_decided_action_is_not_renewed(self, customer, action):
        decide(action, by=customer, decision=actions.REJECT)
        action.refresh_from_db()
        with pytest.raises(Refusal):
            actions.renew(action, user=customer)

    def test_overdue_actions_expire_by_themselves(self, action):
        PendingAction.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert (actions.expire_overdue(), actions.expire_overdue()) == (1, 0)
        action.refresh_from_db()
        assert action.state == State.EXPIRED


def at_once(works):
    """Run the callables in threads that start together; their results and errors."""
    barrier, results = threading.Barrier(len(works)), []

    def run(work):
        try:
            barrier.wait(timeout=10)
            results.append(work())
        except Exception as error:
            results.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    return results


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    """SECURITY 14."""

    def test_eight_confirmations_give_one_refund(self, customer, action):
        results = at_once([lambda: decide(action, by=customer) for _ in range(8)])
        assert [type(result) for result in results] == [actions.Decision] * 8
        assert sum(result.decided_now for result in results) == 1
        assert {result.action.state for result in results} == {State.EXECUTED}
        assert Refund.objects.count() == 1

    def test_eight_confirmations_of_facts_that_never_change_have_one_effect(self, customer, odd_tools):
        """Here no second look helps: only the conditional update stands between eight clicks and eight effects."""
        action = proposed(customer, "leave_mark")
        results = at_once([lambda: decide(action, by=customer) for _ in range(8)])
        assert sum(result.decided_now for result in results) == 1
        assert marks_left() == 1

    def test_confirmation_against_rejection_has_one_outcome(self, customer, action):
        results = at_once(
            [
                lambda: decide(action, by=customer),
                lambda: decide(action, by=customer, decision=actions.REJECT),
            ]
        )
        action.refresh_from_db()
        assert sum(result.decided_now for result in results) == 1
        assert Refund.objects.count() == (1 if action.state == State.EXECUTED else 0)


@pytest.mark.django_db
def test_facts_that_a_tool_no_longer_knows_leave_the_first_sentence(customer, action):
    PendingAction.objects.update(facts={"of": "another version"})
    action.refresh_from_db()
    assert actions.show(action).sentence == action.summary
