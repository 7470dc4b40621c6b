"""What every provider promises: the same tests for each API, over real HTTP, with the real SDKs."""

import json
import threading
import time

import pytest

from agent.errors import ProviderError, RunStopped
from agent.providers import Request, Usage
from tests.providers.conftest import QUESTION
from tests.providers.messages_server import Reply

CALL = {"type": "tool_use", "id": "toolu_1", "name": "order_status", "input": {"order_number": "DZ-10423"}}
THINKING = {"type": "thinking", "thinking": "Look it up.", "signature": "sig_1"}


def text(words):
    return {"type": "text", "text": words}


def plain(turn):
    """The blocks that every API knows."""
    return [block for block in turn.content if block["type"] in ("text", "tool_use")]


def result_of(call_id, **more):
    return {"type": "tool_result", "tool_use_id": call_id, "content": '{"status": "sent"}', **more}


def test_turn_streams_text_as_it_comes(service):
    service.server.replies = [Reply("Your order is on its way.")]
    asked = service.ask()
    assert asked.texts == ["Your ", "order ", "is ", "on ", "its ", "way."]
    assert plain(asked.turn) == [text("Your order is on its way.")]
    assert (asked.turn.stop_reason, asked.turn.model, asked.turn.request_id) == ("end_turn", "model-test", "req_test")
    assert 0 <= asked.turn.first_token_ms <= asked.turn.duration_ms


def test_text_keeps_what_others_take_for_a_line_end(service):
    words = "one\u2028two\x85three\nfour"
    service.server.replies = [Reply(words)]
    assert plain(service.ask().turn) == [text(words)]


def test_request_holds_everything_it_was_given(service):
    service.server.replies = [Reply("ok")]
    service.ask()
    [body] = service.server.requests
    sent = json.dumps(body)
    for given in ("You help.", "Where is my order?", "order_status", "Where an order is.", "model-test", "1000"):
        assert given in sent
    assert body["stream"] is True


def test_calls_come_with_their_arguments(service):
    other = {"type": "tool_use", "id": "toolu_2", "name": "find_products", "input": {"query": "ü"}}
    service.server.replies = [Reply([text("Looking."), CALL, other])]
    turn = service.ask().turn
    assert (plain(turn), turn.stop_reason) == ([text("Looking."), CALL, other], "tool_use")


def test_tool_input_keeps_the_order_of_its_keys(service):
    arguments = {"z": 1, "a": {"y": [1.5, True, None], "b": "ü"}, "m": ""}
    service.server.replies = [Reply([{**CALL, "input": arguments}])]
    assert json.dumps(plain(service.ask().turn)[0]["input"]) == json.dumps(arguments)


def test_tool_without_arguments_has_an_empty_input(service):
    service.server.replies = [Reply([{**CALL, "input": ""}])]
    assert plain(service.ask().turn) == [{**CALL, "input": {}}]


def connections_are_back() -> None:
    """An answer is there before its thread has read the very end and given the connection back."""
    for thread in threading.enumerate():
        if thread.name == "model-stream":
            thread.join(10)


def test_conversation_of_three_turns_is_accepted_and_reuses_its_connection(service):
    messages = [QUESTION, {"role": "system", "content": [text("Today is Monday.")]}]
    service.server.replies = [
        Reply([THINKING, text("One moment."), CALL]),
        Reply([THINKING, {**CALL, "id": "toolu_2"}]),
        Reply("It is on its way."),
    ]
    for call_id in ("toolu_1", "toolu_2"):
        turn = service.ask(*messages).turn
        connections_are_back()
        messages += [
            {"role": "assistant", "content": turn.content},
            {"role": "user", "content": [result_of(call_id)]},
        ]
    assert plain(service.ask(*messages).turn) == [text("It is on its way.")]
    assert (service.server.refused, service.server.connections) == ([], 1)


def test_history_only_grows_at_its_end(service):
    messages = [QUESTION, {"role": "system", "content": [text("Today is Monday.")]}]
    service.server.replies = [Reply([THINKING, CALL]), Reply("ok")]
    turn = service.ask(*messages).turn
    service.ask(
        *messages, {"role": "assistant", "content": turn.content}, {"role": "user", "content": [result_of("toolu_1")]}
    )
    first, second = (body.get("input") or body["messages"] for body in service.server.requests)
    assert json.dumps(second).startswith(json.dumps(first)[:-1])
    assert len(second) > len(first)


def test_history_of_another_service_is_accepted(service):
    item = {"type": "reasoning", "id": "rs_9", "summary": [], "encrypted_content": "sealed"}
    foreign = [
        {"type": "openai_item", "model": "another model", "item": item, "covers": 0},
        {"type": "redacted_thinking", "data": "b3BhcXVl"},
    ]
    broken = {**CALL, "input": '{"order_number": "DZ'}
    service.server.replies = [Reply("ok")]
    service.ask(
        QUESTION,
        {"role": "assistant", "content": [*foreign, text("Looking."), broken]},
        {"role": "user", "content": [result_of("toolu_1", is_error=True)]},
        {"role": "system", "content": "The customer confirmed."},
        {"role": "user", "content": [text("And now?")]},
    )
    sent = json.dumps(service.server.requests)
    assert service.server.refused == []
    assert "sealed" not in sent
    assert "not_a_json_object" in sent
    assert "The customer confirmed." in sent


def test_failed_result_is_told_apart(service):
    service.server.replies = [Reply("ok"), Reply("ok")]
    for failed in ({}, {"is_error": True}):
        answer = {"role": "user", "content": [result_of("toolu_1", **failed)]}
        service.ask(QUESTION, {"role": "assistant", "content": [CALL]}, answer)
    told = ["is_error" in sent or "This call failed" in sent for sent in map(json.dumps, service.server.requests)]
    assert told == [False, True]


def test_usage_counts_caching(service):
    usage = {"input_tokens": 7, "cache_read_input_tokens": 2048, "cache_creation_input_tokens": 12, "output_tokens": 3}
    service.server.replies = [Reply("ok", usage=usage)]
    assert service.ask().turn.usage == Usage(7, 2048, 12, 3)


def test_usage_without_figures_is_nothing(service):
    service.server.replies = [Reply("ok", usage={"input_tokens": None, "cache_read_input_tokens": None})]
    assert service.ask().turn.usage == Usage()


@pytest.mark.parametrize("reason", ["end_turn", "max_tokens", "refusal"])
def test_stop_reason_has_one_name(service, reason):
    service.server.replies = [Reply("Some words", stop_reason=reason)]
    turn = service.ask().turn
    assert (turn.stop_reason, plain(turn)) == (reason, [text("Some words")])


def test_refusal_may_have_no_content(service):
    service.server.replies = [Reply([], stop_reason="refusal")]
    turn = service.ask().turn
    assert (turn.stop_reason, turn.content) == ("refusal", [])


def test_answer_may_be_empty(service):
    service.server.replies = [Reply([], stop_reason="end_turn")]
    turn = service.ask().turn
    assert (turn.stop_reason, turn.content) == ("end_turn", [])


def test_blank_text_is_left_out(service):
    service.server.replies = [Reply([text(" \n"), CALL])]
    assert plain(service.ask().turn) == [CALL]


def test_call_cut_by_max_tokens_has_an_empty_input(service):
    service.server.replies = [Reply([text("I will"), {**CALL, "input": '{"amount": 1'}], stop_reason="max_tokens")]
    turn = service.ask().turn
    assert (turn.stop_reason, plain(turn)) == ("max_tokens", [text("I will"), {**CALL, "input": {}}])


def test_surrogate_in_the_arguments_is_a_bad_turn(service):
    service.server.replies = [Reply([{**CALL, "input": '{"note": "\\ud800"}'}])]
    error = service.ask().error
    assert (type(error), error.code, error.retryable) == (ProviderError, "bad_turn", True)


@pytest.mark.parametrize("words", [None, 0, 2, 4])
def test_stream_that_ends_early_is_truncated(service, words):
    after = 1 if words is None else service.preamble + words
    service.server.replies = [Reply([text("Three short words"), CALL], fault="end", after=after)]
    asked = service.ask()
    assert (asked.turn, asked.error.code, asked.error.retryable) == (None, "truncated", True)


def test_stream_without_a_stop_reason_is_truncated(service):
    service.server.replies = [Reply("Some words", stop_reason=None)]
    assert service.ask().error.code == "truncated"


@pytest.mark.parametrize("words", [0, 2])
def test_stream_that_breaks_is_a_connection_failure(service, words):
    service.server.replies = [Reply("Three short words", fault="cut", after=service.preamble + words)]
    error = service.ask().error
    assert (error.code, error.retryable) == ("connection", True)


@pytest.mark.parametrize(
    ("code", "retryable"),
    [("overloaded", True), ("rate_limited", True), ("unavailable", True), ("invalid_request", False)],
)
def test_error_in_the_stream_is_sorted(service, code, retryable):
    after, kind = service.preamble + 2, service.kinds[code]
    service.server.replies = [Reply("Three short words", fault="error", after=after, error_type=kind)]
    asked = service.ask()
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
        (Reply(body=b"data: {not json\n\n"), "bad_turn", True, None),
        (Reply(body=b"data: []\n\n"), "bad_turn", True, None),
        (Reply(body=b"data: \xff\n\n"), "bad_turn", True, None),
    ],
)
def test_failure_is_sorted(service, reply, code, retryable, retry_after):
    service.server.replies = [reply]
    error = service.ask().error
    assert (error.code, error.retryable, error.retry_after) == (code, retryable, retry_after)
    assert len(service.server.requests) == 1  # trying again is the loop's


def test_failure_speaks_to_the_customer_and_not_of_the_service(service):
    service.server.replies = [Reply("model secret-model in org_123", status=400)]
    assert str(service.ask().error) == "The assistant is not available at the moment; our staff have to look at it."


def test_failure_of_a_server_that_is_not_there_is_a_connection_failure(service, settings):
    settings.ANTHROPIC_BASE_URL = settings.OPENAI_BASE_URL = "http://127.0.0.1:9"
    assert service.ask().error.code == "connection"


def test_failure_without_a_key_asks_nobody(service, settings):
    settings.ANTHROPIC_API_KEY = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    assert service.ask().error.code == "authentication"
    assert service.server.requests == []


@pytest.mark.parametrize("words", [None, 1])
def test_silence_ends_at_the_deadline(service, words):
    after = 0 if words is None else service.preamble + words
    service.server.replies = [Reply("Three short words", fault="hang", after=after)]
    asked = service.ask(seconds=0.3)
    assert (asked.error.code, asked.error.retryable) == ("timeout", True)
    assert 0.25 < asked.seconds < 2


def test_deadline_that_has_passed_asks_nobody(service):
    assert service.ask(seconds=-1).error.code == "timeout"
    assert service.server.requests == []


@pytest.mark.parametrize("words", [None, 1])
def test_stop_ends_a_silent_answer_within_a_second(service, words):
    after = 0 if words is None else service.preamble + words
    service.server.replies = [Reply("Three short words", fault="hang", after=after)]
    asked = service.ask(stopped=service.server.asked.is_set)
    assert type(asked.error) is RunStopped
    assert asked.seconds < 1.2


def test_stop_hangs_up_so_that_no_thread_stays(service):
    service.server.replies = [Reply("Three short words", fault="hang", after=service.preamble + 1)]
    before = set(threading.enumerate())
    service.ask(stopped=service.server.asked.is_set)
    left = [thread for thread in set(threading.enumerate()) - before if thread.name == "model-stream"]
    for thread in left:
        thread.join(2)
    assert [thread for thread in left if thread.is_alive()] == []


def test_provider_answers_again_after_it_was_left(service):
    service.server.replies = [Reply("Three short words", fault="hang", after=service.preamble + 1), Reply("ok")]
    service.ask(seconds=0.2)
    assert plain(service.ask().turn) == [text("ok")]


def test_whole_answer_is_not_held_back_by_a_connection_that_stays_open(service):
    service.server.replies = [Reply("ok", fault="hang", after=100)]
    asked = service.ask()
    assert (plain(asked.turn), asked.seconds < 2) == ([text("ok")], True)


def test_error_of_the_listener_is_not_taken_for_the_service(service):
    service.server.replies = [Reply("Three short words")]
    request = Request("model-test", "You help.", [], [QUESTION], 100)

    def full(words):
        raise KeyError("disk")

    with pytest.raises(KeyError, match="disk"):
        service.provider.turn(request, on_text=full, deadline=time.monotonic() + 5, stopped=lambda: False)


def test_provider_serves_many_threads_at_once(service):
    service.server.replies = [Reply(f"answer {number}") for number in range(12)]
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(service.ask().turn)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert {plain(turn)[0]["text"] for turn in answers} == {f"answer {number}" for number in range(12)}
    assert service.server.refused == []
