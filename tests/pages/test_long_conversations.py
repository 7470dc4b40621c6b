"""A conversation of many messages and days: the last ones first, each day once."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from django.utils.formats import date_format

from agent import events
from agent.models import AgentRun, Conversation, Event
from agent.views.correspondence import MESSAGES, MOST_MESSAGES, how_many
from tests.live.conftest import conversation_of

SHOWN = re.compile(r"said number (\d+)\b")


@pytest.fixture
def long(alice: User) -> Conversation:
    """120 messages: 40 of the day before yesterday, 40 of yesterday and 40 of today."""
    conversation = conversation_of(alice)
    made = events.append(
        conversation.pk, *[("message", {"author": "customer", "text": f"said number {n}"}) for n in range(120)]
    )
    now = timezone.now()
    for event in made:
        Event.objects.filter(pk=event.pk).update(created_at=now - timedelta(days=2 - (event.seq - 1) // 40))
    return conversation


def shown(client: Client, conversation: Conversation, query: str = "") -> list[int]:
    page = client.get(f"/agent/conversations/{conversation.pk}/{query}")
    assert page.status_code == 200
    return [int(number) for number in SHOWN.findall(page.text)]


def test_the_last_messages_come_first_and_each_link_shows_more(as_alice: Client, long: Conversation) -> None:
    assert shown(as_alice, long) == list(range(120 - MESSAGES, 120))
    assert f"?messages={2 * MESSAGES}#message-" in as_alice.get(f"/agent/conversations/{long.pk}/").text
    assert shown(as_alice, long, f"?messages={2 * MESSAGES}") == list(range(120 - 2 * MESSAGES, 120))
    assert shown(as_alice, long, f"?messages={3 * MESSAGES}") == list(range(120))


def test_the_link_is_gone_where_everything_is_shown(as_alice: Client, long: Conversation, answered: AgentRun) -> None:
    assert "Show earlier" not in as_alice.get(f"/agent/conversations/{long.pk}/?messages=150").text
    assert "Show earlier" not in as_alice.get(f"/agent/conversations/{answered.conversation_id}/").text


@pytest.mark.parametrize(
    ("asked", "messages"),
    [
        ("", MESSAGES),
        ("0", MESSAGES),
        ("-5", MESSAGES),
        ("x", MESSAGES),
        ("²", MESSAGES),
        ("100", 100),
        ("9" * 9, 2000),
    ],
)
def test_what_is_no_number_shows_the_usual(asked: str, messages: int) -> None:
    assert how_many(asked) == messages <= MOST_MESSAGES


def test_each_day_but_a_lone_today_stands_before_its_first_message(as_alice: Client, long: Conversation) -> None:
    page = as_alice.get(f"/agent/conversations/{long.pk}/?messages=150").text
    today = timezone.localdate()
    days = re.findall(r'id="day-([\d-]+)"><time [^>]*>([^<]+)</time>', page)
    expected = [today - timedelta(days=ago) for ago in (2, 1, 0)]
    assert days == [(day.isoformat(), date_format(day, "j M Y")) for day in expected]
    assert page.index(f"day-{today}") < page.index("said number 80") < page.index("said number 81")
    assert page.index("said number 79") < page.index(f"day-{today}")


def test_a_conversation_of_today_has_no_days(as_alice: Client, answered: AgentRun) -> None:
    assert "day-" not in as_alice.get(f"/agent/conversations/{answered.conversation_id}/").text


def test_a_long_conversation_costs_the_queries_of_a_short_one(
    as_alice: Client, long: Conversation, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(12):
        as_alice.get(f"/agent/conversations/{long.pk}/")
