"""The second service takes over while the first is down: over real HTTP, the first one Messages, the second chat."""

import threading
from dataclasses import dataclass, field

import pytest

from agent.errors import RunStopped
from agent.providers import provider_named
from agent.providers.anthropic import AnthropicProvider
from agent.providers.failover import Breaker, Failover, spare_of
from agent.providers.failures import failure
from agent.providers.openai import OpenAIProvider
from tests.providers.conftest import QUESTION, ask
from tests.providers.messages_server import MessagesServer, Reply

CALL = {"type": "tool_use", "id": "toolu_1", "name": "order_status", "input": {"order_number": "DZ-10423"}}
THINKING = {"type": "thinking", "thinking": "secret thought", "signature": "sig_1"}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": '{"status": "sent"}'}
DOWN = Reply(status=529)


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Pair:
    """Both services, and the provider that is made of them."""

    first: MessagesServer
    second: MessagesServer
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.breaker = Breaker(failures=3, within=60, spare=60, clock=self.clock)
        self.provider = Failover(AnthropicProvider(), OpenAIProvider(), model="spare-model", breaker=self.breaker)

    @property
    def asked(self) -> tuple[int, int]:
        """How often each was asked."""
        return len(self.first.requests), len(self.second.requests)


@pytest.fixture
def pair(server, settings):
    with MessagesServer() as second:
        settings.OPENAI_API, settings.OPENAI_BASE_URL = "chat", f"{second.url}/v1"
        yield Pair(server, second)


def words(asked):
    return [block["text"] for block in asked.turn.content if block["type"] == "text"]


def test_first_answers_while_it_is_up(pair):
    pair.first.replies = [Reply("first")]
    assert words(ask(pair.provider)) == ["first"]
    assert pair.asked == (1, 0)


def test_second_answers_the_last_of_three_tries(pair):
    pair.first.replies, pair.second.replies = [DOWN] * 3, [Reply("second")]
    codes = [ask(pair.provider).error.code for _ in range(2)]
    assert (codes, words(ask(pair.provider))) == (["overloaded", "overloaded"], ["second"])
    assert pair.asked == (3, 1)
    assert pair.second.requests[0]["model"] == "spare-model"


def test_second_answers_at_once_while_the_first_is_spared(pair):
    pair.first.replies, pair.second.replies = [DOWN] * 3, [Reply("second")] * 3
    asked = [ask(pair.provider) for _ in range(5)]
    assert [words(each) for each in asked[2:]] == [["second"]] * 3
    assert pair.asked == (3, 3)


def test_second_is_sent_what_was_called_and_not_what_was_signed(pair):
    pair.first.replies, pair.second.replies = [Reply([THINKING, CALL]), *[DOWN] * 3], [Reply("It was sent.")]
    turn = ask(pair.provider).turn
    history = [QUESTION, {"role": "assistant", "content": turn.content}, {"role": "user", "content": [RESULT]}]
    assert words([ask(pair.provider, *history) for _ in range(3)][2]) == ["It was sent."]
    sent = pair.second.requests[0]["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool"]
    assert "secret thought" not in str(sent)
    assert pair.second.refused == []


def test_first_is_asked_again_after_a_while_and_keeps_its_thoughts(pair):
    pair.first.replies = [*[DOWN] * 3, Reply("first again"), Reply("still first")]
    pair.second.replies = [Reply([{**CALL, "id": "call_2"}])]
    turn = [ask(pair.provider) for _ in range(3)][2].turn
    pair.clock.now += 61
    results = [{**RESULT, "tool_use_id": "call_2"}]
    history = [
        QUESTION,
        {"role": "assistant", "content": [THINKING, CALL]},
        {"role": "user", "content": [RESULT]},
        {"role": "assistant", "content": turn.content},
        {"role": "user", "content": results},
    ]
    assert words(ask(pair.provider, *history)) == ["first again"]
    assert words(ask(pair.provider)) == ["still first"]
    assert pair.first.refused == []
    assert pair.first.requests[3]["messages"] == history


def test_failed_probe_spares_the_first_again(pair):
    pair.first.replies, pair.second.replies = [DOWN] * 4, [Reply("second")] * 3
    for _ in range(3):
        ask(pair.provider)
    pair.clock.now += 61
    assert [words(ask(pair.provider)) for _ in range(2)] == [["second"]] * 2
    assert pair.asked == (4, 3)


@pytest.mark.parametrize("reply", [Reply(status=400), Reply(status=401), Reply([CALL, CALL])])
def test_fault_that_is_no_outage_stays_with_the_first(pair, reply):
    pair.first.replies = [reply] * 4
    codes = {ask(pair.provider).error.code for _ in range(4)}
    assert codes <= {"invalid_request", "authentication", "bad_turn"}
    assert pair.asked == (4, 0)


def test_answer_that_broke_off_in_sight_is_not_gone_on_with_by_the_second(pair):
    pair.first.replies = [DOWN, DOWN, Reply("Three short words", fault="error", after=5)]
    pair.second.replies = [Reply("second")]
    third = [ask(pair.provider) for _ in range(3)][2]
    assert (third.texts, third.error.code, third.error.retryable) == (["Three ", "short "], "overloaded", True)
    assert pair.asked == (3, 0)
    assert ask(pair.provider).texts == ["second"]


def test_spare_answers_after_the_last_try_of_a_service_that_is_up_for_others(pair):
    pair.first.replies, pair.second.replies = [DOWN, Reply("for others"), DOWN], [Reply("second")]
    errors = [ask(pair.provider).error for _ in range(3)]
    spare = spare_of(pair.provider, errors[2])
    assert words(ask(spare)) == ["second"]
    assert pair.second.requests[0]["model"] == "spare-model"


@pytest.mark.parametrize("code", ["invalid_request", "authentication", "bad_turn"])
def test_spare_is_for_outages_alone(pair, code):
    assert spare_of(pair.provider, failure(code)) is None
    assert spare_of(AnthropicProvider(), failure("overloaded")) is None


def test_silent_first_leaves_time_for_the_second(pair):
    pair.first.replies, pair.second.replies = [Reply("ok", fault="hang")], [Reply("second")]
    asked = ask(pair.provider, seconds=3)
    assert (words(asked), pair.asked) == (["second"], (1, 1))
    assert 1.9 < asked.seconds < 3


def test_slow_first_that_speaks_keeps_all_its_time(pair):
    pair.first.replies = [Reply("Three short words", fault="hang", after=4)]
    asked = ask(pair.provider, seconds=1)
    assert (asked.error.code, pair.asked) == ("timeout", (1, 0))
    assert 0.9 < asked.seconds < 3


def test_stop_is_no_outage(pair):
    pair.first.replies = [Reply("ok", fault="hang")]
    asked = ask(pair.provider, stopped=pair.first.asked.is_set)
    assert (type(asked.error), pair.asked) == (RunStopped, (1, 0))


def test_probe_that_was_stopped_lets_the_next_one_probe(pair):
    pair.first.replies = [*[DOWN] * 3, Reply("ok", fault="hang"), Reply("first")]
    pair.second.replies = [Reply("second")]
    for _ in range(3):
        ask(pair.provider)
    pair.clock.now += 61
    pair.first.asked.clear()
    ask(pair.provider, stopped=pair.first.asked.is_set)
    assert words(ask(pair.provider)) == ["first"]


def test_second_that_is_down_too_is_told(pair):
    pair.first.replies, pair.second.replies = [DOWN] * 3, [Reply(status=503)]
    error = [ask(pair.provider) for _ in range(3)][2].error
    assert (error.code, error.retryable) == ("unavailable", True)


def test_breaker_forgets_failures_that_lie_apart():
    clock = Clock()
    breaker = Breaker(failures=3, within=60, spare=60, clock=clock)
    for _ in range(5):
        assert breaker.failed() is False
        clock.now += 31
    assert breaker.lets_through()


def test_breaker_counts_failures_in_a_row():
    breaker = Breaker(failures=2, clock=Clock())
    breaker.failed()
    breaker.succeeded()
    assert breaker.failed() is False
    assert breaker.failed() is True


def test_breaker_lets_one_of_many_probe():
    clock = Clock()
    breaker = Breaker(failures=1, clock=clock)
    breaker.failed()
    clock.now += 61
    told = []
    threads = [threading.Thread(target=lambda: told.append(breaker.lets_through())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert sorted(told) == [False] * 7 + [True]


def test_breaker_success_from_before_the_outage_changes_nothing():
    breaker = Breaker(failures=1, clock=Clock())
    breaker.failed()
    breaker.succeeded()
    assert not breaker.lets_through()


def test_provider_named_wraps_only_where_the_settings_name_a_second(settings):
    settings.AGENT = {**settings.AGENT, "FALLBACK_PROVIDER": ""}
    assert type(provider_named("anthropic")) is AnthropicProvider
    settings.AGENT = {**settings.AGENT, "FALLBACK_PROVIDER": "openai", "FALLBACK_MODEL": "x"}
    assert type(provider_named("anthropic")) is Failover
    assert provider_named("anthropic") is provider_named("anthropic")
    assert provider_named("demo").name == "demo"
