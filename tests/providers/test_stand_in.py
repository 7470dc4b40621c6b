"""The anthropic provider against the strict stand-in of the Messages API that may lie beside the project."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.providers.anthropic import AnthropicProvider
from tests.providers.conftest import ask

STAND_IN = Path(__file__).resolve().parents[3] / "shared" / "messages_api.py"
QUESTION = {"role": "user", "content": "Where is order DZ-10423, and what is in it?"}
CALL = {"type": "tool_use", "name": "order_status", "input": {"order_number": "DZ-10423", "also": {"z": 1, "a": [2]}}}
THREE_TURNS = {
    "match": "where is order",
    "turns": [
        [{"type": "thinking", "thinking": "I look it up."}, {"type": "text", "text": "One moment."}, CALL],
        [{"type": "thinking", "thinking": ""}, CALL],
        [{"type": "text", "text": "It is {{result.status}}."}],
    ],
}
FAULTS: list[tuple[dict[str, Any], str, bool]] = [
    ({"status": 400}, "invalid_request", False),
    ({"status": 401}, "authentication", False),
    ({"status": 429, "retry_after": 1}, "rate_limited", True),
    ({"status": 529}, "overloaded", True),
    ({"hang": 30}, "timeout", True),
    ({"disconnect": True}, "connection", True),
    ({"garbage": True}, "truncated", True),
    ({"cut_stream_after": 3}, "connection", True),
    ({"end_stream_after": 3}, "truncated", True),
    ({"error_in_stream_after": 3}, "overloaded", True),
]


class StandIn:
    """The running stand-in: `post` scripts it, `get` asks what it saw."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def post(self, path: str, value: Any) -> Any:
        request = urllib.request.Request(self.url + path, data=json.dumps(value).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=5) as answer:
            return json.load(answer)

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=5) as answer:
            return json.load(answer)


@pytest.fixture(scope="module")
def process() -> Iterator[StandIn]:
    if not STAND_IN.exists():
        message = "the stand-in of the Messages API does not lie beside the project"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(message)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = subprocess.Popen([sys.executable, str(STAND_IN), "--port", str(port)], stderr=subprocess.PIPE, text=True)
    assert "stand-in on" in running.stderr.readline()  # it says so once it listens
    yield StandIn(port)
    running.terminate()
    running.communicate(timeout=5)


@pytest.fixture
def stand_in(process, settings) -> StandIn:
    settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL = "test", process.url
    process.post("/_reset", {})
    return process


def converse(*, system: str = "You help.") -> list[Any]:
    """The whole conversation; returns what came of each call."""
    messages, answers = [QUESTION], []
    for _ in range(3):
        answers.append(ask(AnthropicProvider(), *messages, system=system))
        turn = answers[-1].turn
        results = [
            {"type": "tool_result", "tool_use_id": block["id"], "content": '{"status": "on its way"}'}
            for block in turn.content
            if block["type"] == "tool_use"
        ]
        messages.append({"role": "assistant", "content": turn.content})
        if results:
            messages.append({"role": "user", "content": results})
    return answers


def test_three_turns_with_signed_thinking_are_all_accepted(stand_in):
    stand_in.post("/_script", [THREE_TURNS])
    answers = converse()
    assert [asked.turn.stop_reason for asked in answers] == ["tool_use", "tool_use", "end_turn"]
    assert answers[2].turn.content == [{"type": "text", "text": "It is on its way."}]
    assert stand_in.get("/_stats")["refused"] == 0
    assert [record["answer"]["content"] for record in stand_in.get("/_requests")] == [a.turn.content for a in answers]


def test_caching_reads_what_an_earlier_call_wrote(stand_in):
    stand_in.post("/_script", [THREE_TURNS])
    first, second, third = (asked.turn.usage for asked in converse(system=f"{time.time()} " + "You help. " * 600))
    assert (first.cache_read_tokens, first.cache_write_tokens > 1024) == (0, True)
    assert second.cache_read_tokens == first.cache_write_tokens
    assert third.cache_read_tokens == second.cache_read_tokens + second.cache_write_tokens
    assert (third.input_tokens, third.output_tokens > 0) == (0, True)


@pytest.mark.parametrize(("fault", "code", "retryable"), FAULTS, ids=[next(iter(fault[0])) for fault in FAULTS])
def test_fault_is_sorted_and_the_next_try_succeeds(stand_in, fault, code, retryable):
    turns = [{"content": [{"type": "text", "text": "Some short words."}], "faults": [fault]}]
    stand_in.post("/_script", [{"match": "", "turns": turns}])
    asked = ask(AnthropicProvider(), seconds=1)
    assert (asked.error.code, asked.error.retryable) == (code, retryable)
    assert asked.seconds < 3
    assert ask(AnthropicProvider()).turn.content == turns[0]["content"]
