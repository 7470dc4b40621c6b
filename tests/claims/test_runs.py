"""Unbacked claims in whole runs: nowhere to be seen by the customer, all there in the model's history."""

import json

import anthropic
import pytest

from agent import actions, events
from agent.models import AgentRun, Conversation, Event, Message, PendingAction
from agent.providers.anthropic import AnthropicProvider
from agent.runs import history, leases, loop, run_agent_for_user, start
from agent.testing import ScriptedClient, text, tool_use
from agent.views import shapes
from tests.claims.labelled import false_ones
from tests.providers.messages_server import MessagesServer, Reply

pytestmark = pytest.mark.django_db

IN_ITS_PLACE = "I have no record that this was done."
NOTHING = "Nothing has been changed yet."
CLAIM = "I have cancelled your order."


@pytest.fixture
def sent(monkeypatch):
    """What goes onto the wire to the browsers."""
    wire = []
    monkeypatch.setattr(events, "send_event", lambda channel, kind, data: wire.append((kind, data)))
    return wire


def ask(customer, *turns, prompt="Cancel it"):
    client = ScriptedClient(*turns)
    return run_agent_for_user(prompt, user=customer, client=client), client


def refund(order):
    return tool_use("refund_order", order_number=order.number, amount="10.00")


def streamed(run, *replies):
    with MessagesServer(*replies) as server:
        provider = AnthropicProvider(anthropic.Anthropic(base_url=server.url, api_key="test", max_retries=0))
        loop.carry_out(leases.claim(run.pk, seconds=60), provider=provider)
    run.refresh_from_db()
    return run


def test_unbacked_claim_is_replaced_for_the_customer_and_kept_in_the_turn(customer):
    run, _ = ask(customer, [text(f"Hello. {CLAIM} Goodbye.")])
    shown = f"Hello. {IN_ITS_PLACE} Goodbye."
    assert run.messages.get(author=Message.Author.AGENT).text == shown
    assert Event.objects.get(kind="message", data__author="agent").data["text"] == shown
    assert shapes.run_shape(run)["answer"] == shown
    assert run.turns.get().content == [text(f"Hello. {CLAIM} Goodbye.")]


def test_model_hears_of_it_with_the_next_request_after_all_that_was_sent(customer, order):
    turn = [text(CLAIM), tool_use("order_status", order_number=order.number)]
    run, client = ask(customer, turn, [text("I see.")])
    first, second = (request["messages"] for request in client.requests)
    assert second[: len(first)] == first
    assert second[-1]["role"] == "system"
    assert "not shown to the customer" in second[-1]["content"][0]["text"]
    assert json.dumps(history.messages_of(run)[: len(second)]) == json.dumps(second)


def test_note_on_a_last_turn_waits_for_the_next_run_and_history_only_grows(customer):
    run, client = ask(customer, [text(CLAIM)])
    before = client.requests[0]["messages"]
    following = start.accept(customer, "And now?", conversation=run.conversation)
    now = history.messages_of(following)
    assert now[: len(before)] == before
    assert [message["role"] for message in now[len(before) :]] == ["assistant", "user", "system"]


def test_note_quotes_nothing_of_the_claim(customer):
    run, _ = ask(customer, [text(CLAIM)])
    assert "cancel" not in run.messages.get(author=Message.Author.SYSTEM).text


def test_staff_see_which_run_claimed_too_much(client, customer, staff):
    ask(customer, [text("It is on its way.")])
    run, _ = ask(customer, [text(CLAIM)])
    client.force_login(staff)
    flag = "Said what no record backs"
    assert client.get("/staff/runs/").content.decode().count(flag) == 1
    assert flag in client.get(f"/staff/runs/{run.pk}/").content.decode()


def test_open_proposal_ends_the_answer_with_the_hosts_sentence(customer, order):
    run, _ = ask(customer, [refund(order)], [text("Please confirm.")])
    assert run.messages.last().text == f"Please confirm.\n\n{NOTHING}"


def test_hosts_sentence_is_not_doubled(customer, order):
    run, _ = ask(customer, [refund(order)], [text("Nothing has been changed yet. Please confirm.")])
    assert run.messages.last().text == "Nothing has been changed yet. Please confirm."


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Still to be decided: Refund €10.00. Nothing has been changed yet."),
        ("de", "Noch zu entscheiden: 10,00\xa0€ erstatten. Es wurde noch nichts geändert."),
    ],
)
def test_under_a_later_answer_the_hosts_sentence_names_what_waits(customer, order, language, words):
    run, _ = ask(customer, [refund(order)], [text("Please confirm.")])
    Conversation.objects.filter(pk=run.conversation_id).update(language=language)
    later = start.accept(customer, "When do you open?", conversation=Conversation.objects.get(pk=run.conversation_id))
    provider = AnthropicProvider(client=ScriptedClient([text("At nine.")]), stream=False)
    loop.carry_out(leases.claim(later.pk, seconds=60), provider=provider)
    assert later.messages.get(author=Message.Author.AGENT).text == f"At nine.\n\n{words}"
    event = later.conversation.events.filter(kind="message").last()
    assert event.data["text"].endswith(words)


def test_executed_action_is_told_as_it_is(customer, order):
    run, _ = ask(customer, [refund(order)], [text("Please confirm.")])
    row = PendingAction.objects.get()
    actions.decide(row.pk, user=customer, decision=actions.CONFIRM, digest=row.digest)
    following = AgentRun.objects.get(conversation=run.conversation, state="queued")
    said = f"I have refunded €10.00 for order {order.number}."
    client = ScriptedClient([text(said)])
    provider = AnthropicProvider(client=client, stream=False)
    loop.carry_out(leases.claim(following.pk, seconds=60), provider=provider)
    assert following.messages.get(author=Message.Author.AGENT).text == said


@pytest.mark.parametrize("part", range(3))
def test_no_false_claim_is_on_any_wire_when_it_is_streamed(customer, sent, part):
    for claim in [claim for claim in false_ones() if "\n" not in claim][part::30]:
        run = start.accept(customer, "Hello")
        run = streamed(run, Reply(f"Good day. {claim}\n\nAnything more?"))
        wire = json.dumps([sent, list(Event.objects.values_list("data", flat=True))], ensure_ascii=False, default=str)
        seen = [wire, json.dumps(shapes.run_shape(run), ensure_ascii=False), run.partial_text]
        seen += run.messages.values_list("text", flat=True)
        assert [where for where in seen if claim in where] == []
        assert run.turns.get().content[0]["text"].count(claim) == 1


def test_words_before_a_claim_are_taken_back_in_the_stream(customer, sent):
    streamed(start.accept(customer, "Hello"), Reply("Your order has been cancelled. Anything more? "))
    deltas = [data for kind, data in sent if kind == "delta"]
    last = [data for data in deltas if data["attempt"] == deltas[-1]["attempt"]]
    assert "".join(data["text"] for data in last).startswith(IN_ITS_PLACE)
    assert last[0]["offset"] == 0
    assert "cancelled" not in json.dumps(deltas)


def test_run_with_a_proposal_in_another_language_is_shown_whole_at_its_end(customer, order, sent):
    said = "Veuillez confirmer le remboursement sur la page."
    run = streamed(start.accept(customer, "Bonjour"), Reply([refund(order) | {"id": "toolu_1"}]), Reply(said))
    assert [data for kind, data in sent if kind == "delta"] == []
    assert run.messages.last().text == f"{said}\n\n{NOTHING}"
