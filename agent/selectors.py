"""The only road from an id to a row of the agent's. Each takes the customer, or says that it is for staff."""

import uuid
from typing import Any, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Count, Model, Q, QuerySet

from agent.errors import NotFound
from agent.models import AgentRun, AgentStep, Conversation, PendingAction

Row = TypeVar("Row", bound=Model)


def conversation_of(user: Any, pk: Any) -> Conversation:
    """Raises NotFound, the same for a stranger's and for none."""
    return _one(Conversation.objects.filter(user_id=user.pk), pk)


def run_of(user: Any, pk: Any) -> AgentRun:
    """Raises NotFound, the same for a stranger's and for none."""
    return _one(AgentRun.objects.filter(user_id=user.pk).select_related("conversation", "user"), pk)


def action_of(user: Any, pk: Any) -> PendingAction:
    """Raises NotFound, the same for a stranger's and for none."""
    return _one(PendingAction.objects.filter(user_id=user.pk).select_related("run__conversation", "user"), pk)


def conversations_of(user: Any) -> QuerySet[Conversation]:
    """The customer's conversations, newest first."""
    return Conversation.objects.filter(user_id=user.pk)


def steps_of(user: Any) -> QuerySet[AgentStep]:
    """Every call that was made on the customer's behalf, newest first."""
    return AgentStep.objects.filter(run__user_id=user.pk).select_related("run").order_by("-started_at", "-id")


def actions_of(user: Any) -> QuerySet[PendingAction]:
    """Everything that was proposed to the customer, newest first."""
    return PendingAction.objects.filter(user_id=user.pk).select_related("run").order_by("-created_at")


def actions_awaiting_staff() -> QuerySet[PendingAction]:
    """What customers confirmed above an amount, oldest first. The caller has checked `agent.cosign_action`."""
    rows = PendingAction.objects.filter(state=PendingAction.State.AWAITING_STAFF)
    return rows.select_related("run__conversation", "user").order_by("decided_at")


def action_for_staff(pk: Any) -> PendingAction:
    """One that waits, or waited, for a second signature. The caller has checked the permission. Raises NotFound."""
    waited = Q(state=PendingAction.State.AWAITING_STAFF) | Q(cosigned_at__isnull=False)
    rows = PendingAction.objects.filter(waited).select_related("run__conversation", "user", "cosigned_by")
    return _one(rows, pk)


def open_run_of(conversation: Conversation) -> AgentRun | None:
    """The run that is at work in the conversation, or waits to be."""
    return conversation.runs.filter(state__in=AgentRun.OPEN).order_by("number").first()


def runs_for_staff() -> QuerySet[AgentRun]:
    """Every customer's runs with their counts, newest first. The caller has checked `agent.view_agentrun`."""
    failed = ~Q(steps__outcome__in=["started", "ok", "proposed"])
    return (
        AgentRun.objects.select_related("user", "conversation")
        .annotate(
            turn_count=Count("turns", distinct=True),
            step_count=Count("steps", distinct=True),
            failed_step_count=Count("steps", filter=failed & Q(steps__isnull=False), distinct=True),
        )
        .order_by("-created_at", "id")
    )


def run_for_staff(pk: Any) -> AgentRun:
    """One run with everything that happened in it. The caller has checked `agent.view_agentrun`. Raises NotFound."""
    rows = AgentRun.objects.select_related("user", "conversation").prefetch_related(
        "turns__steps__action", "messages", "actions"
    )
    return _one(rows, pk)


def _one(rows: QuerySet[Row], pk: Any) -> Row:
    try:
        return rows.get(pk=uuid.UUID(str(pk)))
    except (ValueError, ObjectDoesNotExist):
        raise NotFound("There is nothing here for this account.") from None
