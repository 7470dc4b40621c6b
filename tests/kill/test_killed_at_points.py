"""Workers that die by SIGKILL, each at a point of its own; one new worker ends what all of them left."""

import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from agent.models import AgentRun, OutgoingMail
from agent.runs import start
from agent.testing import text, tool_use
from tests.agent.conftest import paid_order
from tests.kill.test_every_point import WATCHED, story
from tests.kill.workers import Stateless, ended, queue_of, send, wait_for, worker
from tests.serving import OwnRedis

pytestmark = [pytest.mark.kill, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("postgres")]

# Of the 42 points that tests/kill/test_every_point.py counts: each kind, in each of the turns, inside a write.
DIE_AT = (2, 5, 8, 9, 13, 18, 19, 25, 32, 36)
KINDS = {f"{when} {what}" for when in ("before", "after") for what in WATCHED}
OWN = re.compile(r"DZ-\d+")
MESSAGE_ID = re.compile(r"^Message-ID: (\S+)$", re.M)
STARTED_AT_ONCE = 5


def script(number: str) -> list[Any]:
    return [
        [
            tool_use("order_status", order_number=number, id="toolu_1"),
            tool_use("hand_off", reason="policy", summary="A refund was asked for.", id="toolu_2"),
        ],
        [tool_use("refund_order", order_number=number, amount="10.00", id="toolu_3")],
        [text("Please confirm the refund.")],
    ]


def asked(name: str, *, number: str) -> AgentRun:
    customer = User.objects.create_user(name)
    paid_order(customer, number=number)
    return start.accept(customer, f"Look, then give me 10 euros of {number} back.")


@contextmanager
def doomed(point: int, *, folder: Path, **where: str) -> Iterator[Any]:
    """A worker with a queue of its own, that dies at the point."""
    own = {"DIE_AT": str(point), "DIED_AT": str(folder / f"point-{point}"), **where}
    with worker("-Q", f"doomed-{point}", "-n", f"doomed-{point}@%h", **own) as process:
        yield process


def killed(points: tuple[int, ...], *, folder: Path, **where: str) -> dict[int, AgentRun]:
    """A run for each point, left by the worker that died there."""
    runs = {point: asked(f"customer-{point}", number=f"DZ-{point}") for point in points}
    with ExitStack() as stack:
        processes = [stack.enter_context(doomed(point, folder=folder, **where)) for point in points]
        for point, run in runs.items():
            send(queue_of(where["redis_url"]), run, queue=f"doomed-{point}")
        wait_for(lambda: all(process.poll() is not None for process in processes), "the death of all workers")
        assert {process.returncode for process in processes} == {-signal.SIGKILL}
    return runs


def whole_story(run: AgentRun) -> dict[str, str]:
    """As it is told for any order, with the mails that the run caused: how often each was tried, whether it left."""
    mails = [(mail.attempts, mail.sent_at is not None) for mail in run.conversation.mails.all()]
    return {key: OWN.sub("DZ", repr(value)) for key, value in {**story(run), "mails": mails}.items()}


def test_workers_killed_at_ten_points_leave_nothing_undone(own_redis: OwnRedis, tmp_path: Path) -> None:
    with Stateless(script) as model:
        where = {"redis_url": own_redis.url, "model_url": model.url, "MAIL_FOLDER": str(tmp_path / "mail")}
        runs: dict[int, AgentRun] = {}
        for first in range(0, len(DIE_AT), STARTED_AT_ONCE):
            runs |= killed(DIE_AT[first : first + STARTED_AT_ONCE], folder=tmp_path, **where)
        with worker(**where):
            unhurt = asked("unhurt", number="DZ-99")
            send(queue_of(own_redis.url), unhurt)
            wait_for(lambda: all(ended(run) for run in [unhurt, *runs.values()]), "the end of all runs")
            wait_for(lambda: not OutgoingMail.objects.filter(sent_at=None).exists(), "the sending of all mails")
        assert model.refused == []
    deaths = {(tmp_path / f"point-{point}").read_text() for point in DIE_AT}
    assert deaths == KINDS
    expected = whole_story(unhurt)
    assert (unhurt.state, unhurt.attempt, expected["mails"]) == ("done", 1, "[(1, True)]")
    for point, run in runs.items():
        for part, told in whole_story(run).items():
            assert told == expected[part], f"killed at point {point}: {part}"
        assert run.attempt == 2
    # A file may hold several.
    sent = MESSAGE_ID.findall("".join(each.read_text() for each in (tmp_path / "mail").iterdir()))
    assert (len(sent), len(set(sent))) == (len(runs) + 1, len(runs) + 1)
