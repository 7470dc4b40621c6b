"""A real worker that dies by SIGKILL at one point of its first run."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from celery.signals import celeryd_after_setup, task_prerun

for_ever = ExitStack()


def arm(*, die_at: int, note: Path) -> None:
    """Count from the start of the task on, in its thread; `note` holds the name of the point when all is over."""

    def count(**_: Any) -> None:
        from agent.providers import provider_named  # the models exist only now
        from tests.kill.points import Points, die_by_signal, watched

        def die() -> None:
            note.write_text(points.passed[-1])
            die_by_signal()

        points = Points(die_at=die_at, die=die)
        for_ever.enter_context(watched(points, provider=provider_named("anthropic")))

    task_prerun.connect(count, weak=False)
    celeryd_after_setup.connect(leave_the_post, weak=False)


def leave_the_post(**_: Any) -> None:
    """Mail is left to others: one that dies while it sends is another test's matter."""
    from agent import outbox

    outbox.AT_A_TIME = 0
