"""One model turn: asked for within the run's time, shown as it comes, asked again where that may help."""

import time
from dataclasses import dataclass, field
from typing import Any

from django.db import close_old_connections
from django.utils import timezone

from agent import live
from agent.conf import setting
from agent.errors import ProviderError, RunStopped
from agent.models import AgentRun
from agent.providers.base import Provider, Request, Turn
from agent.runs.leases import Lease

LOOK_SECONDS = 0.5  # how often the row is asked whether to stop, and the partial text saved
FIRST_BACKOFF = 0.5
MOST_BACKOFF = 8.0


def ask_model(run: AgentRun, lease: Lease, provider: Provider, *, messages: list[dict[str, Any]], turn: int) -> Turn:
    """The model's next turn. Raises ProviderError once trying again is no use, RunStopped, LeaseLost."""
    conversation = run.conversation
    request = Request(
        model=conversation.model,
        system=conversation.system_prompt,
        tools=conversation.tools,
        messages=messages,
        max_tokens=setting("MAX_TOKENS"),
    )
    deadline = time.monotonic() + seconds_left(run)
    for attempt in range(1, setting("MAX_TRIES") + 1):
        draft = Draft(run, lease, turn=turn, attempt=lease.attempt * 100 + attempt)
        close_old_connections()  # nothing is held while the model thinks; on SQLite the connection stays
        try:
            return provider.turn(request, on_text=draft.add, deadline=deadline, stopped=draft.stopped)
        except ProviderError as error:
            wait = _backoff(error, attempt=attempt, deadline=deadline)
            if wait is None:
                raise
            _sleep(wait, draft)
    raise AssertionError("unreachable: the last try raises")


def seconds_left(run: AgentRun) -> float:
    """Until the run's deadline; negative once it is past."""
    return (run.deadline - timezone.now()).total_seconds() if run.deadline else float(setting("RUN_SECONDS"))


def _backoff(error: ProviderError, *, attempt: int, deadline: float) -> float | None:
    """Seconds to wait before the next try, or None where there is none: final, tried enough, or out of time."""
    wait = min(error.retry_after or FIRST_BACKOFF * 2 ** (attempt - 1), MOST_BACKOFF)
    in_time = time.monotonic() + wait < deadline
    return wait if error.retryable and attempt < setting("MAX_TRIES") and in_time else None


def _sleep(seconds: float, draft: "Draft") -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if draft.stopped():
            raise RunStopped("Stopped.")
        time.sleep(min(left, LOOK_SECONDS))


@dataclass
class Draft:
    """The text of a turn while it comes: pushed word by word, saved at most twice a second.

    The saved text fills the gap of a browser that comes late; the pushed pieces carry their offset, so that one
    that comes twice is seen to.
    """

    run: AgentRun
    lease: Lease
    turn: int
    attempt: int
    text: str = ""
    looked_at: float = field(default_factory=time.monotonic)
    stop: bool = False

    def add(self, piece: str) -> None:
        """Show one more piece."""
        live.publish_delta(
            self.run, attempt=self.attempt, turn=self.turn, offset=len(self.text), text=piece,
        )  # fmt: skip
        self.text += piece
        if time.monotonic() - self.looked_at >= LOOK_SECONDS:
            self.looked_at = time.monotonic()
            self.lease.fence(partial_text=self.text)
            close_old_connections()

    def stopped(self) -> bool:
        """Whether somebody asked to stop. Asks the row at most twice a second; once true, always true."""
        if not self.stop and time.monotonic() - self.looked_at >= LOOK_SECONDS:
            self.looked_at = time.monotonic()
            self.stop = self.lease.stop_requested()
            close_old_connections()
        return self.stop
