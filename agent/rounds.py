"""Work beside the keeper: it must not wait, so what takes its time goes one round in a thread and ends."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agent.db import release

logger = logging.getLogger(__name__)


@dataclass
class Round:
    """`is_due` is asked in the keeper's thread, `work` is done in its own. One round at a time in a process."""

    name: str
    is_due: Callable[[], bool]
    work: Callable[[], Any]
    thread: threading.Thread | None = None
    guard: threading.Lock = field(default_factory=threading.Lock)

    def call(self) -> None:
        """Start on what is due, unless the last round is still under way."""
        with self.guard:
            if (self.thread is None or not self.thread.is_alive()) and self.is_due():
                self.thread = threading.Thread(target=self.go, name=f"agent-{self.name}", daemon=True)
                self.thread.start()

    def go(self) -> None:
        """One round. Never raises: the next one begins anew."""
        try:
            self.work()
        except Exception:
            logger.exception("the work waits for its next round", extra={"round": self.name})
        finally:
            release()
