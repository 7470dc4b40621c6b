"""The JSON of the pages: what a program is told of a run and of an action. A promise: keys are added only."""

from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, Sum
from django.urls import reverse

from agent import actions
from agent.events import channel_of
from agent.models import AgentRun, Conversation, Message, PendingAction
from agent.prices import MICRO

USAGE = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


def events_url(conversation: Conversation, *, after: int) -> str:
    """The stream of everything that follows the event with this number."""
    address = reverse("agent:events", args=[conversation.pk])
    return f"{address}?lastEventId={channel_of(conversation.pk)}:{after}"


def started(run: AgentRun, *, after: int) -> dict[str, Any]:
    """What the sender of a message is told at once."""
    return {
        "run": str(run.pk),
        "conversation": str(run.conversation_id),
        "url": reverse("agent:run", args=[run.pk]),
        "events_url": events_url(run.conversation, after=after),
    }


def run_shape(run: AgentRun) -> dict[str, Any]:
    """A run as far as it is: `answer` once it has ended in words, `error` with the same words where it failed."""
    said = "" if run.state in AgentRun.OPEN else _last_words(run)
    return {
        "run": str(run.pk),
        "conversation": str(run.conversation_id),
        "state": run.state,
        "answer": said or None,
        "error": (said or run.error_code) if run.state == AgentRun.State.FAILED else None,
        "error_code": run.error_code or None,
        "reference": run.reference or None,
        "partial": run.partial_text,
        "steps": [_step_shape(step) for step in run.steps.all()],
        "actions": [_proposal_shape(action) for action in run.actions.order_by("created_at")],
        "usage": usage_of(run),
        "last_event": run.conversation.last_event,
    }


def action_shape(action: PendingAction) -> dict[str, Any]:
    """A proposal as its confirmation page shows it."""
    words = actions.show(action)
    return {
        "id": str(action.pk),
        "tool": action.tool,
        "state": actions.state_of(action),
        "title": words.title,
        "sentence": words.sentence,
        "lines": [{"label": label, "value": value} for label, value in words.lines],
        "sources": action.sources,
        "warning": words.warning,
        "digest": action.digest,
        "expires_at": action.expires_at.isoformat(),
        "decided_at": action.decided_at.isoformat() if action.decided_at else None,
        "reference": action.reference,
        "reason": action.reason or None,
        "result": action.result if action.state == PendingAction.State.EXECUTED else None,
        "url": reverse("agent:action", args=[action.pk]),
    }


def usage_of(run: AgentRun) -> dict[str, int | str | None]:
    """Tokens of all turns of the run together, and their cost in US dollars; None where that of a turn is not known."""
    sums = {name: Sum(name, default=0) for name in USAGE}
    unknown = Count("pk", filter=Q(cost_micro__isnull=True))
    totals = run.turns.aggregate(unknown=unknown, spent=Sum("cost_micro", default=0), **sums)
    cost = None if totals["unknown"] else f"{Decimal(totals['spent']) / MICRO:.6f}"
    return {**{name: totals[name] for name in USAGE}, "cost_usd": cost}


def _last_words(run: AgentRun) -> str:
    said = run.messages.filter(author=Message.Author.AGENT).order_by("-id").values_list("text", flat=True)
    return said.first() or ""


def _step_shape(step: Any) -> dict[str, Any]:
    return {
        "seq": step.sequence,
        "call_id": step.call_id,
        "tool": step.tool,
        "arguments": step.arguments,
        "outcome": step.outcome,
        "duration_ms": step.duration_ms,
        "result_size": step.result_size,
    }


def _proposal_shape(action: PendingAction) -> dict[str, Any]:
    full = action_shape(action)
    return {key: full[key] for key in ("id", "tool", "state", "title", "lines", "url", "expires_at")}
