"""The queue of what waits for a second signature, and the page on which staff give or refuse it."""

import logging
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from agent import actions, limits, policies, selectors
from agent.errors import BadQuestion, NotFound
from agent.views.answers import for_cosigners

logger = logging.getLogger(__name__)

AT_ONCE = 100


@require_safe
@for_cosigners
def queue(request: HttpRequest) -> HttpResponse:
    """What waits, oldest first; a member of staff's own orders are somebody else's to approve."""
    waiting = selectors.actions_awaiting_staff().exclude(user_id=request.user.pk or 0)[:AT_ONCE]
    rows = [{"action": action, "shown": actions.show(action)} for action in waiting]
    return render(request, "staff/actions.html", {"rows": rows})


@require_http_methods(["GET", "HEAD", "POST"])
@for_cosigners
def action(request: HttpRequest, pk: UUID) -> HttpResponse:
    """GET shows what the customer confirmed; POST approves or declines it, once, with the digest that was shown."""
    found = selectors.action_for_staff(pk)
    if not policies.may_cosign(request.user, customer_id=found.user_id):
        raise NotFound(_("There is nothing here for this account."))
    if request.method == "POST":
        limits.count_decision(request.user)
        decision = request.POST.get("decision", "")
        if decision not in (actions.CONFIRM, actions.REJECT):
            raise BadQuestion(_("The form must say confirm or reject. Nothing was changed."))
        actions.cosign(found.pk, by=request.user, decision=decision, digest=request.POST.get("digest", ""))
        return redirect("staff:action", pk=found.pk)
    logger.info("staff looked at a row", extra={"looked_at": f"action:{pk}", "reviewer": request.user.pk})
    context = {
        "action": found,
        "shown": actions.show(found),
        "program": actions.program_of(found),
        "traces": found.traces.all(),
        "may_review": policies.may_review(request.user),
    }
    return render(request, "staff/action.html", context)
