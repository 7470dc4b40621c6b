"""The gate over time: what changed since the proposal is asked anew, and few proposals are open at once."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from agent import actions
from agent.errors import Refusal
from agent.models import PendingAction
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import registry
from billing.models import Refund
from tests.agent.conftest import paid_order
from tests.agent.test_gate import at_once, decide, proposed

State = PendingAction.State

pytestmark = pytest.mark.django_db


@pytest.fixture
def action(customer, order):
    return proposed(customer, order_number=order.number, amount="10.00")


@pytest.fixture
def other_tool(monkeypatch):
    """The shop comes back with another version of its refund tool."""
    tools = dict(registry.all_tools())
    tools["refund_order"] = replace(tools["refund_order"], description="Refund, by other rules.")
    monkeypatch.setattr(registry, "all_tools", lambda: tools)


def states():
    return sorted(PendingAction.objects.values_list("state", flat=True))


class TestVersions:
    def test_versions_are_frozen_on_the_row(self, action):
        assert action.tool_hash == registry.all_tools()["refund_order"].schema_hash
        assert action.prompt_hash == action.run.conversation.prefix_hash
        assert len(action.policy_hash) == 64

    def test_changed_tool_is_asked_anew(self, customer, action, other_tool):
        decision = decide(action, by=customer)
        assert (decision.decided_now, decision.other_rules, Refund.objects.count()) == (False, True, 0)
        assert decision.action.state == State.PENDING
        assert decide(decision.action, by=customer).action.state == State.EXECUTED

    def test_changed_policy_is_asked_anew(self, customer, action, settings):
        settings.AGENT = {**settings.AGENT, "CONFIRM_MINUTES": 5}
        decision = decide(action, by=customer)
        assert (decision.decided_now, decision.other_rules, Refund.objects.count()) == (False, True, 0)
        assert decide(decision.action, by=customer).action.state == State.EXECUTED

    def test_permission_taken_away_refuses(self, customer, action, monkeypatch):
        tools = dict(registry.all_tools())
        tools["refund_order"] = replace(tools["refund_order"], permission="billing.add_refund")
        monkeypatch.setattr(registry, "all_tools", lambda: tools)
        assert (decide(action, by=customer).action.state, Refund.objects.count()) == (State.FAILED, 0)

    def test_tool_that_is_gone_refuses(self, customer, action, monkeypatch):
        monkeypatch.setattr(registry, "all_tools", dict)
        assert (decide(action, by=customer).action.state, Refund.objects.count()) == (State.FAILED, 0)


class TestFewAtATime:
    """SECURITY 18: nobody is worn down by a row of pages; each is decided alone."""

    def test_equal_open_proposal_is_reused(self, customer, order, action):
        client = ScriptedClient(
            [tool_use("refund_order", {"order_number": order.number, "amount": "10.00"})], [text("Please confirm.")]
        )
        run = run_agent_for_user("Again, please", user=customer, client=client)
        assert run.steps.get().action == action
        assert states() == [State.PENDING]

    def test_newer_one_for_the_same_order_supersedes(self, customer, order, action):
        newer = proposed(customer, order_number=order.number, amount="20.00")
        action.refresh_from_db()
        assert (action.state, newer.state) == (State.SUPERSEDED, State.PENDING)
        assert (decide(action, by=customer).action.state, Refund.objects.count()) == (State.SUPERSEDED, 0)

    def test_newer_one_by_another_tool_supersedes_too(self, customer, pending_order):
        address = proposed(
            customer, "change_shipping_address", order_number=pending_order.number,
            line1="1 Main Street", city="Utrecht", state="UT", country="NL", zip="3511",
        )  # fmt: skip
        proposed(customer, "cancel_order", order_number=pending_order.number, reason="no longer needed")
        address.refresh_from_db()
        assert address.state == State.SUPERSEDED

    def test_another_order_leaves_it_open(self, customer, action):
        second = paid_order(customer, number="DZ-10009")
        proposed(customer, order_number=second.number, amount="5.00")
        assert states() == [State.PENDING, State.PENDING]

    def test_another_customers_proposal_stays(self, stranger, strangers_order, action):
        proposed(stranger, order_number=strangers_order.number, amount="5.00")
        action.refresh_from_db()
        assert action.state == State.PENDING

    def test_the_database_holds_one_open_a_subject(self, action):
        action.pk, action.digest = None, "0" * 64
        with pytest.raises(IntegrityError), transaction.atomic():
            action.save(force_insert=True)

    def test_renewal_supersedes_what_came_in_between(self, customer, order, action):
        PendingAction.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        action.refresh_from_db()
        between = proposed(customer, order_number=order.number, amount="20.00")
        action.refresh_from_db()
        fresh = actions.renew(action, user=customer)
        between.refresh_from_db()
        assert (action.state, between.state, fresh.state) == (State.EXPIRED, State.SUPERSEDED, State.PENDING)

    def test_sixth_open_proposal_is_refused_in_words(self, customer):
        orders = [paid_order(customer, number=f"DZ-1100{number}") for number in range(6)]
        for order in orders[:5]:
            proposed(customer, order_number=order.number, amount="5.00")
        client = ScriptedClient(
            [tool_use("refund_order", {"order_number": orders[5].number, "amount": "5.00"})],
            [text("That is too many.")],
        )
        step = run_agent_for_user("One more", user=customer, client=client).steps.get()
        assert (step.outcome, PendingAction.objects.count()) == ("refused", 5)
        assert "5 proposals wait for your decision already" in step.result

    def test_sixth_is_possible_once_one_is_decided(self, customer):
        orders = [paid_order(customer, number=f"DZ-1100{number}") for number in range(6)]
        rows = [proposed(customer, order_number=order.number, amount="5.00") for order in orders[:5]]
        decide(rows[0], by=customer, decision=actions.REJECT)
        assert proposed(customer, order_number=orders[5].number, amount="5.00").state == State.PENDING


def propose_again(action, *, amount):
    """What a run does when the model asks for another amount of the same order."""
    tool = registry.all_tools()["refund_order"]
    arguments = {**action.arguments, "amount": amount}
    try:
        facts = actions.plan(tool, arguments, user=action.user)
        return actions.propose(action.run, tool, arguments=arguments, facts=facts)
    except Refusal as refusal:
        return refusal


@pytest.mark.django_db(transaction=True)
def test_six_at_once_are_never_more_than_five(customer):
    """SECURITY 18: each by a run of its own, of another order: only the queue of the proposals keeps the count true."""
    orders = [paid_order(customer, number=f"DZ-1400{number}") for number in range(8)]
    rows = [proposed(customer, order_number=order.number, amount="5.00") for order in orders[:3]]
    runs = [run_agent_for_user("Hello", user=customer, client=ScriptedClient([text("Hello.")])) for _ in range(4)]
    tool = registry.all_tools()["refund_order"]

    def propose(run, order):
        arguments = {"order_number": order.number, "amount": "5.00", "payment_method": None}
        facts = actions.plan(tool, arguments, user=customer)
        try:
            return actions.propose(run, tool, arguments=arguments, facts=facts)
        except Refusal:
            return None

    results = at_once([lambda pair=pair: propose(*pair) for pair in zip(runs, orders[3:7], strict=True)])
    assert not [result for result in results if isinstance(result, Exception)], results
    assert sum(result is not None for result in results) == 2
    assert PendingAction.objects.filter(state=State.PENDING).count() == len(rows) + 2


@pytest.mark.django_db(transaction=True)
class TestRounds:
    """SECURITY 14. Cheap rounds: each one outcome and one effect or none."""

    def rounds(self, customer, against, *, count=20):
        for number in range(count):
            order = paid_order(customer, number=f"DZ-12{number:03}")
            action = proposed(customer, order_number=order.number, amount="1.00")
            before = Refund.objects.count()
            results = at_once([lambda row=action: decide(row, by=customer), lambda row=action: against(row)])
            assert not [result for result in results if isinstance(result, Exception)], results
            action.refresh_from_db()
            yield action, Refund.objects.count() - before
            PendingAction.objects.filter(state=State.PENDING).update(state=State.SUPERSEDED)

    def test_confirm_against_confirm(self, customer):
        for action, effects in self.rounds(customer, lambda row: decide(row, by=customer)):
            assert (action.state, effects) == (State.EXECUTED, 1)

    def test_confirm_against_reject(self, customer):
        for action, effects in self.rounds(customer, lambda row: decide(row, by=customer, decision=actions.REJECT)):
            assert (action.state, effects) in {(State.EXECUTED, 1), (State.REJECTED, 0)}

    def test_confirm_against_expiry(self, customer):
        def expire(row):
            PendingAction.objects.filter(pk=row.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
            return actions.expire_overdue()

        for action, effects in self.rounds(customer, expire):
            assert (action.state, effects) in {(State.EXECUTED, 1), (State.EXPIRED, 0)}

    def test_confirm_against_supersede(self, customer):
        for action, effects in self.rounds(customer, lambda row: propose_again(row, amount="2.00")):
            assert (action.state, effects) in {(State.EXECUTED, 1), (State.SUPERSEDED, 0)}
