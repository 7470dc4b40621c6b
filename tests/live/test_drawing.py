"""What an event looks like, on the page and in the stream."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User

from agent import events, live
from agent.models import Conversation, Event
from tests.live.conftest import conversation_of

RUN = "0a4d1c5e-0000-4000-8000-000000000001"
OTHER = "0a4d1c5e-0000-4000-8000-000000000002"


def said(text: str) -> events.Item:
    return "message", {"author": "customer", "text": text, "run": RUN}


def step(state: str, *, run: str = RUN) -> events.Item:
    data = {"run": run, "call_id": "call_1", "state": state, "label": "Looking", "milliseconds": 20}
    return "step", data


@pytest.mark.parametrize(
    ("kind", "data", "key"),
    [
        ("message", {"author": "agent", "text": "Hello", "run": RUN}, "message-1"),
        ("run", {"run": RUN, "state": "queued"}, f"run-{RUN}"),
        ("step", step("ok")[1], f"step-{RUN}-call_1"),
        ("card", {"run": RUN, "template": "none.html", "context": {}, "key": "card-call_1"}, f"card-call_1-{RUN}"),
        ("handoff", {"number": 1001}, "handoff-1001"),
    ],
)
def test_wire_names_the_element(conversation: Conversation, kind: str, data: dict[str, Any], key: str) -> None:
    [event] = events.append(conversation.pk, (kind, data))
    wire = live.render(event)
    assert (wire["seq"], wire["kind"], wire["key"]) == (1, kind, key)
    assert wire["html"].startswith("<") or kind == "card"


def test_wire_of_a_run_tells_its_state(conversation: Conversation) -> None:
    [event] = events.append(conversation.pk, ("run", {"run": RUN, "state": "done"}))
    wire = live.render(event)
    assert (wire["run"], wire["state"]) == (RUN, "done")


def test_transcript_shows_each_element_once_where_it_began(conversation: Conversation) -> None:
    events.append(conversation.pk, said("one"), step("started"), said("two"), step("ok"))
    entries = live.transcript(conversation)
    assert [entry.key for entry in entries] == ["message-1", f"step-{RUN}-call_1", "message-3"]
    assert 'data-state="ok"' in entries[1].html


def test_one_call_id_in_two_runs_is_two_elements(conversation: Conversation) -> None:
    events.append(conversation.pk, step("ok"), step("ok", run=OTHER))
    assert len(live.transcript(conversation)) == 2


def test_transcript_shows_what_the_stream_showed(conversation: Conversation) -> None:
    rows = events.append(conversation.pk, said("<b>one</b>"), step("ok"))
    assert [entry.html for entry in live.transcript(conversation)] == [live.render(row)["html"] for row in rows]
    assert "&lt;b&gt;" in live.transcript(conversation)[0].html


def test_transcript_ends_where_it_is_told(conversation: Conversation) -> None:
    events.append(conversation.pk, said("one"), said("two"))
    assert [entry.key for entry in live.transcript(conversation, upto=1)] == ["message-1"]


def test_event_that_cannot_be_drawn_holds_up_nothing(conversation: Conversation) -> None:
    events.append(conversation.pk, ("riddle", {}), said("after it"))
    assert [entry.html == "" for entry in live.transcript(conversation)] == [True, False]


def test_words_are_in_the_language_of_the_conversation(alice: User) -> None:
    english, german = conversation_of(alice, language="en"), conversation_of(alice, language="de")
    for conversation in (english, german):
        events.append(conversation.pk, ("message", {"author": "customer", "text": "Hallo", "run": RUN}))
    Event.objects.update(created_at=datetime(2026, 3, 5, 14, 30, tzinfo=UTC))
    assert live.transcript(english)[0].html != live.transcript(german)[0].html
