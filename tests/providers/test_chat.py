"""What chat completions has of its own, and what the servers that speak it do in their own ways."""

import pytest

from tests.providers.conftest import QUESTION, TOOLS, ask
from tests.providers.messages_server import Reply

CALL = {"type": "tool_use", "id": "call_1", "name": "order_status", "input": {"order_number": "DZ-10423"}}
RESULT = {"type": "tool_result", "tool_use_id": "call_1", "content": '{"status": "sent"}'}
TODAY = {"role": "system", "content": [{"type": "text", "text": "Today is Monday."}]}
ARGUMENTS = '{"order_number": "DZ-10423"}'


def text(words):
    return {"type": "text", "text": words}


def chunks(*deltas, finish="stop"):
    """Events of a completion with these deltas."""
    ends = [None] * (len(deltas) - 1) + [finish]
    pairs = zip(deltas, ends, strict=True)
    return Reply(events=[{"choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in pairs])


def piece(index=0, call_id=None, name=None, arguments=""):
    return {"tool_calls": [{"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}]}


def test_request_to_another_server_has_one_system_message_and_the_old_limit(server, chat):
    server.replies = [Reply("ok")]
    ask(chat, QUESTION, TODAY)
    notice = "Notice from the shop's system, not written by the customer: Today is Monday."
    function = {
        "name": "order_status",
        "description": "Where an order is.",
        "parameters": TOOLS[0]["input_schema"],
        "strict": True,
    }
    assert server.requests == [
        {
            "model": "model-test",
            "messages": [
                {"role": "system", "content": "You help."},
                {"role": "user", "content": f"Where is my order?\n\n{notice}"},
            ],
            "max_tokens": 1000,
            "tools": [{"type": "function", "function": function}],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    ]


def test_request_to_openai_keeps_system_messages_and_has_the_new_limit(chat, settings):
    from agent.providers.base import Request
    from agent.providers.openai.chat import Chat

    settings.OPENAI_BASE_URL = "https://api.openai.com/v1"
    arguments = Chat().arguments(Request("model-test", "You help.", [], [QUESTION, TODAY], 1000))
    assert arguments == {
        "model": "model-test",
        "messages": [
            {"role": "system", "content": "You help."},
            {"role": "user", "content": "Where is my order?"},
            {"role": "system", "content": "Today is Monday."},
        ],
        "max_completion_tokens": 1000,
        "stream_options": {"include_usage": True},
    }


def test_calls_and_results_have_a_message_each(server, chat):
    other = {**CALL, "id": "call_2", "input": {"order_number": "ü"}}
    results = [RESULT, {**RESULT, "tool_use_id": "call_2", "content": "no", "is_error": True}]
    server.replies = [Reply("ok")]
    ask(
        chat,
        QUESTION,
        {"role": "assistant", "content": [text("Looking."), CALL, other]},
        {"role": "user", "content": results},
    )
    assert server.requests[0]["messages"][2:] == [
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "order_status", "arguments": '{"order_number":"DZ-10423"}'},
                },
                {
                    "id": "call_2",
                    "type": "function",
                    "function": {"name": "order_status", "arguments": '{"order_number":"ü"}'},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": '{"status": "sent"}'},
        {"role": "tool", "tool_call_id": "call_2", "content": "This call failed: no"},
    ]


@pytest.mark.parametrize("arguments", ['{"order_number": "DZ', "[1, 2]", '"DZ-10423"', '{"amount": NaN}', "null"])
def test_arguments_that_are_no_object_are_kept_as_text(server, chat, arguments):
    server.replies = [Reply([{**CALL, "input": arguments}])]
    turn = ask(chat).turn
    assert (turn.content, turn.stop_reason) == ([{**CALL, "input": arguments}], "tool_use")


def test_refusal_is_a_stop_reason_and_its_words_are_shown(server, chat):
    server.replies = [chunks({"refusal": "I will "}, {"refusal": "not."})]
    asked = ask(chat)
    assert (asked.turn.stop_reason, asked.turn.content) == ("refusal", [text("I will not.")])
    assert asked.texts == ["I will ", "not."]


def test_call_that_ends_with_stop_is_a_call(server, chat):
    server.replies = [chunks(piece(0, "call_1", "order_status", ARGUMENTS), finish="stop")]
    turn = ask(chat).turn
    assert (turn.stop_reason, turn.content) == ("tool_use", [CALL])


def test_end_with_calls_but_without_any_is_a_bad_turn(server, chat):
    server.replies = [chunks({"content": "Looking."}, finish="tool_calls")]
    assert ask(chat).error.code == "bad_turn"


def test_calls_that_are_all_numbered_0_are_told_apart_by_their_ids(server, chat):
    both = [piece(0, call_id, "order_status", ARGUMENTS) for call_id in ("call_1", "call_2")]
    server.replies = [chunks(*both, finish="tool_calls")]
    assert ask(chat).turn.content == [CALL, {**CALL, "id": "call_2"}]


def test_id_that_is_repeated_with_each_piece_is_one_call(server, chat):
    both = [piece(0, "call_1", "order_status", part) for part in (ARGUMENTS[:5], ARGUMENTS[5:])]
    server.replies = [chunks(*both, finish="tool_calls")]
    assert ask(chat).turn.content == [CALL]


@pytest.mark.parametrize("given", [None, "", "functions.order_status:0", "call_1", "x" * 41])
def test_id_that_cannot_be_used_is_replaced(server, chat, given):
    server.replies = [chunks(piece(0, given, "order_status", ARGUMENTS), finish="tool_calls")]
    before = [{"role": "assistant", "content": [CALL]}, {"role": "user", "content": [RESULT]}]
    [block] = ask(chat, QUESTION, *before).turn.content
    assert {**block, "id": ""} == {**CALL, "id": ""}
    assert block["id"].startswith("call_")
    assert block["id"] != "call_1"


def test_id_that_two_calls_share_is_replaced_in_the_second(server, chat):
    both = [piece(index, "call_1", "order_status", ARGUMENTS) for index in (0, 1)]
    server.replies = [chunks(*both, finish="tool_calls")]
    first, second = ask(chat).turn.content
    assert (first["id"], second["id"] == "call_1", second["input"]) == ("call_1", False, CALL["input"])


def test_call_without_a_name_is_a_bad_turn(server, chat):
    server.replies = [chunks(piece(0, "call_1", None, ARGUMENTS), finish="tool_calls")]
    assert ask(chat).error.code == "bad_turn"


def test_stream_without_its_end_mark_is_whole_once_it_has_a_reason(server, chat):
    whole = b'data: {"choices": [{"delta": {"content": "ok"}, "finish_reason": "stop"}]}\n\n'
    server.replies = [Reply(body=whole)]
    assert ask(chat).turn.content == [text("ok")]


def test_lines_may_end_as_windows_ends_them(server, chat):
    lines = [
        b": hello",
        b"event: x",
        b'data: {"choices": [{"delta":',
        b'data: {"content": "ok"}, "finish_reason": "stop"}]}',
    ]
    server.replies = [Reply(body=b"\r\n".join([*lines, b"", b""]))]
    assert ask(chat).turn.content == [text("ok")]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"message": "no", "type": "InternalServerError", "code": 500}, "unavailable"),
        ({"message": "no", "type": "BadRequestError", "code": 400}, "invalid_request"),
        ({"message": "no", "type": "x", "code": 429}, "rate_limited"),
        ({"message": "no", "type": "x", "code": "context_length_exceeded"}, "too_large"),
        ("no", "unavailable"),
    ],
)
def test_error_in_the_stream_may_have_a_status(server, chat, error, code):
    server.replies = [Reply(events=[{"error": error}])]
    assert ask(chat).error.code == code


@pytest.mark.parametrize(
    "choice", ["text", {"delta": {"tool_calls": [{"function": {"arguments": [1]}}]}}, {"delta": 1}]
)
def test_chunk_that_makes_no_sense_is_a_bad_turn(server, chat, choice):
    server.replies = [Reply(events=[{"choices": [choice]}])]
    assert ask(chat).error.code == "bad_turn"


def test_server_without_a_key_is_asked(server, chat, settings):
    settings.OPENAI_API_KEY = ""
    server.replies = [Reply("ok")]
    assert ask(chat).turn.content == [text("ok")]
