"""What goes by its age: classes of data, each with its days in settings.AGENT["RETENTION"]; None keeps it.

Each batch is a transaction of its own and finds its rows anew: cut off anywhere, the next one goes on. Who is under a
legal hold keeps everything.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from agent import duties
from agent.conf import setting
from agent.models import (
    AgentRun,
    AgentStep,
    Conversation,
    Event,
    LegalHold,
    ModelTurn,
    OutgoingMail,
    PendingAction,
    PersonalToken,
)  # fmt: skip
from agent.personal_data import sign_ins
from agent.rounds import Round

logger = logging.getLogger(__name__)

AT_A_TIME = 200  # rows a batch
NOT_OVER = ("pending", "awaiting_staff", *PendingAction.UNSETTLED)
ROUND_BATCHES = 50  # of each class, in one round of a worker
EVERY = timedelta(hours=1)
IN_CONVERSATIONS = {Conversation: "pk", AgentRun: "runs", Event: "events"}  # how a conversation leads to the rows


@dataclass(frozen=True)
class DataClass:
    """One class: what it holds, which rows are past a moment, and what becomes of them."""

    what: str
    past: Callable[[datetime], QuerySet[Any]]
    remove: Callable[[QuerySet[Any]], None] = lambda rows: rows.delete() and None


def _held() -> QuerySet[Any]:
    return LegalHold.objects.filter(lifted_at=None).values("user_id")


def _idle(before: datetime) -> QuerySet[Conversation]:
    """Conversations that rest since then: nothing is open in them, and nobody has to keep them."""
    at_work = AgentRun.objects.filter(conversation=OuterRef("pk"), state__in=AgentRun.OPEN)
    waiting = PendingAction.objects.filter(run__conversation=OuterRef("pk"), state__in=NOT_OVER)
    rows = Conversation.objects.filter(updated_at__lt=before).exclude(user_id__in=_held())
    return rows.exclude(Exists(at_work)).exclude(Exists(waiting))


def _called(before: datetime) -> QuerySet[AgentRun]:
    """Calls of connected programs that ended before then. What a program asks for is filed in one conversation, which
    never rests while the program is used; nobody goes on in it, so each call has its own age."""
    waiting = PendingAction.objects.filter(run=OuterRef("pk"), state__in=NOT_OVER)
    rows = AgentRun.objects.filter(conversation__channel=Conversation.Channel.MCP, finished_at__lt=before)
    return rows.exclude(user_id__in=_held()).exclude(Exists(waiting))


def _raw(before: datetime) -> QuerySet[AgentRun]:
    """Runs that still hold what was sent to a model, or came back."""
    turns = ModelTurn.objects.filter(run=OuterRef("pk")).exclude(content=[])
    steps = AgentStep.objects.filter(run=OuterRef("pk")).exclude(arguments={}, result="")
    rows = AgentRun.objects.filter(Q(conversation__in=_idle(before)) | Q(pk__in=_called(before)))
    return rows.filter(~Q(prompt="") | ~Q(partial_text="") | Exists(turns) | Exists(steps))


def _empty(runs: QuerySet[AgentRun]) -> None:
    """Prompts, turns, arguments and results go; that there was a run, its state and its cost stay."""
    keys = list(runs.values_list("pk", flat=True))
    ModelTurn.objects.filter(run__in=keys).update(content=[])
    AgentStep.objects.filter(run__in=keys).update(arguments={}, result="")
    AgentRun.objects.filter(pk__in=keys).update(prompt="", partial_text="")


def _shown(before: datetime) -> QuerySet[Event]:
    calls = Q(conversation__channel=Conversation.Channel.MCP, created_at__lt=before)
    return Event.objects.filter(Q(conversation__in=_idle(before)) | (calls & ~Q(conversation__user_id__in=_held())))


def _mails(before: datetime) -> QuerySet[OutgoingMail]:
    gone = OutgoingMail.objects.filter(due_at=None, created_at__lt=before)
    holds = LegalHold.objects.filter(lifted_at=None).select_related("user")
    held = [address for hold in holds for address in sign_ins.addresses(hold.user)]
    return gone.exclude(conversation__user_id__in=_held()).exclude(to__in=held)


def _tokens(before: datetime) -> QuerySet[PersonalToken]:
    over = Q(expires_at__lt=before) | Q(revoked_at__lt=before)
    return PersonalToken.objects.filter(over).exclude(user_id__in=_held())


CLASSES: dict[str, DataClass] = {
    "runs": DataClass("raw prompts, turns of the model, arguments and results of tools", _raw, _empty),
    "events": DataClass("what the page showed", _shown),
    "messages": DataClass("conversations with all that belongs to them", _idle),
    "calls": DataClass("calls of connected programs with all that belongs to them", _called),
    "mails": DataClass("mails that were sent or given up", _mails),
    "tokens": DataClass("tokens that expired or were revoked", _tokens),
    "sessions": DataClass("sign-ins that expired", lambda before: Session.objects.filter(expire_date__lt=before)),
}


def overdue() -> dict[str, int]:
    """How many rows of each class are past their period now; a class that is kept has none."""
    return {name: rows.count() for name, rows in _past()}


def apply(*, batches: int | None = None) -> dict[str, int]:
    """Remove what is past its period, `batches` of each class at most. Returns how many rows. Safe to repeat."""
    return {name: _apply(name, batches) for name, _rows in _past()}


def _past() -> Iterator[tuple[str, QuerySet[Any]]]:
    periods = setting("RETENTION")
    for name, data in CLASSES.items():
        if periods.get(name) is not None:
            yield name, data.past(timezone.now() - timedelta(days=periods[name]))


def _apply(name: str, batches: int | None) -> int:
    count = done = 0
    while batches is None or done < batches:
        with transaction.atomic():
            rows = dict(_past())[name]
            keys = list(rows.order_by("pk").values_list("pk", flat=True)[:AT_A_TIME])
            if not keys:
                break
            _hold_still(rows.model, keys)
            still = list(rows.filter(pk__in=keys).values_list("pk", flat=True))
            CLASSES[name].remove(rows.model._base_manager.filter(pk__in=still))
        count, done = count + len(still), done + 1
    return count


def _hold_still(model: type[Any], keys: list[Any]) -> None:
    """Nobody goes on in the conversations of these rows while they go; in which somebody has, is looked at after it."""
    if path := IN_CONVERSATIONS.get(model):
        rows = Conversation.objects.filter(**{f"{path}__in": keys}).order_by("pk")
        list(rows.select_for_update(of=("self",)).values_list("pk", flat=True))


def _work() -> None:
    removed = {name: count for name, count in apply(batches=ROUND_BATCHES).items() if count}
    if removed:
        logger.info("retention", extra={"removed": removed})


keeping = Round("retention", is_due=lambda: duties.claim("retention", again_in=EVERY), work=_work)


def apply_soon() -> None:
    """The keeper's duty, where the shop has switched it on."""
    if setting("RETENTION_AUTOMATIC"):
        keeping.call()
