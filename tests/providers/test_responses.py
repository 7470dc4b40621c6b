"""What the Responses API has of its own: items that go back as they came, and arguments that are text."""

import pytest

from agent.providers import Usage
from tests.providers.conftest import QUESTION, TOOLS, ask
from tests.providers.messages_server import Reply

CALL = {"type": "tool_use", "id": "call_1", "name": "order_status", "input": {"order_number": "DZ-10423"}}
REASONING = {"type": "reasoning", "id": "rs_7", "summary": [], "encrypted_content": "sealed", "status": "completed"}
PART = {"type": "output_text", "text": "Looking.", "annotations": [], "logprobs": []}
MESSAGE = {"type": "message", "id": "msg_7", "role": "assistant", "phase": "commentary", "content": [PART]}
FUNCTION_CALL = {
    "type": "function_call",
    "id": "fc_7",
    "call_id": "call_1",
    "name": "order_status",
    "arguments": '{ "order_number" : "DZ-10423" }',
}
RESULT = {"type": "tool_result", "tool_use_id": "call_1", "content": '{"status": "sent"}'}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": '{"status": "sent"}'}


def raw(*items):
    return [{"type": "item", "item": item} for item in items]


def text(words):
    return {"type": "text", "text": words}


def test_request_stores_nothing_and_asks_for_sealed_reasoning(server, responses):
    server.replies = [Reply("ok")]
    ask(responses)
    assert server.requests == [
        {
            "model": "model-test",
            "instructions": "You help.",
            "input": [{"role": "user", "content": "Where is my order?"}],
            "max_output_tokens": 1000,
            "store": False,
            "include": ["reasoning.encrypted_content"],
            "tools": [
                {
                    "type": "function",
                    "name": "order_status",
                    "description": "Where an order is.",
                    "parameters": TOOLS[0]["input_schema"],
                    "strict": True,
                }
            ],
            "stream": True,
        }
    ]


def test_items_go_back_as_they_came(server, responses):
    server.replies = [Reply(raw(REASONING, MESSAGE, FUNCTION_CALL), stop_reason="tool_use"), Reply("ok")]
    turn = ask(responses).turn
    plain = [block for block in turn.content if block["type"] != "openai_item"]
    assert (plain, turn.stop_reason) == ([text("Looking."), CALL], "tool_use")
    ask(responses, QUESTION, {"role": "assistant", "content": turn.content}, {"role": "user", "content": [RESULT]})
    assert server.requests[1]["input"][1:] == [REASONING, MESSAGE, FUNCTION_CALL, OUTPUT]


def test_items_of_another_model_go_back_in_plain(server, responses):
    server.replies = [Reply(raw(REASONING, MESSAGE, FUNCTION_CALL), stop_reason="tool_use"), Reply("ok")]
    turn = ask(responses).turn
    content = [{**block, "model": "older"} if block["type"] == "openai_item" else block for block in turn.content]
    ask(responses, QUESTION, {"role": "assistant", "content": content}, {"role": "user", "content": [RESULT]})
    assert server.requests[1]["input"][1:3] == [
        {"role": "assistant", "content": "Looking."},
        {
            "type": "function_call",
            "call_id": "call_1",
            "name": "order_status",
            "arguments": '{"order_number":"DZ-10423"}',
        },
    ]


def test_arguments_that_do_not_parse_are_kept_as_text_and_go_back_as_an_object(server, responses):
    broken = {**FUNCTION_CALL, "arguments": '{"order_number": "DZ'}
    server.replies = [Reply(raw(REASONING, broken), stop_reason="tool_use"), Reply("ok")]
    turn = ask(responses).turn
    assert turn.content[1:] == [{**CALL, "input": '{"order_number": "DZ'}]
    failed = {**RESULT, "content": '{"error": "invalid arguments"}', "is_error": True}
    ask(responses, QUESTION, {"role": "assistant", "content": turn.content}, {"role": "user", "content": [failed]})
    call, output = server.requests[1]["input"][2:]
    assert call["arguments"] == '{"not_a_json_object":"{\\"order_number\\": \\"DZ"}'
    assert output["output"] == 'This call failed: {"error": "invalid arguments"}'


@pytest.mark.parametrize("arguments", ["[1, 2]", '"DZ-10423"', '{"amount": NaN}', "null"])
def test_arguments_that_are_no_object_are_kept_as_text(server, responses, arguments):
    server.replies = [Reply(raw({**FUNCTION_CALL, "arguments": arguments}), stop_reason="tool_use")]
    assert ask(responses).turn.content == [{**CALL, "input": arguments}]


def test_refusal_is_a_stop_reason_and_its_words_are_shown(server, responses):
    refusal = {**MESSAGE, "content": [{"type": "refusal", "refusal": "I will not."}]}
    server.replies = [Reply(raw(refusal), stop_reason="end_turn")]
    asked = ask(responses)
    assert (asked.turn.stop_reason, asked.turn.content[1:]) == ("refusal", [text("I will not.")])
    assert "".join(asked.texts) == "I will not."


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("server_error", "unavailable"),
        ("rate_limit_exceeded", "rate_limited"),
        ("invalid_prompt", "invalid_request"),
        ("insufficient_quota", "billing"),
    ],
)
def test_response_that_failed_is_sorted(server, responses, code, expected):
    failed = {"status": "failed", "output": [], "error": {"code": code, "message": "injected"}}
    server.replies = [Reply(events=[{"type": "response.failed", "response": failed}])]
    assert ask(responses).error.code == expected


def test_response_withheld_by_a_policy_is_a_refusal(server, responses):
    failed = {"status": "failed", "output": [], "error": {"code": "bio_policy", "message": "injected"}}
    server.replies = [Reply(events=[{"type": "response.failed", "response": failed}])]
    turn = ask(responses).turn
    assert (turn.stop_reason, turn.content) == ("refusal", [])


def test_response_cut_for_an_unknown_reason_says_it(server, responses):
    cut = {"status": "incomplete", "incomplete_details": {"reason": "steered"}, "output": [MESSAGE]}
    server.replies = [Reply(events=[{"type": "response.incomplete", "response": cut}])]
    assert ask(responses).turn.stop_reason == "steered"


def test_items_are_taken_from_the_stream_where_its_end_leaves_them_out(server, responses):
    done = {"type": "response.output_item.done", "output_index": 0, "item": MESSAGE}
    whole = {"type": "response.completed", "response": {"status": "completed"}}
    server.replies = [Reply(events=[done, whole])]
    assert ask(responses).turn.content[1:] == [text("Looking.")]


def test_reasoning_that_nothing_follows_is_not_sent_back(server, responses):
    server.replies = [Reply(raw(REASONING), stop_reason="max_tokens"), Reply("ok")]
    turn = ask(responses).turn
    ask(responses, QUESTION, {"role": "assistant", "content": turn.content}, {**QUESTION, "content": "Hello?"})
    assert server.refused == []
    assert [item["role"] for item in server.requests[1]["input"]] == ["user", "user"]


def test_thinking_of_the_messages_api_is_not_sent(server, responses):
    thinking = {"type": "thinking", "thinking": "secret thought", "signature": "sig"}
    server.replies = [Reply("ok")]
    ask(responses, QUESTION, {"role": "assistant", "content": [thinking, CALL]}, {"role": "user", "content": [RESULT]})
    assert "secret thought" not in str(server.requests)


def test_usage_counts_reasoning_as_output(server, responses):
    usage = {"input_tokens": 5, "input_tokens_details": None, "output_tokens": 40, "output_tokens_details": {}}
    whole = {"type": "response.completed", "response": {"status": "completed", "output": [MESSAGE], "usage": usage}}
    server.replies = [Reply(events=[whole])]
    assert ask(responses).turn.usage == Usage(5, 0, 0, 40)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "response.output_text.delta"},
        {"type": "response.output_item.done", "item": {}},
        {"type": "response.completed", "response": {"status": "completed", "output": [{"type": "message"}]}},
        {"type": "response.completed", "response": {"status": "completed", "output": ["text"]}},
    ],
)
def test_event_that_makes_no_sense_is_a_bad_turn(server, responses, event):
    server.replies = [Reply(events=[event])]
    assert ask(responses).error.code == "bad_turn"
