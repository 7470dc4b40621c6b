"""What the Messages API has of its own: its blocks, its stop reasons, its caching, its broken streams."""

import json

import pytest

from agent.errors import ProviderError
from agent.providers import Usage
from agent.providers.anthropic import AnthropicProvider
from tests.providers.conftest import QUESTION, ask
from tests.providers.messages_server import Reply

CALL = {"type": "tool_use", "id": "toolu_1", "name": "order_status", "input": {"order_number": "DZ-10423"}}
THINKING = {"type": "thinking", "thinking": "Look it up.", "signature": "sig_1"}
SILENT_THINKING = {"type": "thinking", "thinking": "", "signature": "sig_2"}
SEALED = {"type": "redacted_thinking", "data": "b3BhcXVl"}
FUTURE = {"type": "hologram", "shape": {"b": [1, None], "a": 2}, "text": None}


def text(words):
    return {"type": "text", "text": words}


def test_request_is_sent_as_it_stands_with_automatic_caching(server, anthropic):
    server.replies = [Reply("ok")]
    ask(anthropic)
    [body] = server.requests
    assert body.pop("tools")[0]["name"] == "order_status"
    assert body == {
        "model": "model-test",
        "system": "You help.",
        "messages": [QUESTION],
        "max_tokens": 1000,
        "cache_control": {"type": "ephemeral"},
        "stream": True,
    }


def test_thinking_is_sent_only_where_settings_say(server, anthropic, settings):
    settings.AGENT = {**settings.AGENT, "THINKING": {"type": "adaptive", "display": "summarized"}}
    server.replies = [Reply("ok")]
    ask(anthropic)
    assert server.requests[0]["thinking"] == {"type": "adaptive", "display": "summarized"}


def test_blocks_of_every_kind_come_as_they_were_sent(server, anthropic):
    blocks = [THINKING, SEALED, SILENT_THINKING, FUTURE, text("Looking."), CALL]
    server.replies = [Reply(blocks)]
    asked = ask(anthropic)
    assert json.dumps(asked.turn.content) == json.dumps(blocks)


def test_conversation_of_three_turns_is_accepted_and_reuses_its_connection(server, anthropic):
    messages = [QUESTION]
    server.replies = [Reply([THINKING, CALL]), Reply([{**CALL, "id": "toolu_2"}]), Reply("It is on its way.")]
    for call_id in ("toolu_1", "toolu_2"):
        turn = ask(anthropic, *messages).turn
        result = {"type": "tool_result", "tool_use_id": call_id, "content": '{"status": "sent"}'}
        messages += [{"role": "assistant", "content": turn.content}, {"role": "user", "content": [result]}]
    assert ask(anthropic, *messages).turn.content == [text("It is on its way.")]
    assert server.refused == []
    assert server.requests[2]["messages"][1]["content"] == [THINKING, CALL]
    assert server.connections == 1


@pytest.mark.parametrize(
    "reason",
    [
        "end_turn",
        "max_tokens",
        "stop_sequence",
        "pause_turn",
        "refusal",
        "model_context_window_exceeded",
        "compaction",
        "something_new",
    ],
)
def test_stop_reason_is_handed_on(server, anthropic, reason):
    server.replies = [Reply("Some words", stop_reason=reason)]
    assert ask(anthropic).turn.stop_reason == reason


@pytest.mark.parametrize(
    "content",
    [
        [{**CALL, "input": '{"amount": 1'}],
        [{**CALL, "input": "[1, 2]"}],
        [{**CALL, "input": '{"amount": NaN}'}],
        [{**CALL, "input": '{"note": "\\ud800"}'}],
        [CALL, CALL],
        [{**CALL, "id": None}],
        [text("No call at all")],
    ],
    ids=["cut", "list", "nan", "surrogate", "same id", "no id", "no call"],
)
def test_call_that_cannot_be_run_is_a_bad_turn(server, anthropic, content):
    server.replies = [Reply(content, stop_reason="tool_use")]
    error = ask(anthropic).error
    assert (type(error), error.code, error.retryable) == (ProviderError, "bad_turn", True)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=b"event: message_start\ndata: {not json\n\n"),
        Reply(body=b"event: message_start\ndata: []\n\n"),
        Reply(events=[{"type": "content_block_delta", "index": 3, "delta": {}}]),
    ],
)
def test_stream_that_makes_no_sense_is_a_bad_turn(server, anthropic, reply):
    server.replies = [reply]
    assert (ask(anthropic).error.code, len(server.requests)) == ("bad_turn", 1)


def test_error_of_an_unknown_kind_in_the_stream_may_pass(server, anthropic):
    server.replies = [Reply("Some words", fault="error", after=5, error_type="something_new")]
    error = ask(anthropic).error
    assert (error.code, error.retryable) == ("unavailable", True)


def test_block_of_another_service_is_not_sent(server, anthropic):
    foreign = {"type": "openai_item", "model": "gpt", "item": {"type": "reasoning"}, "covers": 0}
    broken = {**CALL, "input": '{"order'}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "invalid arguments", "is_error": True}
    server.replies = [Reply("ok")]
    ask(
        anthropic,
        QUESTION,
        {"role": "assistant", "content": [foreign]},
        {"role": "assistant", "content": [foreign, text("Looking."), broken]},
        {"role": "user", "content": [result]},
    )
    mended = {**CALL, "input": {"not_a_json_object": '{"order'}}
    assert server.refused == []
    assert server.requests[0]["messages"] == [
        QUESTION,
        {"role": "assistant", "content": [text("Looking."), mended]},
        {"role": "user", "content": [result]},
    ]


def test_real_client_without_streaming_gives_the_same_turn(server, settings):
    from anthropic import Anthropic

    blocks = [THINKING, text("Looking."), CALL]
    server.replies = [Reply(blocks)]
    with Anthropic(api_key="test", base_url=server.url, max_retries=0) as client:
        asked = ask(AnthropicProvider(client, stream=False))
    assert (asked.turn.content, asked.turn.stop_reason, asked.turn.usage) == (blocks, "tool_use", Usage(10, 0, 0, 5))
    assert asked.texts == ["Looking."]
    assert "stream" not in server.requests[0]
