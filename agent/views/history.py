"""The customer's own filed copy: what was looked up, proposed and decided on their behalf."""

import re
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from agent import actions, selectors
from agent.models import AgentStep
from agent.runs.calls import label
from agent.tools import registry
from agent.views import shapes
from agent.views.answers import for_customers, wants_json
from agent.views.paging import Page, cut, position

PROPOSALS = 20
STEPS = 30
COPIED = 5000
ROW_ID = re.compile(r"[0-9]{1,18}")


@require_safe
@for_customers
def history(request: HttpRequest) -> HttpResponse:
    """What waits, what was decided last, and all lookups page by page; as JSON the whole, as in the download."""
    if wants_json(request):
        return JsonResponse(own_copy(request.user))
    page = steps_page(request.user, position(request))
    context = {
        "waiting": [_action_row(action) for action in selectors.open_actions_of(request.user)],
        "actions": [_action_row(action) for action in selectors.closed_actions_of(request.user)[:PROPOSALS]],
        "steps": [{"step": step, "label": label(step.tool, step.arguments)} for step in page.rows],
        "older": page.older,
        "newer": request.GET.get("before") and "newest=1",
    }
    return render(request, "agent/history.html", context)


@require_safe
@for_customers
def download(request: HttpRequest) -> HttpResponse:
    """The same as a file to keep."""
    answer = JsonResponse(own_copy(request.user), json_dumps_params={"indent": 1, "ensure_ascii": False})
    answer["Content-Disposition"] = f'attachment; filename="history-{timezone.localdate():%Y-%m-%d}.json"'
    return answer


def own_copy(user: Any) -> dict[str, Any]:
    """Everything that was looked up, proposed and decided for this customer, newest first; the newest thousands."""
    return {
        "account": user.get_username(),
        "made_at": timezone.now().isoformat(),
        "proposals": [
            {**shapes.action_shape(action), "created_at": action.created_at.isoformat()}
            for action in selectors.actions_of(user)[:COPIED]
        ],
        "calls": [_call(step) for step in selectors.steps_of(user)[:COPIED]],
    }


def _call(step: AgentStep) -> dict[str, Any]:
    tool = registry.all_tools().get(step.tool)
    return {
        "at": step.started_at.isoformat(),
        "what": label(step.tool, step.arguments),
        "tool": step.tool,
        "kind": "change" if tool is not None and tool.writes else "read",
        "arguments": step.arguments,
        "outcome": step.outcome,
        "conversation": str(step.run.conversation_id),
    }


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
    action.state = actions.state_of(action)  # for this page; a GET writes nothing
    return {"action": action, "shown": words}
