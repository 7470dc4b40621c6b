"""A call without a model: the same path, gate and rows as in the chat, filed by program."""

import json
import threading

import pytest
from django.db import connections
from django.test import Client as Browser
from django.urls import reverse
from waffle.testutils import override_switch

from agent import actions, policies
from agent.errors import NotFound
from agent.models import AgentRun, AgentStep, AuditEntry, Conversation, Event, Message, PendingAction
from agent.runs import run_agent_for_user
from agent.runs.direct import Client, call
from agent.selectors import conversation_of
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import registry
from billing.models import Refund

DESK = Client(id="desk-1", name="Desk")
ALL = frozenset({"order_status", "list_orders", "refund_order", "hand_off"})


def result_of(step):
    return json.loads(step.result)


@pytest.mark.django_db
class TestCall:
    def test_read_leaves_one_run_one_step_and_its_result(self, customer, order):
        step = call(customer, "order_status", {"order_number": order.number}, client=DESK, offered=ALL)
        assert (step.outcome, result_of(step)["order_number"]) == ("ok", order.number)
        run = AgentRun.objects.get()
        assert (run.state, run.prompt, run.turns.count()) == ("done", "Desk: order_status", 0)
        kept = AgentStep.objects.get()
        assert (kept.run, kept.turn, kept.result, kept.outcome) == (run, None, step.result, "ok")

    def test_read_answers_as_in_the_chat(self, customer, order):
        client = ScriptedClient([tool_use("order_status", order_number=order.number)], [text("Here it is.")])
        in_chat = run_agent_for_user("Where is it?", user=customer, client=client).steps.get()
        direct = call(customer, "order_status", {"order_number": order.number}, client=DESK, offered=ALL)
        assert direct.result == in_chat.result

    def test_write_waits_for_its_customer_and_changes_nothing(self, customer, order):
        arguments = {"order_number": order.number, "amount": "10.00"}
        step = call(customer, "refund_order", arguments, client=DESK, offered=ALL)
        action = PendingAction.objects.get()
        assert (step.outcome, step.action, action.state, action.user) == ("proposed", action, "pending", customer)
        assert result_of(step)["status"] == "confirmation_required"
        assert result_of(step)["confirm_url"] == actions.address(action)
        assert Refund.objects.count() == 0
        assert [entry.kind for entry in AuditEntry.objects.all()] == ["action.proposed"]

    def test_decision_about_it_wakes_no_model(self, customer, order):
        arguments = {"order_number": order.number, "amount": "10.00"}
        action = call(customer, "refund_order", arguments, client=DESK, offered=ALL).action
        decided = actions.decide(action.pk, user=customer, decision=actions.CONFIRM, digest=action.digest)
        assert (decided.action.state, Refund.objects.count()) == ("executed", 1)
        assert (AgentRun.objects.exclude(state="done").count(), Message.objects.count()) == (0, 0)
        assert [entry.kind for entry in AuditEntry.objects.all()] == [
            "action.proposed",
            "action.confirmed",
            "action.executed",
        ]

    @pytest.mark.parametrize("name", sorted(registry.all_tools()))
    def test_bad_arguments_are_refused_as_in_the_chat_with_one_row_each(self, name, customer):
        bad = {"user": "bob", "no_such_field": 1}
        client = ScriptedClient([tool_use(name, input=bad)], [text("That did not work.")])
        in_chat = run_agent_for_user("Do it", user=customer, client=client).steps.get()
        direct = call(customer, name, bad, client=DESK, offered=registry.all_tools().keys())
        assert (direct.outcome, direct.result) == (in_chat.outcome, in_chat.result)
        expected = "invalid" if policies.may_use(customer, registry.all_tools()[name]) else "refused"
        assert (in_chat.outcome, AgentStep.objects.count()) == (expected, 2)
        assert (PendingAction.objects.count(), Refund.objects.count()) == (0, 0)

    def test_tool_that_is_not_offered_is_refused(self, customer, order):
        arguments = {"order_number": order.number, "amount": "10.00"}
        step = call(customer, "refund_order", arguments, client=DESK, offered={"order_status"})
        assert (step.outcome, PendingAction.objects.count()) == ("refused", 0)

    @pytest.mark.parametrize("switch", ["agent", "agent.writes", "tool.refund_order"])
    def test_switches_hold_here_too(self, switch, customer, order):
        arguments = {"order_number": order.number, "amount": "10.00"}
        with override_switch(switch, active=False):
            step = call(customer, "refund_order", arguments, client=DESK, offered=ALL)
        assert (step.outcome, PendingAction.objects.count()) == ("switched_off", 0)

    def test_closed_account_may_ask_for_nothing(self, customer, order):
        customer.is_active = False
        step = call(customer, "order_status", {"order_number": order.number}, client=DESK, offered=ALL)
        assert step.outcome == "refused"

    def test_strangers_order_is_as_good_as_none(self, customer, strangers_order):
        theirs = call(customer, "order_status", {"order_number": strangers_order.number}, client=DESK, offered=ALL)
        none = call(customer, "order_status", {"order_number": "DZ-99999"}, client=DESK, offered=ALL)
        assert result_of(theirs)["error"].replace(strangers_order.number, "DZ-99999") == result_of(none)["error"]

    def test_hand_off_is_a_ticket(self, customer):
        arguments = {"reason": "complaint", "summary": "The parcel was wet."}
        step = call(customer, "hand_off", arguments, client=DESK, offered=ALL)
        assert result_of(step)["ticket"] == str(Conversation.objects.get().handoffs.get())

    def test_tool_with_a_bug_shows_a_reference_and_nothing_else(self, customer, odd_tools):
        step = call(customer, "explode", {}, client=DESK, offered={"explode"})
        assert result_of(step) == {"error": "internal error; do not retry this call", "reference": step.reference}


@pytest.mark.django_db
class TestFiling:
    def test_each_program_has_one_conversation_of_its_own_a_customer(self, customer, stranger):
        for user in (customer, customer, stranger):
            call(user, "list_orders", {}, client=DESK, offered=ALL)
        call(customer, "list_orders", {}, client=Client(id="other", name="Other"), offered=ALL)
        filed = Conversation.objects.order_by("created_at").values_list("user", "client_name")
        assert list(filed) == [(customer.pk, "Desk"), (stranger.pk, "Desk"), (customer.pk, "Other")]
        assert list(AgentRun.objects.filter(user=customer).order_by("number").values_list("number", flat=True)) == [
            1,
            1,
            2,
        ]

    def test_it_is_no_chat(self, customer):
        call(customer, "list_orders", {}, client=DESK, offered=ALL)
        filed = Conversation.objects.get()
        with pytest.raises(NotFound):
            conversation_of(customer, filed.pk)
        browser = Browser()
        browser.force_login(customer)
        assert browser.get(reverse("agent:conversation", args=[filed.pk])).status_code == 404
        answer = browser.post(reverse("agent:start"), {"q": "Hello", "conversation": str(filed.pk)})
        assert (answer.status_code, Message.objects.count(), AgentRun.objects.count()) == (404, 0, 1)
        assert "Desk" not in browser.get(reverse("agent:home")).content.decode()

    def test_history_and_review_name_the_program(self, customer, staff):
        call(customer, "list_orders", {}, client=Client(id="x", name="<b>Desk</b>"), offered=ALL)
        browser = Browser()
        browser.force_login(customer)
        page = browser.get(reverse("agent:history")).content.decode()
        assert "through <bdi>&lt;b&gt;Desk&lt;/b&gt;</bdi>" in page
        assert reverse("agent:conversation", args=[Conversation.objects.get().pk]) not in page
        browser.force_login(staff)
        review = browser.get(reverse("staff:run", args=[AgentRun.objects.get().pk])).content.decode()
        assert "Asked for by <bdi>&lt;b&gt;Desk&lt;/b&gt;</bdi>" in review
        assert "list_orders" in review

    def test_confirmation_page_leads_to_no_chat(self, customer, order):
        arguments = {"order_number": order.number, "amount": "10.00"}
        action = call(customer, "refund_order", arguments, client=DESK, offered=ALL).action
        browser = Browser()
        browser.force_login(customer)
        page = browser.get(reverse("agent:action", args=[action.pk]))
        assert page.status_code == 200
        assert str(Conversation.objects.get().pk) not in page.content.decode()


@pytest.mark.django_db(transaction=True)
def test_calls_at_once_each_get_a_run_and_events_without_gaps(alice):
    def ask():
        try:
            outcomes.append(call(alice, "list_orders", {}, client=DESK, offered=ALL).outcome)
        finally:
            connections.close_all()

    outcomes = []
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert (outcomes, Conversation.objects.count()) == (["ok"] * 8, 1)
    assert sorted(AgentRun.objects.values_list("number", flat=True)) == list(range(1, 9))
    assert list(Event.objects.values_list("seq", flat=True)) == list(range(1, 9))
