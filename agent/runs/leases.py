"""Who works on a run: a lease by conditional update, a heartbeat for all leases of a process, and the sweep.

A lease is a row's word, not a lock: it survives a dead connection, and it ends by itself with a dead worker.
"""

import logging
import os
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from agent import actions, audit, flags, inbox, outbox, personal_data
from agent.conf import setting
from agent.db import release, update_returning
from agent.errors import LeaseLost
from agent.models import AgentRun

logger = logging.getLogger(__name__)

State = AgentRun.State

PROCESS = f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
STALE_QUEUE = timedelta(seconds=10)
AT_A_TIME = 500  # runs that one look enqueues again
DEADLINE_GRACE = timedelta(seconds=30)  # past this, a run whose worker still beats is taken from it all the same


@dataclass
class Lease:
    """One claim of one run. Everything that its worker writes is fenced by it."""

    run_id: UUID
    attempt: int
    seconds: int
    owner: str = PROCESS
    is_stopping: bool = False  # as of the last fence: somebody has asked to stop
    is_wanted: bool = True  # as of the last fence: the customer's account is open
    is_switched_on: bool = True  # as of the last fence: the assistant answers at all

    def fence(self, **changes: Any) -> None:
        """Change the run, extend the lease, and prove that it is still ours. Raises LeaseLost.

        The first statement of each of the loop's transactions: what follows it rolls back with it. It also learns
        whether to stop, which stays true until the commit (who asks to stop waits for the row), whether the
        customer's account is open, and whether the assistant is switched on.
        """
        until = timezone.now() + timedelta(seconds=self.seconds)
        mine = {"id": self.run_id, "lease_owner": self.owner, "attempt": self.attempt, "state": State.RUNNING}
        row = update_returning(AgentRun, _learned(), where=mine, **{"lease_until": until, **changes})
        if row is None:
            raise LeaseLost("Another worker has this run now.")
        self.is_stopping, self.is_wanted, self.is_switched_on = row[0] is not None, bool(row[1]), bool(row[2])

    def stop_requested(self) -> bool:
        """Whether somebody asked the run to stop; also true once the lease is lost."""
        mine = AgentRun.objects.filter(
            pk=self.run_id, lease_owner=self.owner, attempt=self.attempt, state=State.RUNNING
        )
        return mine.values_list("stop_requested_at").first() != (None,)


@cache
def _learned() -> str:
    """What a fence learns, in SQL: whether to stop, whether the account is open, whether the assistant is on."""
    user, quote = get_user_model()._meta, connection.ops.quote_name
    own = f"{quote(AgentRun._meta.db_table)}.{quote('user_id')}"
    account_is_open = f"(SELECT is_active FROM {quote(user.db_table)} WHERE id = {own})"  # noqa: S608 - names of ours
    return f"stop_requested_at, {account_is_open}, {flags.agent_is_on_in_sql()}"


def claim(run_id: UUID | str, *, seconds: int | None = None) -> Lease | None:
    """Take a queued or an orphaned run; None where somebody else has it or its conversation is busy.

    `seconds` is for a caller without a heartbeat. The first claim sets the deadline, later ones keep it.
    """
    seconds, now = seconds or setting("LEASE_SECONDS"), timezone.now()
    free = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lt=now) | _overdue(now)
    found = AgentRun.objects.filter(free, pk=run_id)
    run = found.first()
    if run is None or _customer_is_busy(run):
        return None
    lease = Lease(run_id=run.pk, attempt=run.attempt + 1, seconds=seconds)
    try:
        with transaction.atomic():
            # Two claims have found the same attempt: one moves the row, the other finds nothing to move.
            taken = found.filter(attempt=run.attempt).update(
                state=State.RUNNING,
                lease_owner=lease.owner,
                lease_until=now + timedelta(seconds=seconds),
                attempt=lease.attempt,
                started_at=run.started_at or now,
                deadline=run.deadline or now + timedelta(seconds=setting("RUN_SECONDS")),
            )
    except IntegrityError:  # another run of this conversation is at work; it enqueues this one when it ends
        return None
    return lease if taken else None


def _customer_is_busy(run: AgentRun) -> bool:
    """Whether a waiting run has to wait for others of its customer.

    A courtesy to the other customers and no constraint: two claims at the same moment may both pass.
    """
    if run.state != State.QUEUED:
        return False
    return AgentRun.objects.filter(user_id=run.user_id, state=State.RUNNING).count() >= setting("RUNS_AT_ONCE")


def _overdue(now: Any) -> Q:
    return Q(state=State.RUNNING, deadline__lt=now - DEADLINE_GRACE)


@dataclass
class Keeper:
    """One thread a process: extends all its leases in one UPDATE every quarter of a lease, sweeps, lets mail leave."""

    held: set[UUID] = field(default_factory=set)
    thread: threading.Thread | None = None
    stopping: threading.Event = field(default_factory=threading.Event)
    guard: threading.Lock = field(default_factory=threading.Lock)

    def beat(self) -> None:
        """Extend what this process holds."""
        with self.guard:
            held = list(self.held)
        until = timezone.now() + timedelta(seconds=setting("LEASE_SECONDS"))
        if held:
            AgentRun.objects.filter(pk__in=held, lease_owner=PROCESS, state=State.RUNNING).update(lease_until=until)

    def work(self) -> None:
        """Until told to stop: beat and sweep. A database that is away is met again at the next beat."""
        while not self.stopping.wait(setting("LEASE_SECONDS") / 4):
            for duty in (self.beat, *DUTIES):
                try:
                    duty()
                except Exception:
                    logger.exception("the keeper goes on", extra={"duty": duty.__name__})
                finally:
                    release()


keeper = Keeper()


@contextmanager
def held(lease: Lease) -> Iterator[Lease]:
    """Let the keeper extend the lease while the block works."""
    with keeper.guard:
        keeper.held.add(lease.run_id)
    try:
        yield lease
    finally:
        with keeper.guard:
            keeper.held.discard(lease.run_id)


def sweep() -> int:
    """Enqueue again what waits too long and what its worker left, the longest first. Returns how many.

    Safe anywhere, often: whoever moves `enqueued_at` enqueues; the claim decides all the rest. Where the broker does
    not answer it ends at once: each further try would wait for it, and keep this process's leases from their beat.
    """
    now = timezone.now()
    busy = AgentRun.objects.filter(conversation=OuterRef("conversation"), state=State.RUNNING)
    waiting = Q(state=State.QUEUED) & ~Exists(busy)
    orphaned = Q(state=State.RUNNING, lease_until__lt=now) | _overdue(now)
    stale = Q(enqueued_at__isnull=True) | Q(enqueued_at__lt=now - STALE_QUEUE)
    due = AgentRun.objects.filter(waiting | orphaned).filter(stale).order_by(F("enqueued_at").asc(nulls_first=True))
    count = 0
    for run_id in due.values_list("pk", flat=True)[:AT_A_TIME]:
        if AgentRun.objects.filter(stale, pk=run_id, state__in=AgentRun.OPEN).update(enqueued_at=now):
            if not inbox.enqueue(run_id):
                break
            count += 1
    return count


def void_all() -> int:
    """End every lease at once: the embedded start, where no other process can be at work. Returns how many."""
    return AgentRun.objects.filter(state=State.RUNNING).update(lease_until=timezone.now(), enqueued_at=None)


# What every keeper looks after at each beat. Each claims its rows by itself, so any number of processes may.
DUTIES = (
    sweep,
    actions.expire_overdue,
    actions.reconcile_soon,
    outbox.send_soon,
    audit.anchor_soon,
    personal_data.apply_soon,
)


def start_keeper() -> None:
    """Start this process's keeper; a second call changes nothing."""
    if keeper.thread is None or not keeper.thread.is_alive():
        keeper.stopping.clear()
        keeper.thread = threading.Thread(target=keeper.work, name="agent-keeper", daemon=True)
        keeper.thread.start()


def stop_keeper() -> None:
    """Stop it and wait for its last beat, two seconds at most."""
    keeper.stopping.set()
    if keeper.thread is not None:
        keeper.thread.join(timeout=2)
