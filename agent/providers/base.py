"""What a model provider takes and gives, in the shapes of the Messages API."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from agent.errors import RunStopped
from agent.providers.failures import failure

# `stopped` may ask the database: often enough to feel immediate, seldom enough to cost nothing.
STOP_LOOK_SECONDS = 0.5


@dataclass(frozen=True)
class Request:
    """One call of the model: everything it is told. Sent as it stands; nothing in it is changed."""

    model: str
    system: str
    tools: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    max_tokens: int


@dataclass(frozen=True)
class Usage:
    """Tokens as billed. The whole input is the sum of the first three."""

    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True)
class Turn:
    """What the model answered.

    `content` is sent back as it is: the blocks as they were received, save for blank text, which no API takes back.
    Calls may be run where `stop_reason` is "tool_use", and nowhere else: after "max_tokens" a call may be cut (its
    input is then {}), after "refusal" it is not meant.
    """

    content: list[dict[str, Any]]
    stop_reason: str
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    request_id: str = ""
    first_token_ms: int | None = None
    duration_ms: int = 0


class Provider(Protocol):
    """A model service. Safe to use from several threads at once."""

    name: str

    def turn(
        self, request: Request, *, on_text: Callable[[str], None], deadline: float, stopped: Callable[[], bool]
    ) -> Turn:
        """Ask once, without trying again; text goes to `on_text` as it comes.

        `deadline` is on the clock of time.monotonic(). `on_text` and `stopped` are called in the caller's thread.
        Raises ProviderError (code "timeout" at the deadline) or, soon after `stopped()` turned true, RunStopped.
        """


class Watch:
    """The two reasons to leave an answer before its end: the time is up, or somebody asked to stop."""

    def __init__(self, *, deadline: float, stopped: Callable[[], bool]) -> None:
        self._deadline = deadline
        self._stopped = stopped
        self._next_look = 0.0

    def left(self) -> float:
        """Seconds until the deadline, at least 0."""
        return max(0.0, self._deadline - time.monotonic())

    def check(self) -> None:
        """Raise where there is a reason to leave. Cheap: `stopped` is asked twice a second at most."""
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + STOP_LOOK_SECONDS
            if self._stopped():
                raise RunStopped("The answer was stopped.")
        if now >= self._deadline:
            raise failure("timeout")

    def pause(self) -> float:
        """How long one may wait before the next check, in seconds."""
        return max(0.0, min(self._next_look, self._deadline) - time.monotonic())
