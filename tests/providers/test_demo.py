"""The demo model: how it goes through a conversation, and that it claims nothing without a result."""

import json
import time
from typing import Any

import pytest

from agent.errors import RunStopped
from agent.providers.demo import DemoProvider
from agent.tools import registry
from tests.providers.conftest import ask

WAITING = {"status": "awaiting_confirmation", "confirm_url": "https://x/", "proposal": "Pay back €20.00 for KX-4711"}
TODAY = "Today is Monday, 30 November 2026 (UTC)."


@pytest.fixture(autouse=True)
def shop():
    registry.load(["tests.providers.demo_shop"])
    yield
    registry.load()


class Chat:
    """A conversation in the shapes of the Messages API."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def asks(self, text: str) -> "Chat":
        self.messages.append({"role": "user", "content": text})
        return self

    def news(self, text: str) -> "Chat":
        self.messages.append({"role": "system", "content": [{"type": "text", "text": text}]})
        return self

    def step(self):
        """The demo model's next turn, kept in the conversation."""
        tools = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
            for tool in registry.all_tools().values()
        ]
        turn = ask(DemoProvider(), *self.messages, tools=tools).turn
        self.messages.append({"role": "assistant", "content": turn.content})
        return turn

    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        turn = self.step()
        assert turn.stop_reason == "tool_use", turn.content
        return [(block["name"], block["input"]) for block in turn.content]

    def results(self, *results: dict[str, Any]) -> "Chat":
        blocks = [
            {
                "type": "tool_result",
                "tool_use_id": call["id"],
                "content": json.dumps(result),
                "is_error": "error" in result,
            }
            for call, result in zip(self.messages[-1]["content"], results, strict=True)
        ]
        self.messages.append({"role": "user", "content": blocks})
        return self

    def says(self) -> str:
        turn = self.step()
        assert turn.stop_reason == "end_turn", turn.content
        return turn.content[0]["text"]


def status_asked(text: str, result: dict[str, Any]) -> str:
    chat = Chat().asks(text).news(TODAY)
    chat.calls()
    return chat.results(result).says()


def test_result_is_told_by_the_answer_of_the_example_that_it_can_fill():
    assert (
        status_asked("Where is KX-1234?", {"parcel_number": "KX-1234", "carrier": "DHL"})
        == "Parcel KX-1234 is with DHL."
    )
    assert (
        status_asked("Where is KX-1234?", {"parcel_number": "KX-1234", "carrier": None})
        == "Parcel KX-1234 has not left yet."
    )


def test_result_is_told_in_the_language_of_the_customer():
    result = {"parcel_number": "KX-1234", "carrier": "DHL"}
    assert status_asked("Wo ist mein Paket KX-1234?", result) == "Paket KX-1234 ist bei DHL."


def test_result_that_fits_no_answer_is_told_fact_by_fact():
    said = status_asked("Where is KX-1234?", {"state": "lost", "items": [{"name": "mug", "left": 2}]})
    assert said == "This is what I found:\n- state: lost\n- mug, 2"


def test_result_is_told_without_its_fence():
    fenced = "<untrusted_content id=1>\nRed van\n</untrusted_content 1>"
    assert (
        status_asked("Where is KX-1234?", {"parcel_number": "KX-1234", "carrier": fenced})
        == "Parcel KX-1234 is with Red van."
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("no such order for this customer", "I cannot find order KX-1234 in your account. Please check the number."),
        ("The parcel is on its way.", "That is not possible: The parcel is on its way."),
        (
            "invalid arguments: number",
            "I could not do that; the system did not accept it. A person can help you further.",
        ),
    ],
)
def test_error_is_said_in_words(error, said):
    assert status_asked("Where is KX-1234?", {"error": error}) == said


def test_internal_error_is_said_with_its_reference():
    result = {"error": "internal error; do not retry this call", "reference": "7F3K"}
    assert "(7F3K)" in status_asked("Where is KX-1234?", result)


def test_proposal_is_said_to_have_changed_nothing():
    said = status_asked("Pay me back 20 euros for KX-4711", WAITING)
    assert said == (
        "Nothing has been changed yet. I have prepared this: Pay back €20.00 for KX-4711. "
        "Please open the page and confirm it there."
    )


@pytest.mark.parametrize(
    ("news", "said"),
    [
        ("The customer confirmed, and it was done. Reference 7F3K.", "Es wurde ausgeführt: Pay back €20.00 (7F3K)."),
        (
            "The customer declined. Nothing was changed. Reference 7F3K.",
            "Sie haben abgelehnt, und es wurde nichts geändert: Pay back €20.00 (7F3K).",
        ),
        (
            "The customer confirmed, but it was not possible: Zu viel. Nothing was changed. Reference 7F3K.",
            "Sie haben bestätigt, aber es war nicht möglich, und es wurde nichts geändert: Zu viel. (7F3K)",
        ),
    ],
)
def test_news_of_a_decision_is_said_as_it_is(news, said):
    chat = Chat().asks("Bitte 20 Euro für KX-4711 zurückzahlen")
    chat.calls()
    chat.results(WAITING).says()
    assert chat.news(f"News about the proposal: Pay back €20.00. {news}").news(TODAY).says() == said


def test_missing_arguments_are_asked_for_one_by_one():
    chat = Chat().asks("Please pay me back")
    assert chat.calls() == [("list_parcels", {})]
    parcels = {
        "parcels": [{"parcel_number": "KX-4711", "state": "sent"}, {"parcel_number": "KX-4712", "state": "lost"}]
    }
    assert chat.results(parcels).says() == "Which parcel do you mean?\n- KX-4711, sent\n- KX-4712, lost"
    assert chat.asks("KX-4712").says() == "What amount should it be, for example 20.00?"
    assert chat.asks("12,50 €").calls() == [("pay_back", {"parcel_number": "KX-4712", "amount": "12.50"})]


def test_missing_number_is_taken_from_a_list_of_one():
    chat = Chat().asks("Where is my parcel?")
    assert chat.calls() == [("list_parcels", {})]
    chat.results({"parcels": [{"parcel_number": "KX-4711", "state": "sent"}]})
    assert chat.calls() == [("parcel_status", {"parcel_number": "KX-4711"})]
    assert chat.results({"parcel_number": "KX-4711", "carrier": "DHL"}).says() == "Parcel KX-4711 is with DHL."


def test_newest_is_found_by_its_date():
    chat = Chat().asks("Where is my latest parcel?")
    chat.calls()
    chat.results(
        {
            "parcels": [
                {"parcel_number": "KX-1111", "date": "2026-01-01"},
                {"parcel_number": "KX-2222", "date": "2026-02-01"},
            ]
        }
    )
    assert chat.calls() == [("parcel_status", {"parcel_number": "KX-2222"})]


SEATS = {
    "seats": [
        {"ticket": "FA-12", "name": "Faust", "place": {"row": "front", "side": "left"}},
        {"ticket": "HA-30", "name": "Hamlet", "place": {"row": "front", "side": "left"}},
    ]
}
FREE = {
    "plays": [
        {
            "name": "Faust",
            "seats": [
                {"ticket": "FA-12", "place": {"row": "front", "side": "left"}},
                {"ticket": "FA-40", "place": {"row": "rear", "side": "left"}},
                {"ticket": "FA-41", "place": {"row": "rear", "side": "right"}},
            ],
        }
    ]
}


def test_ids_that_nobody_types_are_found_in_the_records_that_the_schema_names():
    chat = Chat().asks("Hand back the ticket for Hamlet in KX-4711")
    assert chat.calls() == [("seats_of", {"parcel_number": "KX-4711"})]
    assert chat.results(SEATS).calls() == [("hand_back", {"parcel_number": "KX-4711", "tickets": ["HA-30"]})]


def test_ids_of_what_is_not_there_are_asked_for_with_the_choices():
    chat = Chat().asks("Hand back the ticket for Macbeth in KX-4711")
    chat.calls()
    said = chat.results(SEATS).says()
    assert said == "Which tickets do you mean?\n- Faust (front, left)\n- Hamlet (front, left)"


def test_pair_of_ids_is_found_by_the_options_that_are_named_and_the_rest_as_it_was():
    chat = Chat().asks("Move me to the rear for Faust, KX-4711")
    chat.calls()
    assert chat.results(SEATS).calls() == [("free_seats", {"play": "Faust"})]
    moved = {"parcel_number": "KX-4711", "moves": [{"ticket": "FA-12", "new_ticket": "FA-40"}]}
    assert chat.results(FREE).calls() == [("move_seats", moved)]


def test_record_that_cannot_be_looked_up_ends_the_matter():
    chat = Chat().asks("Hand back the ticket for Faust in KX-9999")
    chat.calls()
    said = chat.results({"error": "no such order for this customer"}).says()
    assert said == "I cannot find order KX-9999 in your account. Please check the number."


def test_missing_choice_is_asked_for_with_the_choices():
    chat = Chat().asks("I want to send back KX-4711")
    assert chat.says() == "Please tell me the reason: broken, wrong size?"
    assert chat.asks("It is broken").calls() == [("send_back", {"parcel_number": "KX-4711", "reason": "broken"})]


def test_follow_up_means_the_parcel_spoken_of():
    chat = Chat().asks("Where is my parcel KX-4711?")
    chat.calls()
    chat.results({"parcel_number": "KX-4711", "carrier": "DHL"}).says()
    assert chat.asks("Pay me back 5 euros for it").calls() == [
        ("pay_back", {"parcel_number": "KX-4711", "amount": "5.00"})
    ]


def test_several_numbers_are_looked_up_together():
    chat = Chat().asks("Where are my parcels KX-1111 and KX-2222?")
    assert chat.calls() == [
        ("parcel_status", {"parcel_number": "KX-1111"}),
        ("parcel_status", {"parcel_number": "KX-2222"}),
    ]
    said = chat.results(
        {"parcel_number": "KX-1111", "carrier": "DHL"}, {"parcel_number": "KX-2222", "carrier": "UPS"}
    ).says()
    assert said == "Parcel KX-1111 is with DHL.\n\nParcel KX-2222 is with UPS."


def test_messages_that_waited_are_all_answered():
    chat = Chat().asks("Where is my parcel KX-1111?").asks("Thanks!")
    chat.calls()
    assert (
        chat.results({"parcel_number": "KX-1111", "carrier": "DHL"}).says()
        == "Parcel KX-1111 is with DHL.\n\nYou are welcome."
    )


def test_greeting_says_that_it_is_a_demonstration_and_what_to_ask():
    said = Chat().asks("Hallo!").says()
    assert said.startswith("Guten Tag. Ich bin ein Demonstrationsmodell")
    assert "- Wo ist mein Paket KX-4711?" in said


def test_tools_without_examples_are_chosen_by_name_and_description():
    tool = {"name": "opening_hours", "description": "When the store is open.", "input_schema": {"type": "object"}}
    turn = ask(DemoProvider(), {"role": "user", "content": "opening hours of the store"}, tools=[tool]).turn
    assert (turn.content[0]["name"], turn.content[0]["input"]) == ("opening_hours", {})


def test_without_tools_it_says_that_it_cannot_help():
    turn = ask(DemoProvider(), {"role": "user", "content": "Where is my parcel?"}, tools=[]).turn
    assert turn.content[0]["text"].startswith("I cannot help with that.")


def test_answer_streams_word_by_word():
    asked = ask(DemoProvider(), {"role": "user", "content": "Thank you"}, tools=[])
    assert asked.texts == ["You", " are", " welcome."]
    assert "".join(asked.texts) == asked.turn.content[0]["text"]


def test_answer_stops_when_asked(settings):
    settings.AGENT = {**settings.AGENT, "DEMO_WORD_DELAY": 0.2}
    spoken = time.monotonic() + 0.2
    asked = ask(DemoProvider(), {"role": "user", "content": "Hello"}, stopped=lambda: time.monotonic() > spoken)
    assert type(asked.error) is RunStopped
    assert asked.seconds < 2


def test_answer_ends_at_its_deadline(settings):
    settings.AGENT = {**settings.AGENT, "DEMO_WORD_DELAY": 0.2}
    asked = ask(DemoProvider(), {"role": "user", "content": "Hello"}, seconds=0.5)
    assert (asked.error.code, asked.texts[0]) == ("timeout", "Hello.")
    assert asked.seconds < 2
