"""One careless tool is one failed call: its neighbours, the run and the database go on."""

import json
import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.db import connection
from django.utils import timezone

from agent import actions, policies
from agent.errors import Refusal
from agent.models import AgentRun, AgentStep, PendingAction
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import registry
from tests.agent import careless_tools
from tests.agent.conftest import marks_left

LEFT_OPEN = ["leave_autocommit_off", "leave_transaction_broken", "leave_transaction_open"]


@pytest.fixture(autouse=True)
def _careless_tools():
    registry.load([*settings.AGENT["TOOL_MODULES"], "tests.agent.careless_tools"])
    yield
    registry.load()


def ask(customer, *turns):
    return run_agent_for_user("Look", user=customer, client=ScriptedClient(*turns, [text("Fine.")]))


def outcomes(run):
    return list(run.steps.values_list("outcome", flat=True))


@pytest.mark.parametrize("kind", careless_tools.KINDS)
def test_result_that_is_no_json_fails_alone(kind, customer, order):
    refund = tool_use("refund_order", order_number=order.number, amount="10.00")
    run = ask(customer, [refund, tool_use("answer_without_json", kind=kind)])
    assert (run.state, outcomes(run)) == (AgentRun.State.DONE, ["proposed", "error"])
    assert json.loads(run.steps.last().result)["reference"] == run.steps.last().reference != ""
    assert PendingAction.objects.get().state == PendingAction.State.PENDING


def test_result_with_half_a_character_is_kept_without_it(customer):
    run = ask(customer, [tool_use("answer_with_half_a_character")])
    assert (run.state, json.loads(run.steps.get().result)) == (AgentRun.State.DONE, {"note": "ab"})


def test_card_that_is_no_json_fails_alone(customer, order):
    run = ask(customer, [tool_use("order_status", order_number=order.number), tool_use("show_a_row")])
    assert (run.state, outcomes(run)) == (AgentRun.State.DONE, ["ok", "error"])


def test_write_whose_result_is_no_json_is_undone(customer):
    run = ask(customer, [tool_use("mark_without_json")])
    assert (run.state, outcomes(run), marks_left()) == (AgentRun.State.DONE, ["error"], 0)


@pytest.mark.parametrize("name", LEFT_OPEN)
@pytest.mark.django_db(transaction=True)
def test_transaction_that_a_tool_left_open_is_rolled_back(name, customer):
    run = ask(customer, [tool_use("calculate", expression="1 + 1"), tool_use(name)])
    assert (connection.in_atomic_block, connection.get_autocommit()) == (False, True)
    assert (run.state, outcomes(run), marks_left()) == (AgentRun.State.DONE, ["ok", "error"], 0)


def test_transaction_that_a_tool_left_open_inside_another_is_rolled_back_alone(customer):
    run = ask(customer, [tool_use("calculate", expression="1 + 1"), tool_use("leave_transaction_open")])
    assert (run.state, outcomes(run), marks_left()) == (AgentRun.State.DONE, ["ok", "error"], 0)


@pytest.mark.django_db(transaction=True)
def test_transaction_behind_djangos_back_does_not_lock_the_database(customer):
    run = ask(customer, [tool_use("begin_by_hand")])
    assert run.state in (AgentRun.State.DONE, AgentRun.State.RUNNING)  # a warning to PostgreSQL, an error to SQLite
    Group.objects.create(name="another's")
    assert AgentStep.objects.filter(run=run).count() == 1


def test_write_that_undoes_itself_in_silence_is_no_success(customer):
    run = ask(customer, [tool_use("undo_in_silence"), tool_use("calculate", expression="1 + 1")])
    assert (run.state, outcomes(run), marks_left()) == (AgentRun.State.DONE, ["error", "ok"], 0)


def confirmed(customer, name):
    action = PendingAction.objects.get(run=ask(customer, [tool_use(name)]))
    return actions.decide(action.pk, user=customer, decision=actions.CONFIRM, digest=action.digest).action


@pytest.mark.parametrize("name", ["mark_and_undo", "mark_after_a_lost_lock"])
def test_confirmed_write_that_is_not_whole_fails_with_a_reference(name, customer):
    action = confirmed(customer, name)
    assert (action.state, marks_left()) == (PendingAction.State.FAILED, 0)
    assert re.search(r"reference [A-Z0-9]{8}", action.reason)


@pytest.fixture
def broken_plan(monkeypatch):
    """A proposal whose plan breaks from now on."""

    def breaks(customer):
        action = PendingAction.objects.get(run=ask(customer, [tool_use("mark_if_the_plan_lives")]))
        monkeypatch.setitem(careless_tools.BROKEN, "plan", True)
        return action

    return breaks


def test_renewal_whose_plan_breaks_ends_in_a_sentence(customer, broken_plan):
    action = broken_plan(customer)
    PendingAction.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    action.refresh_from_db()
    with pytest.raises(Refusal, match=r"reference [A-Z0-9]{8}"):
        actions.renew(action, user=customer)
    assert (PendingAction.objects.count(), marks_left()) == (1, 0)


def test_confirmation_whose_plan_breaks_ends_in_a_sentence(customer, broken_plan):
    action = broken_plan(customer)
    decided = actions.decide(action.pk, user=customer, decision=actions.CONFIRM, digest="0" * 64).action
    assert (decided.state, marks_left()) == (PendingAction.State.FAILED, 0)
    assert "hunter2" not in decided.reason


def test_asking_again_whose_plan_breaks_ends_in_a_sentence(customer, monkeypatch):
    action = PendingAction.objects.get(run=ask(customer, [tool_use("mark_if_the_plan_lives")]))

    def other_rules(_tool):  # asked after the plan under lock, and before the one for the new question
        monkeypatch.setitem(careless_tools.BROKEN, "plan", True)
        return "other"

    monkeypatch.setattr(policies, "version", other_rules)
    decided = actions.decide(action.pk, user=customer, decision=actions.CONFIRM, digest=action.digest).action
    assert decided.state == PendingAction.State.FAILED
    assert re.search(r"reference [A-Z0-9]{8}", decided.reason)
    assert marks_left() == 0
