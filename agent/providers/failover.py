"""Two services as one provider: the second takes over while the first is down.

Nothing runs twice by it. A provider only answers; what was called before stands in the messages with its results,
and the second service is sent those.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from agent.errors import ProviderError, RunStopped
from agent.providers.base import Provider, Request, Turn
from agent.providers.failures import failure

logger = logging.getLogger(__name__)

# What another service may do better; a request that is wrong would be wrong there too.
OUTAGES = {"overloaded", "rate_limited", "unavailable", "connection", "timeout", "truncated"}
# One after the other, by whomever. As many as the run loop tries for one turn: where all fail, the last of them is
# answered by the second service.
FAILURES = 3
WITHIN_SECONDS = 60.0
SPARE_SECONDS = 60.0
# Of the time that is left: a service that stays silent must leave enough for the other.
SHARE = 2 / 3


def spare_of(provider: Provider, error: ProviderError) -> Provider | None:
    """Who may still answer once the last try at `provider` has failed with `error`; None where nobody may."""
    return provider.spare if isinstance(provider, Failover) and is_outage(error) else None


def is_outage(error: ProviderError) -> bool:
    """Whether another service may answer the same request."""
    return error.retryable and error.code in OUTAGES


class Breaker:
    """Spares a service that is down. Safe to use from several threads.

    After `failures` failures in a row within `within` seconds nobody is let through for `spare` seconds. Then one is,
    as a probe: its success lets all through again, its failure spares the service once more.
    """

    def __init__(
        self,
        *,
        failures: int = FAILURES,
        within: float = WITHIN_SECONDS,
        spare: float = SPARE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._within = within
        self._spare = spare
        self._clock = clock
        self._lock = threading.Lock()
        self._failed: deque[float] = deque(maxlen=failures)
        self._spared_until: float | None = None  # None: everybody is let through
        self._probing = False

    def lets_through(self) -> bool:
        """Whether to ask the service. Who is told yes says what came of it: succeeded, failed or abandoned."""
        with self._lock:
            if self._spared_until is None:
                return True
            if self._probing or self._clock() < self._spared_until:
                return False
            self._probing = True
            return True

    def succeeded(self) -> None:
        """It answered, be it that the request was wrong."""
        with self._lock:
            if self._spared_until is not None and not self._probing:
                return  # asked before the service was found to be down
            self._failed.clear()
            self._spared_until, self._probing = None, False

    def failed(self, *, at_once: bool = False) -> bool:
        """It was down; returns whether it is spared now. `at_once` does not wait for more failures."""
        with self._lock:
            now = self._clock()
            self._failed.append(now)
            often = len(self._failed) == self._failed.maxlen and now - self._failed[0] <= self._within
            if at_once or often or self._probing:
                self._spared_until, self._probing = now + self._spare, False
            return self._spared_until is not None

    def abandoned(self) -> None:
        """Nobody waited for what came of it."""
        with self._lock:
            self._probing = False


class Failover:
    """The first provider, and the second, with a model of its own, while the first is down."""

    def __init__(self, first: Provider, second: Provider, *, model: str, breaker: Breaker | None = None) -> None:
        self.name = first.name
        self.spare: Provider = _WithModel(second, model)
        self._first = first
        self._breaker = breaker or Breaker()

    def turn(
        self, request: Request, *, on_text: Callable[[str], None], deadline: float, stopped: Callable[[], bool]
    ) -> Turn:
        """See Provider.turn. A failure of the first goes to the caller, who tries again, until the first is spared."""
        if self._breaker.lets_through():
            listener = _Listener(on_text, stopped, deadline=deadline)
            try:
                return self._ask_first(request, listener, deadline=deadline)
            except ProviderError as error:
                spared = self._judge(error, listener)
                if not spared or listener.heard:  # two beginnings must not stand in one answer
                    raise
                logger.warning("the second model service takes over", extra={"code": error.code})
        return self.spare.turn(request, on_text=on_text, deadline=deadline, stopped=stopped)

    def _ask_first(self, request: Request, listener: "_Listener", *, deadline: float) -> Turn:
        try:
            turn = self._first.turn(request, on_text=listener.hear, deadline=deadline, stopped=listener.leaves)
        except ProviderError:
            raise  # judged by the caller
        except BaseException as error:
            if isinstance(error, RunStopped) and listener.lost_patience:
                raise failure("timeout") from error
            self._breaker.abandoned()
            raise
        self._breaker.succeeded()
        return turn

    def _judge(self, error: ProviderError, listener: "_Listener") -> bool:
        """Tell the breaker; returns whether the first is spared now."""
        slow = error.code == "timeout" and listener.heard
        if slow or not is_outage(error):
            self._breaker.succeeded()
            return False
        # A silence that took most of the run's time leaves none for another try at the same service.
        return self._breaker.failed(at_once=listener.lost_patience)


class _WithModel:
    """A provider that is always asked for one model."""

    def __init__(self, provider: Provider, model: str) -> None:
        self.name = provider.name
        self._provider = provider
        self._model = model

    def turn(
        self, request: Request, *, on_text: Callable[[str], None], deadline: float, stopped: Callable[[], bool]
    ) -> Turn:
        own = replace(request, model=self._model)
        return self._provider.turn(own, on_text=on_text, deadline=deadline, stopped=stopped)


class _Listener:
    """Passes text on until the caller leaves, or until nothing was heard for the first service's share of the time."""

    def __init__(self, on_text: Callable[[str], None], stopped: Callable[[], bool], *, deadline: float) -> None:
        self.heard = False
        self.lost_patience = False
        self._on_text = on_text
        self._stopped = stopped
        now = time.monotonic()
        self._patient_until = now + SHARE * (deadline - now)

    def hear(self, text: str) -> None:
        self.heard = True
        self._on_text(text)

    def leaves(self) -> bool:
        self.lost_patience = not self.heard and time.monotonic() >= self._patient_until
        return self.lost_patience or self._stopped()
