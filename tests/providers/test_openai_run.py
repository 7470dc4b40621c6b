"""Whole runs on OpenAI's APIs: what the customer reads, what the rows hold, and what goes back."""

import pytest
from django.contrib.auth import get_user_model

from agent.models import AgentRun, Message, ModelTurn
from agent.providers import provider_named
from agent.runs import loop
from agent.runs.start import ask
from orders.models import Order
from tests.providers.messages_server import Reply

pytestmark = pytest.mark.django_db(transaction=True)


def call(call_id, arguments):
    return {"type": "tool_use", "id": call_id, "name": "order_status", "input": arguments}


STATUS = call("call_1", {"order_number": "DZ-10423"})
THINKING = {"type": "thinking", "thinking": "", "signature": "sealed"}


@pytest.fixture
def customer():
    user = get_user_model().objects.create_user("dora", email="dora@example.com")
    Order.objects.create(number="DZ-10423", customer=user, status="delivered")
    return user


@pytest.fixture(params=["responses", "chat"])
def openai(request, server, settings):
    settings.OPENAI_API = request.param
    settings.AGENT = {**settings.AGENT, "PROVIDER": "openai", "MODEL": "model-test"}
    return server


def finished(user, text, conversation=None):
    """The question, brought to its end by this thread."""
    run = ask(user, text, conversation)
    loop.work(run.pk)
    return AgentRun.objects.get(pk=run.pk)


def test_run_looks_up_and_answers_and_its_history_is_taken_back(openai, customer):
    openai.replies = [Reply([THINKING, STATUS]), Reply("Delivered."), Reply("You are welcome.")]
    run = finished(customer, "Where is DZ-10423?")
    again = finished(customer, "Thanks", run.conversation)
    assert (run.state, again.state, openai.refused) == ("done", "done", [])
    assert [step.outcome for step in run.steps.all()] == ["ok"]
    assert Message.objects.get(run=run, author="agent").text == "Delivered."


def test_arguments_that_do_not_parse_are_one_error_result_of_that_call(openai, customer):
    openai.replies = [Reply([call("call_1", '{"order_number": "DZ'), {**STATUS, "id": "call_2"}]), Reply("Delivered.")]
    run = finished(customer, "Where is DZ-10423?")
    steps = list(run.steps.order_by("sequence"))
    assert [(step.call_id, step.outcome) for step in steps] == [("call_1", "invalid"), ("call_2", "ok")]
    assert steps[0].result == '{"error": "invalid arguments: expected one JSON object"}'
    assert (run.state, openai.refused) == ("done", [])
    assert "This call failed" in str(openai.requests[1])


def test_arguments_that_are_far_too_large_are_not_kept_and_the_history_is_taken_back(openai, customer):
    large = call("call_1", {"order_number": "DZ-" + "9" * 300_000})
    openai.replies = [Reply([THINKING, large, {**STATUS, "id": "call_2"}]), Reply("Delivered."), Reply("Yes.")]
    run = finished(customer, "Where is DZ-10423?")
    again = finished(customer, "Really?", run.conversation)
    steps = list(run.steps.order_by("sequence").values_list("call_id", "outcome"))
    assert (steps, run.state, again.state) == ([("call_1", "invalid"), ("call_2", "ok")], "done", "done")
    assert (openai.refused, len(str(openai.requests[-1])) < 100_000) == ([], True)


def test_refused_answer_ends_in_words(openai, customer):
    openai.replies = [Reply([], stop_reason="refusal")]
    run = finished(customer, "Something odd")
    assert (run.state, run.error_code) == ("failed", "refusal")
    assert Message.objects.get(run=run, author="agent").text.startswith("I cannot help with this here.")


def test_conversation_of_a_run_whose_service_went_down_goes_on_at_the_second(openai, customer, settings):
    settings.AGENT = {
        **settings.AGENT,
        "PROVIDER": "anthropic",
        "FALLBACK_PROVIDER": "openai",
        "FALLBACK_MODEL": f"spare of {settings.OPENAI_API}",  # a breaker of this test's own
    }
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:9"  # nobody is there
    openai.replies = [Reply([THINKING, STATUS]), Reply("Delivered.")]
    run = finished(customer, "Where is DZ-10423?")
    assert (run.state, [step.outcome for step in run.steps.all()], openai.refused) == ("done", ["ok"], [])
    assert ModelTurn.objects.filter(run=run).count() == 2
    assert provider_named("anthropic").name == "anthropic"
