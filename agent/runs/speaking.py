"""One model turn: asked for within the run's time, shown as it comes, asked again where that may help."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from agent import claims, events
from agent.conf import setting
from agent.db import release
from agent.errors import ProviderError, RunStopped
from agent.fields import storable
from agent.models import AgentRun
from agent.providers.base import Provider, Request, Turn
from agent.providers.failover import spare_of
from agent.runs import turns
from agent.runs.budgets import seconds_left
from agent.runs.leases import Lease

Found = TypeVar("Found")

LOOK_SECONDS = 0.5  # how often the row is asked whether to stop, and the partial text saved
PLAIN = re.compile(r"[a-zA-Z0-9_-]{1,128}")
FIRST_BACKOFF = 0.5
MOST_BACKOFF = 8.0
REDRAWS = 100  # how often the text of one try may be begun anew for the browser


def ask_model(run: AgentRun, lease: Lease, provider: Provider, *, messages: list[dict[str, Any]], turn: int) -> Turn:
    """The model's next turn. Raises ProviderError once trying again is no use, RunStopped, LeaseLost.

    When the first provider has been tried enough, its spare is asked once; no tool is run again for it.
    """
    request = _request(run, messages)
    deadline = time.monotonic() + seconds_left(run)
    attempt = 0
    while True:
        attempt += 1
        draft = Draft(run, lease, turn=turn, attempt=(lease.attempt * 100 + attempt) * REDRAWS, heard=_filter(run))
        release()  # nothing is held while the model thinks; on SQLite the connection stays
        try:
            answer = provider.turn(request, on_text=draft.add, deadline=deadline, stopped=draft.stopped)
            return turns.bounded(_checked(answer, messages))
        except RunStopped as stop:
            stop.said = draft.text
            raise
        except ProviderError as error:
            error.said = draft.text
            provider, wait = _next_try(provider, error, attempt=attempt, deadline=deadline)
        _sleep(wait, draft)


def judged(run: AgentRun, text: str) -> claims.Verdict:
    """What the customer is shown of a turn's text. Asks the database where something is claimed, and only there."""
    return _judge(run).whole(text)


def _judge(run: AgentRun) -> claims.Judge:
    return claims.Judge(lambda: _released(claims.facts_for, run))


def _filter(run: AgentRun) -> claims.Filter:
    """While a proposal is open, text in a language without lexicon is shown whole, at its end."""
    return claims.Filter(_judge(run), is_careful=lambda: _released(claims.is_waiting, run))


def _released(ask: Callable[[AgentRun], Found], run: AgentRun) -> Found:
    """The answer of the rows; no connection is held while the model goes on."""
    try:
        return ask(run)
    finally:
        release()


def _request(run: AgentRun, messages: list[dict[str, Any]]) -> Request:
    conversation = run.conversation
    return Request(
        model=conversation.model,
        system=conversation.system_prompt,
        tools=conversation.tools,
        messages=messages,
        max_tokens=setting("MAX_TOKENS"),
    )


def _next_try(provider: Provider, error: ProviderError, *, attempt: int, deadline: float) -> tuple[Provider, float]:
    """Whom to ask next, and after how many seconds. Raises the error where nobody is left."""
    wait = _backoff(error, attempt=attempt, deadline=deadline)
    if wait is not None:
        return provider, wait
    spare = spare_of(provider, error)
    if spare is None:
        raise error
    return spare, 0.0


def _checked(turn: Turn, messages: list[dict[str, Any]]) -> Turn:
    """Call ids are once in a conversation, and plain: the API takes no other history back.

    A name that no tool can have is an unknown tool: the call is answered so, like any other.
    """
    used = [block["id"] for message in messages for block in message["content"] if block.get("type") == "tool_use"]
    calls = [block for block in turn.content if block.get("type") == "tool_use"]
    ids = [block.get("id") for block in calls]
    are_plain = all(PLAIN.fullmatch(str(block.get("id"))) for block in calls)
    if len({*used, *ids}) != len(used) + len(ids) or not are_plain:
        raise ProviderError("The model used a call id twice, or one that is none.", code="bad_turn", retryable=True)
    return turn


def _backoff(error: ProviderError, *, attempt: int, deadline: float) -> float | None:
    """Seconds to wait before the next try, or None where there is none: final, tried enough, or out of time."""
    wait = min(error.retry_after or FIRST_BACKOFF * 2 ** (attempt - 1), MOST_BACKOFF)
    in_time = time.monotonic() + wait < deadline
    return wait if error.retryable and attempt < setting("MAX_TRIES") and in_time else None


def _sleep(seconds: float, draft: "Draft") -> None:
    """Wait before the next try. Raises RunStopped where somebody asked to stop, be it in the last moment."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if draft.stopped():
            raise RunStopped("Stopped.")
        time.sleep(min(left, LOOK_SECONDS))
    if draft.lease.stop_requested():
        raise RunStopped("Stopped.")


@dataclass
class Draft:
    """The text of a turn while it comes: pushed word by word, saved at most twice a second.

    The saved text fills the gap of a browser that comes late; the pushed pieces carry their offset, so that one
    that comes twice is seen to.
    """

    run: AgentRun
    lease: Lease
    turn: int
    attempt: int  # grows with each try and each redrawing, so that the browser starts the text anew
    heard: claims.Filter
    text: str = ""  # as it is shown: without claims that nothing backs
    saved: str = ""
    taken: int = 0  # characters
    stop: bool = False
    looked_at: float = field(default_factory=time.monotonic)

    def add(self, piece: str) -> None:
        """Show one more piece, as far as it may be shown yet. What is far too long is shown as far as it is kept."""
        piece = piece[: max(0, turns.most_text() - self.taken)]
        self.taken += len(piece)
        self.heard.add(storable(piece))
        self._push()
        self._look()

    def stopped(self) -> bool:
        """Whether somebody asked to stop. Once true, always true."""
        self.heard.look()
        self._push()
        self._look()
        return self.stop

    def _push(self) -> None:
        """What is new; the whole where words were taken back."""
        if self.heard.shown == self.text:
            return
        if not self.heard.shown.startswith(self.text):
            self.text, self.attempt = "", self.attempt + 1
        place = {"attempt": self.attempt, "turn": self.turn, "offset": len(self.text)}
        events.publish_delta(self.run, text=self.heard.shown[len(self.text) :], **place)
        self.text = self.heard.shown

    def _look(self) -> None:
        """At most twice a second: save what is new, and ask the row whether to stop."""
        if time.monotonic() - self.looked_at < LOOK_SECONDS:
            return
        self.looked_at = time.monotonic()
        if self.text != self.saved:
            self.lease.fence(partial_text=self.text, partial_attempt=self.attempt)
            self.saved = self.text
        self.stop = self.stop or self.lease.stop_requested()
        release()
