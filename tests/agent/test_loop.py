"""The run loop over rows, with a scripted model: what is sent, what is kept, how each run ends."""

import json

import pytest
from waffle.models import Switch
from waffle.testutils import override_switch

from agent.errors import ProviderError
from agent.models import AgentRun, AgentStep, Event, Handoff, Message, PendingAction
from agent.runs import history, leases, loop, run_agent_for_user, start
from agent.testing import ScriptedClient, text, tool_use
from billing.models import Refund

pytestmark = pytest.mark.django_db

State = AgentRun.State


def results_in(request):
    """The tool results that a request ends with, by call."""
    blocks = request["messages"][-1]["content"]
    return [json.loads(block["content"]) for block in blocks if block["type"] == "tool_result"]


def ask(customer, *turns, prompt="Where is my order?"):
    client = ScriptedClient(*turns)
    return run_agent_for_user(prompt, user=customer, client=client), client


def test_run_answers_with_the_models_text(customer):
    run, _ = ask(customer, [text("It is on its way.")])
    assert (run.state, run.messages.last().text) == (State.DONE, "It is on its way.")


def test_run_sends_the_customers_words_unaltered_and_last_in_their_message(customer):
    _, client = ask(customer, [text("ok")], prompt="  Where <is> it?\nNow.  ")
    assert client.requests[0]["messages"][0] == {
        "role": "user",
        "content": [{"type": "text", "text": "Where <is> it?\nNow."}],
    }


def test_run_says_the_date_once_as_a_system_message(customer):
    _, client = ask(customer, [tool_use("list_orders")], [text("ok")])
    system = [m["content"][0]["text"] for m in client.requests[1]["messages"] if m["role"] == "system"]
    assert len(system) == 1
    assert system[0].startswith("Today is ")


def test_every_call_gets_one_result_in_one_message(customer, order):
    run, client = ask(
        customer,
        [tool_use("order_status", order_number=order.number), tool_use("list_orders"), tool_use("no_such_tool", x=1)],
        [text("done")],
    )
    calls = [b["id"] for b in client.requests[1]["messages"][-2]["content"] if b["type"] == "tool_use"]
    answered = [b["tool_use_id"] for b in client.requests[1]["messages"][-1]["content"]]
    assert answered == calls
    assert list(run.steps.values_list("outcome", flat=True)) == ["ok", "ok", "unknown_tool"]


def test_requests_only_ever_grow_at_the_end(customer, order):
    _, client = ask(
        customer, [tool_use("order_status", order_number=order.number)], [tool_use("list_orders")], [text("ok")]
    )
    for earlier, later in zip(client.requests, client.requests[1:], strict=False):
        assert later["messages"][: len(earlier["messages"])] == earlier["messages"]
        assert (later["system"], later["tools"]) == (earlier["system"], earlier["tools"])


def test_rows_give_the_same_messages_as_the_running_loop(customer, order):
    run, client = ask(customer, [tool_use("order_status", order_number=order.number)], [text("ok")])
    sent = client.requests[-1]["messages"]
    assert json.dumps(history.messages_of(run)[: len(sent)]) == json.dumps(sent)


def test_a_strangers_order_and_a_missing_one_get_the_same_answer(customer, strangers_order):
    _, client = ask(
        customer,
        [tool_use("order_status", order_number="DZ-20001"), tool_use("order_status", order_number="DZ-99999")],
        [text("ok")],
    )
    expected = {"error": "no such order for this customer"}
    assert results_in(client.requests[1]) == [expected, expected]


def test_context_from_the_model_is_an_invalid_call(customer, order):
    run, client = ask(customer, [tool_use("order_status", {"order_number": "DZ-10001", "user": 1})], [text("ok")])
    assert run.steps.get().outcome == AgentStep.Outcome.INVALID
    assert client.requests[1]["messages"][-1]["content"][0]["is_error"] is True


def test_proposed_refund_waits_and_moves_nothing(customer, order):
    run, client = ask(
        customer, [tool_use("refund_order", order_number=order.number, amount="10.00")], [text("Please confirm.")]
    )
    assert (PendingAction.objects.count(), Refund.objects.count()) == (1, 0)
    answer = results_in(client.requests[1])[0]
    assert answer["status"] == "awaiting_confirmation"
    assert answer["message"] == "Tell the customer this needs their confirmation."
    assert str(PendingAction.objects.get().pk) in answer["confirm_url"]
    assert run.steps.get().action == PendingAction.objects.get()


def test_equal_proposal_is_reused(customer, order):
    call = {"order_number": order.number, "amount": "10.00"}
    run, _ = ask(customer, [tool_use("refund_order", call), tool_use("refund_order", call)], [text("ok")])
    assert PendingAction.objects.count() == 1
    assert run.steps.values_list("action").distinct().count() == 1


def test_impossible_proposal_is_refused_with_the_shops_reason(customer, order):
    run, client = ask(customer, [tool_use("refund_order", order_number=order.number, amount="63.21")], [text("ok")])
    assert run.steps.get().outcome == AgentStep.Outcome.REFUSED
    assert "63.20" in results_in(client.requests[1])[0]["error"]
    assert PendingAction.objects.count() == 0


def test_hand_off_commits_with_its_step_and_is_one_ticket(customer):
    call = {"reason": "asked_for_a_person", "summary": "Wants a person."}
    _run, client = ask(customer, [tool_use("hand_off", call)], [tool_use("hand_off", call)], [text("ok")])
    ticket = Handoff.objects.get()
    assert [results_in(request)[0]["ticket"] for request in client.requests[1:]] == [str(ticket)] * 2


def test_events_are_numbered_without_gaps(customer, order):
    run, _ = ask(customer, [tool_use("order_status", order_number=order.number)], [text("ok")])
    numbers = list(Event.objects.filter(conversation=run.conversation).values_list("seq", flat=True))
    run.conversation.refresh_from_db()
    assert numbers == list(range(1, run.conversation.last_event + 1))


# How a run ends --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turn", "state", "code"),
    [
        ({"content": [text("half an ans")], "stop_reason": "max_tokens"}, State.FAILED, "max_tokens"),
        ({"content": [tool_use("list_orders")], "stop_reason": "max_tokens"}, State.FAILED, "max_tokens"),
        ({"content": [], "stop_reason": "refusal"}, State.FAILED, "refusal"),
        ({"content": [tool_use("list_orders")], "stop_reason": "refusal"}, State.FAILED, "refusal"),
        ({"content": [text("x")], "stop_reason": "model_context_window_exceeded"}, State.FAILED, "model_context"),
        ({"content": [], "stop_reason": "end_turn"}, State.FAILED, "no_answer"),
        ({"content": [text("so far")], "stop_reason": "stop_sequence"}, State.DONE, ""),
        ({"content": [text("?")], "stop_reason": "something_new"}, State.FAILED, "something_new"),
    ],
)
def test_stop_reason_ends_in_words_and_runs_no_call(customer, turn, state, code):
    run, client = ask(customer, turn)
    assert (run.state, run.error_code.startswith(code)) == (state, True)
    assert run.messages.last().author == Message.Author.AGENT
    assert (run.steps.count(), len(client.requests)) == (0, 1)
    if state == State.FAILED:
        assert run.reference
        assert run.reference in run.messages.last().text


def test_pause_is_answered_by_sending_everything_again(customer):
    paused = {"content": [text("Let me see.")], "stop_reason": "pause_turn"}
    run, client = ask(customer, paused, [text("There.")])
    assert client.requests[1]["messages"][-1] == {"role": "assistant", "content": [text("Let me see.")]}
    assert run.state == State.DONE


def test_run_out_of_steps_ends_in_plain_words(customer, settings):
    settings.AGENT = {**settings.AGENT, "MAX_STEPS": 3}
    run, client = ask(customer, *[[tool_use("calculate", expression=str(number))] for number in range(5)])
    assert (run.state, run.error_code, len(client.requests)) == (State.OUT_OF_BUDGET, "steps", 3)
    assert run.reference in run.messages.last().text


def test_run_out_of_time_asks_the_model_no_more(customer):
    run = start.accept(customer, "Where is it?")
    lease = leases.claim(run.pk, seconds=60)
    AgentRun.objects.filter(pk=run.pk).update(deadline=run.created_at)
    client = ScriptedClient([text("too late")])
    loop.carry_out(lease, provider=scripted(client))
    run.refresh_from_db()
    assert (run.state, run.error_code, client.requests) == (State.OUT_OF_BUDGET, "time", [])


def scripted(client):
    from agent.providers.anthropic import AnthropicProvider

    return AnthropicProvider(client=client, stream=False)


@pytest.mark.parametrize(("code", "retryable"), [("authentication", False), ("invalid_request", False)])
def test_final_provider_error_ends_at_once_in_words(customer, code, retryable):
    run, client = ask(customer, ProviderError("no", code=code, retryable=retryable))
    assert (run.state, run.error_code, len(client.requests)) == (State.FAILED, code, 1)
    assert run.reference in run.messages.last().text
    assert "no" not in run.messages.last().text.split()


def test_retryable_provider_error_is_asked_again(customer):
    failure = ProviderError("busy", code="overloaded", retryable=True, retry_after=0.01)
    run, client = ask(customer, failure, failure, [text("Here it is.")])
    assert (run.state, len(client.requests)) == (State.DONE, 3)


def test_tool_that_raises_is_one_error_result_with_a_reference(customer, odd_tools):
    """SECURITY 44: neither the error, nor a trace, nor a path reaches the model."""
    run, client = ask(customer, [tool_use("explode")], [text("Sorry.")])
    step = run.steps.get()
    assert (step.outcome, run.state) == (AgentStep.Outcome.ERROR, State.DONE)
    assert results_in(client.requests[1])[0] == {
        "error": "internal error; do not retry this call",
        "reference": step.reference,
    }


def test_call_id_used_twice_is_no_turn(customer):
    """SECURITY 40."""
    twice = [tool_use("list_orders", id="toolu_1"), tool_use("list_orders", id="toolu_1")]
    run, _ = ask(customer, twice, twice, twice)
    assert (run.state, run.error_code, run.steps.count()) == (State.FAILED, "bad_turn", 0)


def test_hundred_calls_at_once_are_capped_and_each_answered(customer):
    """SECURITY 40."""
    run, client = ask(customer, [tool_use("calculate", expression=str(number)) for number in range(100)], [text("ok")])
    outcomes = list(run.steps.values_list("outcome", flat=True))
    assert (outcomes.count("ok"), outcomes.count("refused"), len(results_in(client.requests[1]))) == (16, 84, 100)


def test_text_that_a_database_refuses_still_ends_as_an_answer(customer):
    run, _ = ask(customer, [text("nul \x00 here")])
    assert (run.state, run.messages.last().text) == (State.DONE, "nul  here")
    assert run.turns.get().content == [text("nul \x00 here")]


def test_switched_off_agent_answers_in_words(customer):
    with override_switch("agent", active=False):
        run, client = ask(customer, [text("hello")])
    assert (run.error_code, client.requests) == ("switched_off", [])


class SwitchingOff(ScriptedClient):
    """Somebody switches the assistant off while this model thinks."""

    def create(self, **kwargs):
        Switch.objects.update_or_create(name="agent", defaults={"active": False})
        return super().create(**kwargs)


def test_switched_off_meanwhile_begins_no_call_and_asks_the_model_no_more(customer):
    client = SwitchingOff([tool_use("list_orders")], [text("never asked")])
    run = run_agent_for_user("My orders?", user=customer, client=client)
    assert (run.error_code, len(client.requests)) == ("switched_off", 1)
    assert [(step.outcome, json.loads(step.result)) for step in run.steps.all()] == [
        ("refused", {"error": "not run: the run ended"})
    ]


def test_agent_without_a_row_for_its_switch_is_on(customer):
    Switch.objects.filter(name="agent").delete()
    run, _ = ask(customer, [text("hello")])
    assert run.state == State.DONE


@pytest.mark.parametrize("switch", ["tool.list_orders"])
def test_switched_off_tool_stays_in_the_list_and_says_so(customer, switch):
    run = start.accept(customer, "My orders?")
    lease = leases.claim(run.pk, seconds=60)
    client = ScriptedClient([tool_use("list_orders")], [text("ok")])
    with override_switch(switch, active=False):
        loop.carry_out(lease, provider=scripted(client))
    assert run.steps.get().outcome == AgentStep.Outcome.SWITCHED_OFF
    assert "list_orders" in [published["name"] for published in client.requests[1]["tools"]]


def test_closed_account_runs_nothing(customer):
    run = start.accept(customer, "Hello?")
    customer.is_active = False
    customer.save()
    client = ScriptedClient([text("hello")])
    loop.carry_out(leases.claim(run.pk, seconds=60), provider=scripted(client))
    run.refresh_from_db()
    assert (run.error_code, client.requests) == ("account_closed", [])


# Conversations ---------------------------------------------------------------------------------------------


def test_messages_that_wait_are_answered_together(customer):
    first = start.accept(customer, "One?")
    second = start.accept(customer, "Two?", conversation=first.conversation)
    client = ScriptedClient([text("Both.")])
    loop.carry_out(leases.claim(first.pk, seconds=60), provider=scripted(client))
    said = [m["content"][0]["text"] for m in client.requests[0]["messages"] if m["role"] == "user"]
    assert (second.pk, said) == (first.pk, ["One?", "Two?"])


def test_message_during_a_run_waits_for_the_next(customer):
    first = start.accept(customer, "One?")
    leases.claim(first.pk, seconds=60)
    second = start.accept(customer, "Two?", conversation=first.conversation)
    assert (second.pk != first.pk, second.state, leases.claim(second.pk)) == (True, State.QUEUED, None)


def test_follow_up_carries_the_whole_conversation(customer, order):
    run, _ = ask(customer, [tool_use("order_status", order_number=order.number)], [text("On its way.")])
    follow_up = start.accept(customer, "And when?", conversation=run.conversation)
    client = ScriptedClient([text("Tomorrow.")])
    loop.carry_out(leases.claim(follow_up.pk, seconds=60), provider=scripted(client))
    roles = [message["role"] for message in client.requests[0]["messages"]]
    assert roles == ["user", "system", "assistant", "user", "assistant", "user"]


@pytest.mark.parametrize("words", ["", "   \n ", "x" * 20_000])
def test_bad_question_is_refused_with_a_sentence_and_no_row(customer, words):
    from agent.errors import BadQuestion

    with pytest.raises(BadQuestion, match=r"\.$"):
        start.ask(customer, words)
    assert (AgentRun.objects.count(), Message.objects.count()) == (0, 0)
