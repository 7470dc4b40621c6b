"""The served site, as a process: streams hold nothing, one process alone brings the worker, and it ends when told."""

import json
import signal
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.urls import reverse

from agent.models import AgentRun, Conversation
from tests.live.conftest import conversation_of
from tests.live.test_stream import say
from tests.serving import Site, cookie_of, site, wait_until

pytestmark = pytest.mark.django_db(transaction=True)

END_SECONDS = 10  # what the design promises


class Stream:
    """A browser's open stream."""

    def __init__(self, url: str, *, cookie: str) -> None:
        request = urllib.request.Request(url, headers={"Cookie": cookie})
        self.answer = urllib.request.urlopen(request, timeout=30)
        self.wait_for("stream-open")

    def wait_for(self, event: str) -> str:
        """Read until the event; returns its data."""
        while line := self.answer.readline().decode():
            if line == f"event: {event}\n":
                rest = [self.answer.readline().decode(), self.answer.readline().decode()]
                return next(text[6:] for text in rest if text.startswith("data:"))
        raise AssertionError(f"the stream ended before {event}")

    def is_open(self) -> bool:
        return not self.answer.isclosed()

    def close(self) -> None:
        self.answer.close()


def address(served: Site, conversation: Conversation) -> str:
    """The stream of the conversation from its beginning."""
    return f"{served.url}{reverse('agent:events', args=[conversation.pk])}?lastEventId=0"


@pytest.fixture
def served() -> Iterator[Site]:
    with site() as running:
        yield running


def test_question_is_answered_live_without_any_service(served: Site, alice: User) -> None:
    cookie = cookie_of(alice)
    started = served.ask("Where is my order?", cookie=cookie)
    with closing(Stream(served.url + started["events_url"], cookie=cookie)) as stream:
        states: list[str] = []
        while not states or states[-1] in AgentRun.OPEN:
            states.append(json.loads(stream.wait_for("run"))["state"])
    run = AgentRun.objects.get()
    assert (states[-1], run.state, run.error_code) == (AgentRun.State.DONE, AgentRun.State.DONE, "")


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_ends_in_time_with_a_stream_open(served: Site, conversation: Conversation, alice: User, sig: int) -> None:
    with closing(Stream(address(served, conversation), cookie=cookie_of(alice))):
        assert served.stop(sig) < END_SECONDS
    assert served.process.returncode == 0


SERVE = ["-m", "config.serve"]
UVICORN = ["-m", "uvicorn", "config.asgi:application", "--timeout-graceful-shutdown", "5"]


@pytest.mark.parametrize("command", [SERVE, UVICORN])
def test_ends_in_time_with_a_run_at_work(alice: User, command: list[str]) -> None:
    conversation = conversation_of(alice, provider="anthropic", model="claude-sonnet-5-5")
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:  # a model that takes the question and says nothing
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        model = {"AGENT_PROVIDER": "anthropic", "ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": url}
        with site(*command, **model) as served:
            served.ask("Where is my order?", cookie=cookie_of(alice), conversation=str(conversation.pk))
            silent.settimeout(30)
            with closing(silent.accept()[0]):
                assert served.stop() < END_SECONDS
    assert AgentRun.objects.get().state == AgentRun.State.RUNNING  # nothing is lost: the next start takes it up


def test_second_process_on_the_database_is_refused(served: Site) -> None:
    with pytest.raises(AssertionError, match="another process already serves"), site():
        pass
    assert served.answers("/readyz")


def test_start_without_tables_ends_in_a_sentence(tmp_path: Path) -> None:
    empty = f"sqlite:///{tmp_path / 'empty.sqlite3'}"
    with pytest.raises(AssertionError, match=r"no tables yet.*manage\.py migrate"), site(DATABASE_URL=empty):
        pass


@pytest.mark.parametrize(("proxies", "is_told"), [("", True), ("127.0.0.1", False)])
def test_proxy_that_is_not_named_is_told_at_the_start(proxies: str, is_told: bool) -> None:
    with site(PUBLIC_URL="https://shop.example", FORWARDED_ALLOW_IPS=proxies) as running:
        running.stop()
        assert ("FORWARDED_ALLOW_IPS names no proxy" in running.process.stdout.read()) is is_told  # type: ignore[union-attr]


def test_readiness_tells_database_and_worker(served: Site) -> None:
    with urllib.request.urlopen(f"{served.url}/readyz", timeout=10) as answer:
        told = json.load(answer)
    assert (told["ready"], told["database"], told["worker"]) == (True, True, True)


def test_open_streams_hold_no_connection(postgres: None, served: Site, conversation: Conversation, alice: User) -> None:
    cookie = cookie_of(alice)
    say(conversation, "to all of them")
    streams = [Stream(address(served, conversation), cookie=cookie) for _ in range(20)]
    try:
        for stream in streams:
            stream.wait_for("message")
        # The keeper and a thread of the worker may be at theirs.
        wait_until(lambda: sessions_of_others() <= 3)
        assert all(stream.is_open() for stream in streams)
    finally:
        for stream in streams:
            stream.close()


def sessions_of_others() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])
