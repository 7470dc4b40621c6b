"""The chat: ask, read, stop, ask for a person. What decides lies below, in `agent.runs` and `agent.handoffs`."""

from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from agent import handoffs, limits, selectors
from agent.errors import BadQuestion
from agent.models import Conversation, Handoff
from agent.runs import start as runs_start
from agent.views import shapes
from agent.views.answers import for_customers, wants_json
from agent.views.correspondence import how_many, page_of


@require_safe
@for_customers
def home(request: HttpRequest) -> HttpResponse:
    """A new conversation; there is no row until something is said."""
    return render(request, "agent/chat.html", page_of(request.user))


@require_safe
@for_customers
def conversation(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The last messages and what is being written; `?messages=100` shows more of them."""
    found = selectors.conversation_of(request.user, pk)
    messages = how_many(request.GET.get("messages", ""))
    context = page_of(request.user, found, messages=messages, run=selectors.open_run_of(found))
    return render(request, "agent/chat.html", context)


@require_safe
@for_customers
def run(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The run's conversation; for a program the run itself."""
    found = selectors.run_of(request.user, pk)
    if wants_json(request):
        return JsonResponse(shapes.run_shape(found))
    return render(request, "agent/chat.html", page_of(request.user, found.conversation, run=found))


@require_POST
@for_customers
def start(request: HttpRequest) -> HttpResponse:
    """Take a message and return at once; the answer comes by the stream, or by loading the run's page."""
    text = request.POST.get("q", "").strip() or request.POST.get("suggestion", "")
    conversation_id = request.POST.get("conversation", "")
    limits.count_start(request.user)
    before = selectors.conversation_of(request.user, conversation_id) if conversation_id else None
    after = before.last_event if before else 0
    try:
        begun = runs_start.ask(request.user, text, conversation=before, language=get_language() or "en")
    except BadQuestion as error:
        return _not_sent(request, before, text=text, problem=str(error))
    if wants_json(request):
        return JsonResponse(shapes.started(begun, after=after), status=202)
    return redirect("agent:run", pk=begun.pk)


def _not_sent(request: HttpRequest, before: Conversation | None, *, text: str, problem: str) -> HttpResponse:
    """The page as it was, with the text still in the field and the reason above it."""
    if wants_json(request):
        return JsonResponse({"error": problem}, status=400)
    context = page_of(request.user, before, draft=text, problem=problem)
    return render(request, "agent/chat.html", context, status=400)


@require_POST
@for_customers
def stop(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Stop the run: nothing new starts after this. Stopping what has ended changes nothing."""
    found = selectors.run_of(request.user, pk)
    runs_start.request_stop(found, by=request.user)
    if wants_json(request):
        found.refresh_from_db()
        return JsonResponse({"run": str(found.pk), "state": found.state})
    return redirect("agent:run", pk=found.pk)


@require_POST
@for_customers
def person(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Give the conversation to a person; asking twice keeps the place in the queue."""
    found = selectors.conversation_of(request.user, pk)
    limits.count_start(request.user)
    return _handed_over(request, found)


@require_POST
@for_customers
def person_new(request: HttpRequest) -> HttpResponse:
    """Ask for a person before anything was said."""
    limits.count_start(request.user)
    with transaction.atomic():
        opened = runs_start.open_conversation(
            request.user, title=_("Request for a person"), language=get_language() or "en"
        )
        return _handed_over(request, opened)


def _handed_over(request: HttpRequest, found: Conversation) -> HttpResponse:
    actor = f"user:{request.user.pk}"
    ticket = handoffs.open_ticket(found, reason=Handoff.Reason.ASKED, actor=actor)
    if wants_json(request):
        return JsonResponse({"conversation": str(found.pk), "ticket": str(ticket)}, status=201)
    return redirect("agent:conversation", pk=found.pk)
