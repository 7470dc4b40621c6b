"""Sixty seconds after a death every accepted message is under way again, with the times that a shop has by default."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import Celery
from django.contrib.auth.models import User
from django.db.models import F

from agent.conf import DEFAULTS, setting
from agent.models import AgentRun
from agent.runs import leases, start
from config.celery import app
from tests.serving import free_port

pytestmark = pytest.mark.django_db

State = AgentRun.State

LEASE = timedelta(seconds=20)
BEAT = LEASE / 4  # at most so long after something is due a keeper looks
LOST_AGAIN = leases.STALE_QUEUE + BEAT  # until what the broker lost is sent once more
PROMISED = timedelta(seconds=60)


class OneLook:
    """The clock of a keeper that looks once; `waits` is for how long it slept before."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def wait(self, timeout: float) -> bool:
        self.waits.append(timeout)
        return len(self.waits) > 1


def look() -> list[float]:
    """One pass of another process's keeper."""
    clock: Any = OneLook()
    leases.Keeper(stopping=clock).work()
    return clock.waits


def after(time: timedelta) -> None:
    """Let this much time have passed for all rows."""
    names = ("created_at", "started_at", "enqueued_at", "lease_until", "deadline")
    AgentRun.objects.update(**{name: F(name) - time for name in names})


def enqueued_again(run: AgentRun) -> bool:
    """Whether one pass of the keeper hands the run to the broker."""
    before = AgentRun.objects.get(pk=run.pk).enqueued_at
    look()
    return AgentRun.objects.get(pk=run.pk).enqueued_at != before


def test_times_add_up_to_less_than_a_minute() -> None:
    assert (DEFAULTS["LEASE_SECONDS"], setting("LEASE_SECONDS")) == (LEASE.total_seconds(), LEASE.total_seconds())
    assert look()[0] == BEAT.total_seconds()
    # The worker dies right after a beat; the broker loses the first task of its successor too, and once more.
    assert LEASE + BEAT + 2 * LOST_AGAIN < PROMISED


def test_run_of_a_dead_worker_is_taken_up_when_its_lease_has_ended(alice: User) -> None:
    run = start.accept(alice, "Where is my order?")
    assert leases.claim(run.pk) is not None
    after(LEASE - timedelta(seconds=1))
    assert (enqueued_again(run), leases.claim(run.pk)) == (False, None)
    after(BEAT)
    assert enqueued_again(run)
    lease = leases.claim(run.pk)
    assert (lease is not None, lease and lease.attempt) == (True, 2)


def test_what_the_broker_loses_again_is_sent_again(alice: User) -> None:
    run = start.accept(alice, "Where is my order?")
    assert leases.claim(run.pk) is not None
    after(LEASE + BEAT)
    assert (enqueued_again(run), enqueued_again(run)) == (True, False)
    after(LOST_AGAIN)
    assert (enqueued_again(run), enqueued_again(run)) == (True, False)
    after(LOST_AGAIN)
    assert enqueued_again(run)


def test_message_whose_task_was_lost_is_sent_again(alice: User) -> None:
    run = start.accept(alice, "Where is my order?")
    assert not enqueued_again(run)
    after(LOST_AGAIN)
    assert enqueued_again(run)


def test_message_behind_a_dead_run_follows_when_that_has_ended(alice: User) -> None:
    dead = start.accept(alice, "Where is my order?")
    assert leases.claim(dead.pk) is not None
    waiting = start.accept(alice, "And the other one?", conversation=dead.conversation)
    after(LEASE + BEAT)
    look()
    assert leases.claim(waiting.pk) is None
    AgentRun.objects.filter(pk=dead.pk).update(state=State.DONE)
    assert enqueued_again(waiting)
    assert leases.claim(waiting.pk) is not None


@pytest.fixture
def no_broker() -> Iterator[None]:
    """Nobody listens where the broker should be."""
    nowhere = Celery(broker=f"redis://127.0.0.1:{free_port()}/0")
    nowhere.conf.task_publish_retry_policy = app.conf.task_publish_retry_policy
    nowhere.set_current()
    yield
    app.set_current()


def test_broker_that_is_away_holds_up_no_beat(alice: User, bob: User, staff: User, no_broker: None) -> None:
    runs = [start.accept(user, "Where is my order?") for user in (alice, bob, staff)]
    after(LOST_AGAIN)
    assert leases.sweep() == 0
    # One was tried in vain; the others wait for the next look with their times as they were.
    untouched = AgentRun.objects.filter(enqueued_at__lt=F("created_at") + timedelta(seconds=1))
    assert (untouched.count(), len(runs)) == (2, 3)


def test_who_waits_longest_is_sent_first(alice: User, bob: User, no_broker: None) -> None:
    late, early = (start.accept(user, "Where is my order?") for user in (alice, bob))
    AgentRun.objects.filter(pk=early.pk).update(enqueued_at=F("enqueued_at") - timedelta(minutes=1))
    after(LOST_AGAIN)
    before = {run.pk: AgentRun.objects.get(pk=run.pk).enqueued_at for run in (late, early)}
    leases.sweep()
    assert {run.pk for run in AgentRun.objects.all() if run.enqueued_at != before[run.pk]} == {early.pk}
