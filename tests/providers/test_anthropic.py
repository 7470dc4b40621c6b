"""The Messages API over real HTTP, with the real SDK, against a server of our own."""

import json
import threading
import time

import pytest

from agent.errors import ProviderError, RunStopped
from agent.providers import Request, Usage
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


def test_turn_streams_text_as_it_comes(server, anthropic):
    server.replies = [Reply("Your order is on its way.")]
    asked = ask(anthropic)
    assert asked.texts == ["Your ", "order ", "is ", "on ", "its ", "way."]
    assert asked.turn.content == [text("Your order is on its way.")]
    assert (asked.turn.stop_reason, asked.turn.model, asked.turn.request_id) == ("end_turn", "claude-test", "req_test")
    assert 0 <= asked.turn.first_token_ms <= asked.turn.duration_ms


def test_request_is_sent_as_it_stands_with_automatic_caching(server, anthropic):
    server.replies = [Reply("ok")]
    ask(anthropic)
    [body] = server.requests
    assert body.pop("tools")[0]["name"] == "order_status"
    assert body == {
        "model": "claude-test",
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


def test_tool_input_keeps_the_order_of_its_keys(server, anthropic):
    arguments = {"z": 1, "a": {"y": [1.5, True, None], "b": "ü"}, "m": ""}
    server.replies = [Reply([{**CALL, "input": arguments}])]
    assert json.dumps(ask(anthropic).turn.content[0]["input"]) == json.dumps(arguments)


def test_tool_without_arguments_has_an_empty_input(server, anthropic):
    server.replies = [Reply([{**CALL, "input": ""}])]
    assert ask(anthropic).turn.content == [{**CALL, "input": {}}]


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


def test_usage_counts_caching(server, anthropic):
    usage = {"input_tokens": 7, "cache_read_input_tokens": 2048, "cache_creation_input_tokens": 12, "output_tokens": 3}
    server.replies = [Reply("ok", usage=usage)]
    assert ask(anthropic).turn.usage == Usage(7, 2048, 12, 3)


def test_usage_without_figures_is_nothing(server, anthropic):
    server.replies = [Reply("ok", usage={"input_tokens": None, "cache_read_input_tokens": None})]
    assert ask(anthropic).turn.usage == Usage()


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


def test_stop_reason_tool_use_comes_with_its_calls(server, anthropic):
    server.replies = [Reply([CALL])]
    assert (ask(anthropic).turn.stop_reason, server.refused) == ("tool_use", [])


def test_refusal_may_have_no_content(server, anthropic):
    server.replies = [Reply([], stop_reason="refusal")]
    assert ask(anthropic).turn.content == []


def test_blank_text_is_left_out(server, anthropic):
    server.replies = [Reply([text(""), text(" \n"), CALL])]
    assert ask(anthropic).turn.content == [CALL]


def test_call_cut_by_max_tokens_has_an_empty_input(server, anthropic):
    server.replies = [Reply([text("I will"), {**CALL, "input": '{"amount": 1'}], stop_reason="max_tokens")]
    turn = ask(anthropic).turn
    assert turn.content == [text("I will"), {**CALL, "input": {}}]
    assert turn.stop_reason == "max_tokens"


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


@pytest.mark.parametrize("after", [1, 4, 6, 11])
def test_stream_that_ends_early_is_truncated(server, anthropic, after):
    server.replies = [Reply([text("Three short words"), CALL], fault="end", after=after)]
    asked = ask(anthropic)
    assert (asked.turn, asked.error.code, asked.error.retryable) == (None, "truncated", True)


def test_stream_without_a_stop_reason_is_truncated(server, anthropic):
    server.replies = [Reply("Some words", stop_reason=None)]
    assert ask(anthropic).error.code == "truncated"


@pytest.mark.parametrize("after", [1, 5])
def test_stream_that_breaks_is_a_connection_failure(server, anthropic, after):
    server.replies = [Reply("Three short words", fault="cut", after=after)]
    error = ask(anthropic).error
    assert (error.code, error.retryable) == ("connection", True)


@pytest.mark.parametrize(
    ("kind", "code", "retryable"),
    [
        ("overloaded_error", "overloaded", True),
        ("rate_limit_error", "rate_limited", True),
        ("api_error", "unavailable", True),
        ("invalid_request_error", "invalid_request", False),
        ("something_new", "unavailable", True),
    ],
)
def test_error_in_the_stream_is_sorted_by_its_type(server, anthropic, kind, code, retryable):
    server.replies = [Reply("Three short words", fault="error", after=5, error_type=kind)]
    asked = ask(anthropic)
    assert (asked.error.code, asked.error.retryable) == (code, retryable)
    assert asked.texts == ["Three ", "short "]


@pytest.mark.parametrize(
    ("reply", "code", "retryable", "retry_after"),
    [
        (Reply(status=400), "invalid_request", False, None),
        (Reply(status=401), "authentication", False, None),
        (Reply(status=403), "permission", False, None),
        (Reply(status=404), "not_found", False, None),
        (Reply(status=413), "too_large", False, None),
        (Reply(status=422), "invalid_request", False, None),
        (Reply(status=429, headers={"retry-after": "7"}), "rate_limited", True, 7.0),
        (Reply(status=429, headers={"retry-after": "7", "retry-after-ms": "250"}), "rate_limited", True, 0.25),
        (Reply(status=429, headers={"retry-after": "soon"}), "rate_limited", True, None),
        (Reply(status=429, headers={"retry-after": "Mon, 30 Nov 2015 12:00:00 GMT"}), "rate_limited", True, 0.0),
        (Reply(status=429, headers={"x-should-retry": "false"}), "rate_limited", False, None),
        (Reply(status=500), "unavailable", True, None),
        (Reply(status=502, body=b"<html>Bad gateway</html>"), "unavailable", True, None),
        (Reply(status=503, body=b""), "unavailable", True, None),
        (Reply(status=504), "timeout", True, None),
        (Reply(status=529), "overloaded", True, None),
        (Reply(fault="close"), "connection", True, None),
        (Reply(body=b"<html>Who are you?</html>"), "truncated", True, None),
        (Reply(body=b"event: message_start\ndata: {not json\n\n"), "bad_turn", True, None),
        (Reply(body=b"event: message_start\ndata: []\n\n"), "bad_turn", True, None),
        (Reply(events=[{"type": "content_block_delta", "index": 3, "delta": {}}]), "bad_turn", True, None),
    ],
)
def test_failure_is_sorted(server, anthropic, reply, code, retryable, retry_after):
    server.replies = [reply]
    error = ask(anthropic).error
    assert (error.code, error.retryable, error.retry_after) == (code, retryable, retry_after)
    assert len(server.requests) == 1  # trying again is the loop's


def test_failure_speaks_to_the_customer_and_not_of_the_service(server, anthropic):
    server.replies = [Reply("model claude-secret in org_123", status=400)]
    assert str(ask(anthropic).error) == "The assistant is not available at the moment; our staff have to look at it."


def test_failure_of_a_server_that_is_not_there_is_a_connection_failure(server, anthropic, settings):
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:9"
    assert ask(anthropic).error.code == "connection"


def test_failure_without_a_key_asks_nobody(server, anthropic, settings):
    settings.ANTHROPIC_API_KEY = ""
    assert ask(anthropic).error.code == "authentication"
    assert server.requests == []


@pytest.mark.parametrize("after", [0, 4])
def test_silence_ends_at_the_deadline(server, anthropic, after):
    server.replies = [Reply("Three short words", fault="hang", after=after)]
    asked = ask(anthropic, seconds=0.6)
    assert (asked.error.code, asked.error.retryable) == ("timeout", True)
    assert 0.5 < asked.seconds < 1.2


def test_deadline_that_has_passed_asks_nobody(server, anthropic):
    assert ask(anthropic, seconds=-1).error.code == "timeout"
    assert server.requests == []


@pytest.mark.parametrize("after", [0, 4])
def test_stop_ends_a_silent_answer_within_a_second(server, anthropic, after):
    server.replies = [Reply("Three short words", fault="hang", after=after)]
    asked = ask(anthropic, stopped=server.asked.is_set)
    assert type(asked.error) is RunStopped
    assert asked.seconds < 1.2


def test_stop_hangs_up_so_that_no_thread_stays(server, anthropic):
    server.replies = [Reply("Three short words", fault="hang", after=4)]
    before = set(threading.enumerate())
    ask(anthropic, stopped=server.asked.is_set)
    left = [thread for thread in set(threading.enumerate()) - before if thread.name == "messages-api"]
    for thread in left:
        thread.join(2)
    assert [thread for thread in left if thread.is_alive()] == []


def test_provider_answers_again_after_it_was_left(server, anthropic):
    server.replies = [Reply("Three short words", fault="hang", after=4), Reply("ok")]
    ask(anthropic, seconds=0.2)
    assert ask(anthropic).turn.content == [text("ok")]


def test_error_of_the_listener_is_not_taken_for_the_service(server, anthropic):
    server.replies = [Reply("Three short words")]

    request = Request("claude-test", "You help.", [], [QUESTION], 100)

    def full(words):
        raise KeyError("disk")

    with pytest.raises(KeyError, match="disk"):
        anthropic.turn(request, on_text=full, deadline=time.monotonic() + 5, stopped=lambda: False)


def test_provider_serves_many_threads_at_once(server, anthropic):
    server.replies = [Reply(f"answer {number}") for number in range(12)]
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(ask(anthropic).turn)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert {turn.content[0]["text"] for turn in answers} == {f"answer {number}" for number in range(12)}
    assert server.refused == []


def test_real_client_without_streaming_gives_the_same_turn(server, settings):
    from anthropic import Anthropic

    blocks = [THINKING, text("Looking."), CALL]
    server.replies = [Reply(blocks)]
    with Anthropic(api_key="test", base_url=server.url, max_retries=0) as client:
        asked = ask(AnthropicProvider(client, stream=False))
    assert (asked.turn.content, asked.turn.stop_reason, asked.turn.usage) == (blocks, "tool_use", Usage(10, 0, 0, 5))
    assert asked.texts == ["Looking."]
    assert "stream" not in server.requests[0]
