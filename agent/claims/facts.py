"""What backs a claim: executed actions of the customer, and what tools of this conversation read in the shop's records.

Text from outside, inside its fence, is no record and backs nothing.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from agent import actions
from agent.claims.finding import amounts_in, ids_in, kinds_in, told_in
from agent.claims.reading import read
from agent.claims.sentences import split
from agent.claims.words import NOTE
from agent.models import AgentRun, AgentStep, Message, PendingAction

MOST_ACTIONS = 50
MOST_STEPS = 100

State = PendingAction.State

_FENCED = re.compile(r"<untrusted_content\b.*?(?:</untrusted_content[^>]*>|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Fact:
    """One thing that was done. `is_here`: in this conversation, so that a claim without a number may mean it."""

    kinds: frozenset[str]
    ids: frozenset[str]
    amounts: frozenset[Decimal]
    is_here: bool = True
    is_settled: bool = True


@dataclass(frozen=True)
class Facts:
    """All that can back a claim now; `waiting` are the kinds of the proposals that are still open here."""

    done: list[Fact] = field(default_factory=list)
    waiting: frozenset[str] = frozenset()


def facts_for(run: AgentRun) -> Facts:
    """Read from the rows at this moment: a confirmation may arrive while the model speaks."""
    rows = PendingAction.objects.filter(user_id=run.user_id, state__in=[State.EXECUTED, *PendingAction.UNSETTLED])
    done = [_of_action(action, run) for action in rows.select_related("run").order_by("-decided_at")[:MOST_ACTIONS]]
    steps = AgentStep.objects.filter(run__conversation_id=run.conversation_id, outcome=AgentStep.Outcome.OK)
    for result in steps.order_by("-pk").values_list("result", flat=True)[:MOST_STEPS]:
        done += _of_result(result)
    waiting = frozenset().union(*(_kinds_of(action) for action in _open(run)))
    return Facts(done, waiting)


def is_waiting(run: AgentRun) -> bool:
    """Whether the conversation holds a proposal that its customer, or staff after them, have not decided."""
    # Hardly any customer has something open, and that is asked without the steps of the conversation.
    return PendingAction.objects.filter(_still_open(), user_id=run.user_id).exists() and _open(run).exists()


def waiting_from_before(run: AgentRun) -> list[str]:
    """The titles of what still waits here and was proposed before this run, oldest first."""
    proposed_now = Q(run=run) | Q(steps__run=run)
    return [actions.show(action).title for action in _open(run).exclude(proposed_now).order_by("created_at")]


def flagged(runs: QuerySet[AgentRun]) -> QuerySet[AgentRun]:
    """The same runs, each with `is_flagged`: whether something that it said was not shown. For staff."""
    notes = Message.objects.filter(run=OuterRef("pk"), author=Message.Author.SYSTEM, text__startswith=NOTE)
    return runs.annotate(is_flagged=Exists(notes))


def _open(run: AgentRun) -> Any:
    ours = Q(run__conversation_id=run.conversation_id) | Q(steps__run__conversation_id=run.conversation_id)
    return PendingAction.objects.filter(ours, _still_open(), user_id=run.user_id).distinct()


def _still_open() -> Q:
    return Q(state=State.PENDING, expires_at__gt=timezone.now()) | Q(state=State.AWAITING_STAFF)


def _kinds_of(action: PendingAction) -> frozenset[str]:
    """From the tool's name: `refund_order` is of kind refund."""
    return _and_swap(kinds_in(read(action.tool.replace("_", " "))) | kinds_in(read(action.summary)))


def _and_swap(kinds: frozenset[str]) -> frozenset[str]:
    """An exchange and a change both back what was "swapped"."""
    return kinds | {"swap"} if kinds & {"exchange", "change"} else kinds


def _of_action(action: PendingAction, run: AgentRun) -> Fact:
    told = list(_of_result(json.dumps(action.result)))
    whole = json.dumps([action.summary, action.arguments, action.facts, action.result], ensure_ascii=False)
    said = [action.summary, *_sums(action)]
    return Fact(
        kinds=_kinds_of(action).union(*(fact.kinds for fact in told)),
        ids=ids_in(whole) | {read(action.reference)},
        amounts=frozenset().union(*map(amounts_in, said), *(fact.amounts for fact in told)),
        is_here=action.run is not None and action.run.conversation_id == run.conversation_id,
        is_settled=action.state == State.EXECUTED,
    )


def _sums(action: PendingAction) -> Iterator[str]:
    """Amounts of a result, but for what is left: that much was not moved."""
    for name, value in (action.result or {}).items():
        if isinstance(value, str) and "left" not in name and "total" not in name:
            yield value


def _of_result(text: str) -> list[Fact]:
    try:
        return list(_records(json.loads(text), frozenset()))
    except ValueError:
        return []


def _records(value: Any, ids: frozenset[str]) -> Iterator[Fact]:
    """Every state that a record tells of, with the identifiers of the innermost record around it."""
    if isinstance(value, list):
        for item in value:
            yield from _records(item, ids)
    if not isinstance(value, dict):
        return
    own = frozenset().union(*(ids_in(item) for item in value.values() if isinstance(item, str))) or ids
    for name, item in value.items():
        for leaf in item if isinstance(item, list) else [item]:
            if isinstance(leaf, dict):
                yield from _records(leaf, own)
            elif isinstance(leaf, str) and leaf:
                yield from _told(name.replace("_", " "), _FENCED.sub(" ", leaf), own)


def _told(name: str, text: str, ids: frozenset[str]) -> Iterator[Fact]:
    parts = [part for sentence in split(text) for part in sentence.split(";")]
    for said in [*parts, f"{name}: {text}"]:
        told = told_in(said)
        if told and (found := told.ids or ids) and (not told.amounts or any(told.amounts)):
            yield Fact(_and_swap(told.kinds), found | ids, told.amounts)
