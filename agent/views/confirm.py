"""The document: a proposal is read, countersigned or declined, and is its own receipt afterwards."""

from itertools import zip_longest
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from agent import actions, limits, selectors
from agent.actions import Shown
from agent.conf import setting
from agent.errors import BadQuestion, Refusal, SignInAgain
from agent.models import PendingAction
from agent.views import shapes
from agent.views.answers import for_customers, wants_json
from agent.views.reading import is_prefetch, reader
from agent.views.signing_in import signed_in_at, way_to_sign_in_again

State = PendingAction.State
RENEW, EXTEND = "renew", "extend"


@require_http_methods(["GET", "HEAD", "POST"])
@for_customers
def action(request: HttpRequest, pk: UUID) -> HttpResponse:
    """GET shows and never decides; POST decides, once. Expired: 410; other facts than those shown: 409."""
    found = selectors.action_of(request.user, pk)
    if request.method != "POST":
        return _shown(request, found, status=_status_of(found))
    limits.count_decision(request.user)
    decision = request.POST.get("decision", "")
    if decision == RENEW:
        return _renewed(request, found)
    if decision == EXTEND:
        return _extended(request, found)
    if decision not in (actions.CONFIRM, actions.REJECT):
        raise BadQuestion(_("The form must say confirm, reject, extend or renew. Nothing was changed."))
    return _decided(request, found, decision=decision)


def _decided(request: HttpRequest, found: PendingAction, *, decision: str) -> HttpResponse:
    digest = request.POST.get("digest", "")
    at, by = signed_in_at(request), reader(request, found)
    try:
        outcome = actions.decide(found.pk, user=request.user, decision=decision, digest=digest, signed_in_at=at, by=by)
    except SignInAgain as error:
        return _to_sign_in(request, found, sentence=str(error))
    if outcome.before is not None:
        return _shown(
            request, outcome.action, status=409, before=outcome.before, why=_changed_sentence(outcome.other_rules)
        )
    if outcome.decided_now and not wants_json(request):
        return redirect("agent:action", pk=found.pk)
    return _shown(request, outcome.action, status=_status_of(outcome.action))


def _to_sign_in(request: HttpRequest, found: PendingAction, *, sentence: str) -> HttpResponse:
    """To the sign-in and back; a program, and an account that has no means to sign in again, is told so: 403."""
    way = way_to_sign_in_again(request)
    if way and not wants_json(request):
        return redirect(way)
    return _shown(request, found, status=403, problem=sentence)


def _renewed(request: HttpRequest, found: PendingAction) -> HttpResponse:
    try:
        fresh = actions.renew(found, user=request.user, by=reader(request, found))
    except Refusal as refusal:
        return _shown(request, selectors.action_of(request.user, found.pk), status=409, problem=str(refusal))
    if wants_json(request):
        return JsonResponse(shapes.action_shape(fresh))
    return redirect("agent:action", pk=fresh.pk)


def _extended(request: HttpRequest, found: PendingAction) -> HttpResponse:
    """More time, or the page as it stands: two clicks are one."""
    if actions.extend(found, by=reader(request, found)) and not wants_json(request):
        return redirect("agent:action", pk=found.pk)
    current = selectors.action_of(request.user, found.pk)
    return _shown(request, current, status=_status_of(current))


def _status_of(found: PendingAction) -> int:
    return 410 if actions.state_of(found) == State.EXPIRED else 200


def _shown(
    request: HttpRequest,
    found: PendingAction,
    *,
    status: int,
    before: Shown | None = None,
    why: str = "",
    problem: str = "",
) -> HttpResponse:
    if request.method != "HEAD" and not is_prefetch(request):
        actions.note_shown(found, by=reader(request, found))
    is_stale = actions.asks_for_sign_in(found, signed_in_at=signed_in_at(request))
    sign_in = way_to_sign_in_again(request) if is_stale else ""
    if wants_json(request):
        more = {"error": problem or why} if status in (403, 409) else {}
        return JsonResponse({**shapes.action_shape(found), **more, "sign_in_again": sign_in or None}, status=status)
    words = actions.show(found)
    found.state = actions.state_of(found)  # for this page; a GET writes nothing
    context = {
        "action": found,
        "shown": words,
        **_facts(found, words),
        "changed": compared(before, words) if before else None,
        "why": why,
        "problem": problem,
        "is_stale": is_stale,
        "sign_in": sign_in,
        "minutes": setting("CONFIRM_MINUTES"),
        "may_extend": actions.may_extend(found),
        "program": actions.program_of(found),
        "answer_hours": setting("ANSWER_HOURS"),
        "replacement": _replacement(found),
        "is_waiting": found.state in PendingAction.UNSETTLED,
        "page_address": actions.address(found),
    }
    return render(request, "agent/action.html", context, status=status)


def _changed_sentence(other_rules: bool) -> str:
    if other_rules:
        return _(
            "The shop's rules for this changed since it was shown to you, so nothing was done. "
            "Check it and decide again."
        )
    return _(
        "Something changed since this was shown to you, so nothing was done. Check the new facts and decide again."
    )


def _facts(found: PendingAction, words: Shown) -> dict[str, Any]:
    """The lines, each with what is to be said of its source, and what is to be said of arguments without a line."""
    doubts = actions.doubts(found) if found.state == State.PENDING else []
    labels = {label for label, _value in words.lines}
    lines = [
        {"label": label, "value": value, "doubts": [doubt for doubt in doubts if doubt.label == label]}
        for label, value in words.lines
    ]
    return {"lines": lines, "doubts": [doubt for doubt in doubts if doubt.label not in labels]}


def compared(before: Shown, now: Shown) -> list[dict[str, Any]]:
    """The facts side by side; labels that are the same stand in one row, whatever their order."""
    if [label for label, _value in before.lines] == [label for label, _value in now.lines]:
        pairs = [(old[0], old[1], new[1]) for old, new in zip_longest(before.lines, now.lines)]
    else:
        old_values, new_values = dict(before.lines), dict(now.lines)
        labels = list(dict.fromkeys([*old_values, *new_values]))
        pairs = [(label, old_values.get(label, ""), new_values.get(label, "")) for label in labels]
    return [{"label": label, "before": old, "now": new, "changed": old != new} for label, old, new in pairs]


def _replacement(found: PendingAction) -> PendingAction | None:
    """The open proposal that took the place of this one, if there is one."""
    if found.state not in (State.SUPERSEDED, State.EXPIRED):
        return None
    alike = Q(tool=found.tool, arguments=found.arguments)
    if found.subject:
        alike |= Q(subject=found.subject, created_at__gte=found.created_at)
    others = selectors.actions_of(found.user).filter(alike, state=State.PENDING).exclude(pk=found.pk)
    return next((other for other in others[:5] if not actions.is_overdue(other)), None)
