"""The customer's own filed copy: what was looked up, proposed and decided on their behalf."""

import re
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agent import actions, selectors
from agent.models import AgentStep
from agent.runs.dispatch import label
from agent.views import shapes
from agent.views.answers import for_customers
from agent.views.paging import Page, cut, position

PROPOSALS = 20
STEPS = 30
ROW_ID = re.compile(r"[0-9]{1,18}")


@require_safe
@for_customers
def history(request: HttpRequest) -> HttpResponse:
    """The newest proposals, and all lookups page by page."""
    page = steps_page(request.user, position(request))
    context = {
        "actions": [_action_row(action) for action in selectors.actions_of(request.user)[:PROPOSALS]],
        "steps": [{"step": step, "label": label(step.tool, step.arguments)} for step in page.rows],
        "older": page.older,
        "newer": request.GET.get("before") and "newest=1",
    }
    return render(request, "agent/history.html", context)


def steps_page(user: Any, place: tuple[datetime, str] | None) -> Page:
    """Thirty calls from that place on, newest first."""
    rows: QuerySet[AgentStep] = selectors.steps_of(user)
    if place:
        at, pk = place
        older = Q(started_at__lt=at)
        rows = rows.filter(older | Q(started_at=at, id__lt=int(pk)) if ROW_ID.fullmatch(pk) else older)
    return cut(rows, size=STEPS, time_of=lambda step: step.started_at)


def _action_row(action: Any) -> dict[str, Any]:
    words = actions.show(action)
    action.state = shapes.state_of(action)  # for this page; a GET writes nothing
    return {"action": action, "shown": words}
