"""What agent.testing promises to those who write tests from the outside, and the provider that plays it."""

from types import SimpleNamespace

import pytest

from agent.errors import ProviderError
from agent.providers import Usage
from agent.providers.anthropic import AnthropicProvider
from agent.testing import ScriptedClient, ScriptEnded, text, tool_use
from tests.providers.conftest import QUESTION, ask

CALL = tool_use("refund_order", order_number="DZ-1", amount="10.00")


def played(client):
    """All turns of the script as (stop_reason, kinds of blocks)."""
    answers = [client.messages.create(messages=[]) for _ in range(2)]
    return [(answer.stop_reason, [block["type"] for block in answer.content]) for answer in answers]


@pytest.mark.parametrize(
    "script",
    [
        ([CALL], [text("Done.")]),
        (CALL, "Done."),
        ([CALL, "Done."],),
        ([[CALL], [text("Done.")]],),
        ((CALL, {"content": "Done."}),),
    ],
)
def test_script_may_be_written_in_every_way(script):
    assert played(ScriptedClient(*script)) == [("tool_use", ["tool_use"]), ("end_turn", ["text"])]


def test_text_before_a_call_in_one_list_is_of_its_turn():
    assert played(ScriptedClient([text("Looking."), CALL, text("Done.")])) == [
        ("tool_use", ["text", "tool_use"]),
        ("end_turn", ["text"]),
    ]


@pytest.mark.parametrize(
    "call",
    [
        tool_use("find", query="shoes"),
        tool_use("find", {"query": "shoes"}),
        tool_use("find", input={"query": "shoes"}),
        tool_use("find", {}, query="shoes"),
    ],
)
def test_tool_use_takes_its_arguments_in_every_way(call):
    assert (call["name"], call["input"]) == ("find", {"query": "shoes"})


def test_tool_use_may_name_an_argument_input():
    assert tool_use("f", input="words")["input"] == {"input": "words"}
    assert tool_use("f", {"user": "eve", "name": "n", "id": "i"})["input"] == {"user": "eve", "name": "n", "id": "i"}


def test_ids_are_given_once_and_kept_where_they_are_named():
    first, second = (ScriptedClient([CALL, CALL, tool_use("f", id="toolu_mine")]) for _ in range(2))
    ids = [client.create().content[0]["id"] for client in (first, second) for _ in range(3)]
    assert (ids[2], ids[5]) == ("toolu_mine", "toolu_mine")
    assert len(set(ids)) == 5


def test_stop_reason_may_be_said():
    client = ScriptedClient({"content": [text("I can"), CALL], "stop_reason": "max_tokens"})
    assert client.create().stop_reason == "max_tokens"


@pytest.mark.parametrize("error", [RuntimeError("down"), RuntimeError])
def test_exception_is_raised(error):
    with pytest.raises(RuntimeError):
        ScriptedClient(error).messages.create()


def test_script_that_is_used_up_says_so():
    client = ScriptedClient("One.")
    client.create()
    with pytest.raises(ScriptEnded, match="has 1 turns, and the model was asked for number 2"):
        client.create()


def test_requests_are_kept_as_they_were():
    client, messages = ScriptedClient("One.", "Two."), [dict(QUESTION)]
    client.messages.create(messages=messages, model="m")
    messages[0]["content"] = "changed"
    assert client.requests == [{"messages": [QUESTION], "model": "m"}]


def test_provider_plays_a_script():
    client = ScriptedClient([text("Looking."), tool_use("order_status", id="toolu_1", order_number="DZ-1")])
    asked = ask(AnthropicProvider(client, stream=False))
    assert asked.texts == ["Looking."]
    assert asked.turn.content == [
        {"type": "text", "text": "Looking."},
        {"type": "tool_use", "id": "toolu_1", "name": "order_status", "input": {"order_number": "DZ-1"}},
    ]
    assert client.requests[0].keys() == {"model", "system", "tools", "messages", "max_tokens", "cache_control"}


class Plain:
    """A block, a message or a usage as anybody might write it."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class OfTheClass:
    type = "text"
    text = "Hello."


class Dumps:
    def model_dump(self):
        return {"type": "text", "text": "Hello."}


@pytest.mark.parametrize(
    "block", [Plain(type="text", text="Hello."), OfTheClass(), Dumps(), {"type": "text", "text": "Hello."}]
)
@pytest.mark.parametrize("usage", [Plain(input_tokens=3, output_tokens=None), {"input_tokens": 3}])
def test_provider_takes_blocks_and_usage_of_any_make(block, usage):
    turn = ask(client_that_returns(Plain(content=[block], stop_reason="end_turn", usage=usage))).turn
    assert (turn.content, turn.usage) == ([{"type": "text", "text": "Hello."}], Usage(input_tokens=3))


@pytest.mark.parametrize("message", [Plain(content=None, stop_reason="end_turn", usage=None)])
def test_provider_takes_a_message_without_content_or_usage(message):
    turn = ask(client_that_returns(message)).turn
    assert (turn.content, turn.usage) == ([], Usage())


def test_provider_refuses_a_message_without_a_stop_reason():
    error = ask(client_that_returns(Plain(content=[], stop_reason=None, usage=None))).error
    assert (type(error), error.code) == (ProviderError, "truncated")


def test_provider_lets_the_exceptions_of_others_pass():
    assert type(ask(AnthropicProvider(ScriptedClient(ZeroDivisionError), stream=False)).error) is ZeroDivisionError


def client_that_returns(message):
    messages = SimpleNamespace(create=lambda **kwargs: message)
    return AnthropicProvider(SimpleNamespace(messages=messages), stream=False)
