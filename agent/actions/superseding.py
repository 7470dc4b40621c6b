"""What leaves when a newer proposal comes: few are open at a time, and never two ways of the same."""

from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agent.actions.showing import is_overdue
from agent.actions.telling import show_in_chat
from agent.actions.witnessing import HOST
from agent.conf import setting
from agent.db import queue_for
from agent.errors import Refusal
from agent.models import AgentRun, PendingAction
from agent.tools import Tool

State = PendingAction.State


def make_room(user_id: Any, *, run: AgentRun | None, tool: Tool, subject: str) -> None:
    """Before a row is made: close what it replaces. Raises Refusal where too many are open all the same.

    What one answer proposes of one order by different tools stays side by side: the customer asked for both.
    Two runs of one customer propose one after the other here, so that the count stays true.
    A confirmation at the same moment wins or finds the row closed: it moves the same row by the same condition.
    """
    queue_for(f"proposals of {user_id}")
    mine = PendingAction.objects.filter(user_id=user_id, state=State.PENDING)
    for older in mine.filter(subject=subject).exclude(subject="").select_related("run"):
        if run is None or older.run_id != run.pk or older.tool == tool.name:
            close(older)
    if mine.filter(expires_at__gt=timezone.now()).count() >= setting("MAX_OPEN_ACTIONS"):
        raise Refusal(
            _("%(count)s proposals wait for your decision already. Confirm or decline one of them first.")
            % {"count": setting("MAX_OPEN_ACTIONS")}
        )


def close(action: PendingAction) -> None:
    """Open no more, as a newer one stands in its place; its card follows after the commit."""
    state = State.EXPIRED if is_overdue(action) else State.SUPERSEDED
    if PendingAction.objects.filter(pk=action.pk, state=State.PENDING).update(state=state):
        action.state = state
        # Its card changes after the commit: the order of locks is actions first, conversations last.
        transaction.on_commit(partial(_show_closed, action), robust=True)


@transaction.atomic
def _show_closed(action: PendingAction) -> None:
    show_in_chat(action, kind=f"action.{action.state}", by=HOST)
