"""The benchmark measures what it says: it counts, it refuses, and one part runs from its start to its end."""

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from bench import page, place
from bench.peers import parcels
from bench.prompt_cache import PromptCache
from bench.section import Section, Table, Verdict
from bench.streams import compared

LONG = "word " * 2000


def body(*said, mark=True):
    messages = [{"role": "user", "content": text} for text in said]
    return {"model": "m", "messages": messages, **({"cache_control": {"type": "ephemeral"}} if mark else {})}


def test_cache_bills_a_longer_request_only_for_what_is_new():
    cache = PromptCache()
    first, second = cache.bill(body(LONG)), cache.bill(body(LONG, LONG))
    assert first["cache_creation_input_tokens"] == second["cache_read_input_tokens"] > 2000
    assert second["cache_creation_input_tokens"] == first["cache_creation_input_tokens"]
    assert (first["input_tokens"], second["input_tokens"]) == (0, 0)


@pytest.mark.parametrize("said", [["short"], [LONG]])
def test_cache_bills_all_that_is_short_or_not_marked(said):
    usage = PromptCache().bill(body(*said, mark=said == ["short"]))
    assert (usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]) == (0, 0)


def test_model_server_follows_the_script_and_refuses_an_open_call():
    asked = [{"role": "user", "content": parcels.question(steps=1)}]
    with place.model_server() as url:
        first = answer(url, asked)
        assert first["content"][0]["input"] == {"order_number": "DZ-10001"}
        asked.append({"role": "assistant", "content": first["content"]})
        with pytest.raises(HTTPError, match="400"):
            answer(url, asked)
        result = {"type": "tool_result", "tool_use_id": first["content"][0]["id"], "content": "{}"}
        last = answer(url, [*asked, {"role": "user", "content": [result]}])
    assert (last["stop_reason"], last["content"][0]["text"]) == ("end_turn", parcels.ANSWER)


def answer(url, messages):
    about = Request(f"{url}/v1/messages", data=json.dumps({"model": "m", "messages": messages}).encode())
    with urlopen(about, timeout=10) as response:
        return json.load(response)


def test_run_that_left_out_a_step_is_no_measurement():
    with pytest.raises(AssertionError, match="1 steps"):
        parcels.require(parcels.expected(2)[:1], answer=parcels.ANSWER, steps=2)


def test_events_that_are_lost_or_come_twice_are_counted():
    told = [[0, 1, 10.0], [0, 2, 11.0], [1, 1, 12.0]]
    found = compared(told, [[0, 1, 10.01], [0, 1, 10.5], [1, 1, 12.03]])
    assert (found["events"], found["lost"], found["twice"], round(found["most"])) == (3, 1, 1, 30)


def test_part_that_runs_alone_replaces_its_own_section(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "PAGE", tmp_path / "benchmarks.md")
    section = Section("Steps", "So.", [Table("", ["a"], [["1"]])], [Verdict("ratio", 0.8, 0.7)])
    for part, text in (("cost", "old cost"), ("steps", page.drawn(section, load=9.0)), ("cost", "new cost")):
        page.write(part, text, order=["steps", "cost"])
    text = page.PAGE.read_text()
    assert ("old" in text, text.index("ratio: **0.80**") < text.index("new cost")) == (False, True)
    assert all(words in text for words in ("NOT KEPT", "The machine was busy"))


@pytest.mark.slow
def test_small_measurement_runs_to_its_end():
    environ = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = [sys.executable, "-m", "bench", "cost", "--small"]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, "input cost of 4 steps" in done.stdout) == (0, True), done.stderr
