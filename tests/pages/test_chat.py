"""The chat page and its forms: shapes, status codes, and what a customer reads."""

import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from agent.models import AgentRun, Conversation, Handoff, Message
from tests.pages.conftest import JSON

START = "/agent/start/"


def test_the_first_page_says_who_answers_before_anything_is_sent(as_alice: Client) -> None:
    page = as_alice.get(reverse("agent:home")).text
    assert page.index("You are chatting with an AI assistant") < page.index("<textarea")
    assert "Talk to a person" in page
    assert Conversation.objects.count() == 0


def test_start_as_a_form_leads_to_the_run(as_alice: Client) -> None:
    answer = as_alice.post(START, {"q": "Where is my order?"})
    run = AgentRun.objects.get()
    assert (answer.status_code, answer.url) == (302, f"/agent/runs/{run.pk}/")


def test_start_as_json_says_where_the_answer_comes(as_alice: Client) -> None:
    answer = as_alice.post(START, {"q": "Where is my order?"}, headers=JSON)
    run = AgentRun.objects.get()
    assert answer.status_code == 202
    assert answer.json() == {
        "run": str(run.pk),
        "conversation": str(run.conversation_id),
        "url": f"/agent/runs/{run.pk}/",
        "events_url": f"/agent/conversations/{run.conversation_id}/events/"
        f"?lastEventId=conversation-{run.conversation_id}:0",
    }


def test_start_in_a_conversation_resumes_after_its_last_event(as_alice: Client, answered: AgentRun) -> None:
    conversation = answered.conversation
    conversation.refresh_from_db()
    answer = as_alice.post(START, {"q": "And now?", "conversation": str(conversation.pk)}, headers=JSON).json()
    assert answer["conversation"] == str(conversation.pk)
    assert answer["events_url"].endswith(f":{conversation.last_event}")


def test_a_suggestion_is_a_question_without_javascript(as_alice: Client) -> None:
    as_alice.post(START, {"q": "", "suggestion": "Show me my orders."})
    assert Message.objects.get().text == "Show me my orders."


@pytest.mark.parametrize(("text", "words"), [("", "Write a question first"), (" \n ", "Write"), ("x" * 20_000, "4000")])
def test_a_question_that_cannot_be_taken_ends_in_a_sentence(as_alice: Client, text: str, words: str) -> None:
    page = as_alice.post(START, {"q": text})
    data = as_alice.post(START, {"q": text}, headers=JSON)
    assert (page.status_code, data.status_code) == (400, 400)
    assert words in page.text
    assert words in data.json()["error"]
    assert 'role="alert"' in page.text
    assert AgentRun.objects.count() == 0


def test_a_question_that_is_too_long_stays_in_the_field(as_alice: Client) -> None:
    text = "tail of the text " * 400
    assert text.strip() in as_alice.post(START, {"q": text}).text


@pytest.mark.parametrize("conversation", [str(uuid.UUID(int=1)), "nonsense", "\x00"])
def test_an_unknown_conversation_is_404_and_stores_nothing(as_alice: Client, conversation: str) -> None:
    answer = as_alice.post(START, {"q": "Hello", "conversation": conversation}, headers=JSON)
    assert answer.status_code == 404
    assert Message.objects.count() == 0


def test_too_many_questions_say_when_to_try_again(as_alice: Client, settings: Any) -> None:
    """SECURITY 39."""
    settings.AGENT = {**settings.AGENT, "STARTS_A_MINUTE": 1}
    as_alice.post(START, {"q": "One"})
    page, data = as_alice.post(START, {"q": "Two"}), as_alice.post(START, {"q": "Two"}, headers=JSON)
    assert (page.status_code, data.status_code) == (429, 429)
    assert 0 < int(page["Retry-After"]) <= 60
    assert "Try again in" in page.text
    assert "Try again in" in data.json()["error"]


def test_run_as_json_tells_the_whole_run(as_alice: Client, answered: AgentRun) -> None:
    data = as_alice.get(f"/agent/runs/{answered.pk}/", headers=JSON).json()
    action = answered.actions.get()
    assert (data["run"], data["state"], data["error"]) == (str(answered.pk), "done", None)
    assert data["answer"] == "I prepared a refund. Please **confirm** it.\n\nNothing has been changed yet."
    assert [(step["seq"], step["tool"], step["outcome"]) for step in data["steps"]] == [
        (1, "order_status", "ok"),
        (2, "refund_order", "proposed"),
    ]
    assert data["steps"][0]["arguments"] == {"order_number": "DZ-10001"}
    assert data["steps"][0].keys() == {"seq", "call_id", "tool", "arguments", "outcome", "duration_ms", "result_size"}
    assert data["actions"][0].keys() == {"id", "tool", "state", "title", "lines", "url", "expires_at"}
    assert (data["actions"][0]["id"], data["actions"][0]["state"]) == (str(action.pk), "pending")
    assert data["usage"].keys() == {
        "input_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "output_tokens",
        "cost_usd",
    }
    assert data["last_event"] == Conversation.objects.get().last_event


def test_the_page_shows_what_the_stream_would(as_alice: Client, answered: AgentRun, proposal: Any) -> None:
    page = as_alice.get(f"/agent/runs/{answered.pk}/").text
    assert f'id="action-{proposal.pk}"' in page
    assert "Review and confirm" in page
    assert "Looking up order DZ-10001" in page
    assert "<strong>confirm</strong>" in page
    assert f'data-seq="{Conversation.objects.get().last_event}"' in page
    assert "data-run=" not in page


def test_what_a_customer_writes_is_text(as_alice: Client) -> None:
    as_alice.post(START, {"q": "<script>alert(1)</script> **bold**"})
    page = as_alice.get(f"/agent/conversations/{Conversation.objects.get().pk}/").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; **bold**" in page


def test_an_open_run_reloads_only_without_javascript(as_alice: Client) -> None:
    as_alice.post(START, {"q": "Hello"})
    page = as_alice.get(f"/agent/runs/{AgentRun.objects.get().pk}/").text
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page
    assert 'aria-busy="true"' in page


def test_stop_ends_a_waiting_run_and_twice_changes_nothing(as_alice: Client) -> None:
    as_alice.post(START, {"q": "Hello"})
    run = AgentRun.objects.get()
    first = as_alice.post(f"/agent/runs/{run.pk}/stop/", headers=JSON)
    again = as_alice.post(f"/agent/runs/{run.pk}/stop/")
    assert first.json() == {"run": str(run.pk), "state": "stopped"}
    assert (again.status_code, again.url) == (302, f"/agent/runs/{run.pk}/")


def test_a_person_can_be_asked_for_before_anything_was_said(as_alice: Client) -> None:
    page = as_alice.post("/agent/person/", follow=True)
    assert "A person has your request" in page.text
    assert f"T-{Handoff.objects.get().number}" in page.text


def test_asking_for_a_person_twice_keeps_the_place(as_alice: Client, answered: AgentRun) -> None:
    url = f"/agent/conversations/{answered.conversation_id}/person/"
    tickets = [as_alice.post(url, headers=JSON) for _ in range(2)]
    assert [ticket.status_code for ticket in tickets] == [201, 201]
    assert tickets[0].json() == tickets[1].json()
    assert Handoff.objects.count() == 1
