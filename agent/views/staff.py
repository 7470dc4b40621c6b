"""The review: every run with every turn and call, read-only, for staff who hold the permission."""

import json
import logging
import uuid
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from agent import actions, claims, selectors
from agent.models import AgentRun, AgentStep, ModelTurn
from agent.views import shapes
from agent.views.answers import for_reviewers
from agent.views.paging import cut, position

logger = logging.getLogger(__name__)

RUNS = 50
EVENTS = 500


class RunFilter(forms.Form):
    """What to show; empty means everything."""

    state = forms.ChoiceField(label=gettext_lazy("State"), required=False)
    outcome = forms.ChoiceField(label=gettext_lazy("A call that was"), required=False)
    customer = forms.CharField(label=gettext_lazy("Customer"), required=False, max_length=80)
    since = forms.DateField(label=gettext_lazy("From"), required=False, widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label=gettext_lazy("To"), required=False, widget=forms.DateInput({"type": "date"}))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        anything = [("", _("any"))]
        self.fields["state"].choices = anything + AgentRun.State.choices  # type: ignore[attr-defined]
        self.fields["outcome"].choices = anything + AgentStep.Outcome.choices  # type: ignore[attr-defined]
        for name in ("since", "until"):
            self.fields[name].widget.format = "%Y-%m-%d"  # what a date input understands in every language

    def apply(self, rows: QuerySet[AgentRun]) -> QuerySet[AgentRun]:
        """Only the runs that fit."""
        want = self.cleaned_data
        if want.get("state"):
            rows = rows.filter(state=want["state"])
        if want.get("outcome"):
            rows = rows.filter(Exists(AgentStep.objects.filter(run=OuterRef("pk"), outcome=want["outcome"])))
        if want.get("customer"):
            rows = rows.filter(_named(want["customer"]))
        if want.get("since"):
            rows = rows.filter(created_at__date__gte=want["since"])
        if want.get("until"):
            rows = rows.filter(created_at__date__lte=want["until"])
        return rows

    def sentence(self) -> str:
        """The filter as it would be said."""
        want = self.cleaned_data
        parts = []
        if want.get("state"):
            parts.append(_("that are “%s”") % dict(AgentRun.State.choices)[want["state"]])
        if want.get("outcome"):
            parts.append(_("with a call that was “%s”") % dict(AgentStep.Outcome.choices)[want["outcome"]])
        if want.get("customer"):
            parts.append(_("of customers named “%s”") % want["customer"])
        if want.get("since"):
            parts.append(_("since %s") % date_format(want["since"]))
        if want.get("until"):
            parts.append(_("until %s") % date_format(want["until"]))
        return _("Runs %s, newest first.") % ", ".join(parts) if parts else _("All runs, newest first.")


def _named(text: str) -> Q:
    text = text.replace("\x00", "")
    names = ("username", "first_name", "last_name", "email")
    fits = Q()
    for name in names:
        fits |= Q(**{f"user__{name}__icontains": text})
    return fits


@require_safe
@for_reviewers
def runs(request: HttpRequest) -> HttpResponse:
    """The newest runs that fit the filter; the whole state of the page is in its address."""
    wanted = RunFilter(request.GET)
    wanted.is_valid()  # a field that makes no sense says so beside itself and filters nothing
    rows = _older_than(wanted.apply(claims.flagged(selectors.runs_for_staff())), position(request))
    filters = {name: request.GET[name] for name in wanted.fields if request.GET.get(name)}
    page = cut(rows, size=RUNS, time_of=lambda run: run.created_at, **filters)
    for run in page.rows:
        run.took_ms = milliseconds_between(run.started_at, run.finished_at)
    context = {"filter_form": wanted, "sentence": wanted.sentence(), "runs": page.rows, "older": page.older}
    if request.GET.get("before"):
        context["newer"] = "&".join(f"{name}={value}" for name, value in filters.items()) or "newest=1"
    return render(request, "staff/runs.html", context)


def _older_than(rows: QuerySet[AgentRun], place: tuple[datetime, str] | None) -> QuerySet[AgentRun]:
    """The order is newest first, then by id upwards."""
    if place is None:
        return rows
    at, pk = place
    try:
        return rows.filter(Q(created_at__lt=at) | Q(created_at=at, id__gt=uuid.UUID(pk)))
    except ValueError:
        return rows.filter(created_at__lt=at)


@require_safe
@for_reviewers
def run(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One run: what was said, what the model answered, each call with arguments and result, what was proposed."""
    found = selectors.run_for_staff(pk)
    logger.info("staff looked at a row", extra={"looked_at": f"run:{found.pk}", "reviewer": request.user.pk})
    turns = list(found.turns.all())
    context = {
        "run": found,
        "turns": [_turn(turn) for turn in turns],
        "direct_calls": [_call(step) for step in found.steps.all() if step.turn_id is None],
        "messages_said": found.messages.all(),
        "is_flagged": any(claims.is_note(said.text) for said in found.messages.all() if said.author == "system"),
        "actions": [_proposal(action) for action in found.actions.all()],
        "events": _events(found),
        "figures": _figures(found, turns),
    }
    return render(request, "staff/run.html", context)


def _figures(found: AgentRun, turns: list[ModelTurn]) -> dict[str, Any]:
    return {
        "duration_ms": milliseconds_between(found.started_at, found.finished_at),
        "waited_ms": milliseconds_between(found.created_at, found.started_at),
        "turns": len(turns),
        "steps": len(found.steps.all()),
        **shapes.usage_of(found),
    }


def _turn(turn: ModelTurn) -> dict[str, Any]:
    content = turn.content if isinstance(turn.content, list) else []
    texts = [str(block.get("text", "")) for block in content if isinstance(block, dict) and block.get("type") == "text"]
    return {
        "row": turn,
        "number": turn.index + 1,
        "texts": [text for text in texts if text.strip()],
        "calls": [_call(step) for step in turn.steps.all()],
    }


def _call(step: AgentStep) -> dict[str, Any]:
    return {"step": step, "arguments": _pretty(step.arguments), "result": _pretty_text(step.result)}


def _proposal(action: Any) -> dict[str, Any]:
    return {
        "action": action,
        "shown": actions.show(action),
        "facts": _pretty(action.facts),
        "result": _pretty(action.result) if action.result is not None else "",
    }


def _events(found: AgentRun) -> list[dict[str, Any]]:
    """The events of the run's conversation while it was at work, and the decisions about its proposals."""
    proposals = [str(action.pk) for action in found.actions.all()]
    mine = Q(data__run=str(found.pk)) | Q(kind="action", data__action__in=proposals)
    return [
        {"seq": event.seq, "kind": event.kind, "at": event.created_at, "words": _short(event.data)}
        for event in found.conversation.events.filter(mine).order_by("seq")[:EVENTS]
    ]


def milliseconds_between(start: datetime | None, end: datetime | None) -> int | None:
    """How long it took; None while it has not begun or not ended."""
    return int((end - start).total_seconds() * 1000) if start and end else None


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:200]


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def _pretty_text(text: str) -> str:
    """JSON text in lines; anything else as it is."""
    try:
        return _pretty(json.loads(text))
    except ValueError:
        return text
