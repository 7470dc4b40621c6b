"""The only road from an id to a row of the agent's. Each takes the customer, or says that it is for staff."""

import uuid
from typing import Any, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Count, Model, Q, QuerySet
from django.utils import timezone

from agent.errors import NotFound
from agent.models import AgentRun, AgentStep, Conversation, Handoff, PendingAction, PersonalToken

Row = TypeVar("Row", bound=Model)


def conversation_of(user: Any, pk: Any) -> Conversation:
    """A conversation in the chat. Raises NotFound, the same for a stranger's and for none."""
    return _one(conversations_of(user), pk)


def run_of(user: Any, pk: Any) -> AgentRun:
    """Raises NotFound, the same for a stranger's and for none."""
    return _one(AgentRun.objects.filter(user_id=user.pk).select_related("conversation", "user"), pk)


def action_of(user: Any, pk: Any) -> PendingAction:
    """Raises NotFound, the same for a stranger's and for none."""
    return _one(PendingAction.objects.filter(user_id=user.pk).select_related("run__conversation", "user"), pk)


def conversations_of(user: Any) -> QuerySet[Conversation]:
    """The customer's conversations in the chat, newest first."""
    return Conversation.objects.filter(user_id=user.pk, channel=Conversation.Channel.CHAT)


def titles_of(user: Any) -> QuerySet[Conversation]:
    """The same for a list of them: without the prompt and the tools that each is bound to."""
    return conversations_of(user).only("title", "updated_at")


def steps_of(user: Any) -> QuerySet[AgentStep]:
    """Every call that was made on the customer's behalf, newest first, without what came of it.

    Nor what a model was sent: a thousand calls would bring a thousand copies of a conversation's whole prompt.
    """
    rows = AgentStep.objects.filter(run__user_id=user.pk).select_related("run__conversation")
    heavy = ("result", "run__prompt", "run__conversation__system_prompt", "run__conversation__tools")
    return rows.defer(*heavy).order_by("-started_at", "-id")


def actions_of(user: Any) -> QuerySet[PendingAction]:
    """Everything that was proposed to the customer, newest first."""
    return PendingAction.objects.filter(user_id=user.pk).select_related("run").order_by("-created_at")


def tokens_of(user: Any) -> QuerySet[PersonalToken]:
    """The customer's tokens but for the revoked ones, newest first."""
    return PersonalToken.objects.filter(user_id=user.pk, revoked_at=None)


def open_tickets_of(user: Any) -> QuerySet[Handoff]:
    """The customer's tickets that wait for a person, newest first."""
    return Handoff.objects.filter(conversation__user_id=user.pk, state=Handoff.State.OPEN).order_by("-opened_at", "-pk")


def open_actions_of(user: Any) -> QuerySet[PendingAction]:
    """What waits for this customer's decision, or after it for staff, newest first."""
    return actions_of(user).filter(_still_open())


def closed_actions_of(user: Any) -> QuerySet[PendingAction]:
    """What was decided or ended, newest first."""
    return actions_of(user).exclude(_still_open())


def _still_open() -> Q:
    waits = Q(state=PendingAction.State.PENDING, expires_at__gt=timezone.now())
    return waits | Q(state=PendingAction.State.AWAITING_STAFF)


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
        "turns__steps__action", "steps", "messages", "actions"
    )
    return _one(rows, pk)


def _one(rows: QuerySet[Row], pk: Any) -> Row:
    try:
        return rows.get(pk=uuid.UUID(str(pk)))
    except (ValueError, ObjectDoesNotExist):
        raise NotFound("There is nothing here for this account.") from None
