"""What a run may use up, asked before each call of the model. Money is counted from the turns' own rows.

The check comes before the call and the cost after it, so a budget can be passed by one call, never by two. The run
and its conversation are read once and then counted along: a conversation has one run at work. What others spend is
read again before a call, though no more than once a second.
"""

import time as clock
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, time
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, QuerySet, Sum
from django.utils import timezone
from django.utils.functional import Promise

from agent.conf import setting
from agent.errors import AgentBudgetExceeded
from agent.models import AgentRun, AgentStep, ModelTurn
from agent.prices import MICRO
from agent.runs import words

TOKENS = F("input_tokens") + F("cache_read_tokens") + F("cache_write_tokens") + F("output_tokens")
OTHERS_SECONDS = 1.0  # how old the sums of the day may be


@dataclass
class Used:
    """What a run has used so far. Costs are in millionths of a US dollar."""

    run: AgentRun
    turns: int
    tokens: int
    micro: int
    elsewhere_micro: int  # in the conversation's other runs
    calls: list[tuple[str, Any]]  # tool and arguments, the newest last
    today: dict[str, int] = field(default_factory=dict)  # what the customer and the site have spent, without this run
    looked_at: float = float("-inf")  # time.monotonic() when `today` was read

    def add(self, turn: ModelTurn, steps: Iterable[AgentStep]) -> None:
        """Count what was just stored."""
        self.turns += 1
        self.tokens += turn.input_tokens + turn.cache_read_tokens + turn.cache_write_tokens + turn.output_tokens
        self.micro += turn.cost_micro or 0
        self.calls += _calls(steps)

    def check(self) -> None:
        """Raises AgentBudgetExceeded, with the words for the customer, where one more call would be too many."""
        if self.turns >= setting("MAX_STEPS"):
            raise AgentBudgetExceeded(words.OUT_OF_STEPS, code="steps")
        if seconds_left(self.run) <= 0:
            raise AgentBudgetExceeded(words.OUT_OF_TIME, code="time")
        if self.tokens >= setting("RUN_TOKENS"):
            raise AgentBudgetExceeded(words.OUT_OF_MEANS, code="tokens")
        for code, spent, said in self._purses():
            if spent >= Decimal(setting(f"{code.upper()}_DOLLARS")) * MICRO:
                raise AgentBudgetExceeded(said, code=f"money_{code}")

    def check_not_repeating(self) -> None:
        """Raises AgentBudgetExceeded where the newest calls are all the same: the model is going in circles."""
        most = setting("SAME_CALLS")
        newest = self.calls[-most:]
        if len(newest) == most and all(call == newest[0] for call in newest):
            raise AgentBudgetExceeded(words.REPEATING, code="repeating")

    def _purses(self) -> Iterator[tuple[str, int, Promise]]:
        """From the smallest to the largest: its name, what is gone of it, and what to say when it is used up."""
        yield "run", self.micro, words.OUT_OF_MEANS
        yield "conversation", self.elsewhere_micro + self.micro, words.OUT_OF_MEANS_HERE
        self._look_at_others()
        yield "customer_day", self.today["customer"] + self.micro, words.OUT_OF_MEANS_TODAY
        yield "site_day", self.today["site"] + self.micro, words.SHOP_OUT_OF_MEANS_TODAY

    def _look_at_others(self) -> None:
        if clock.monotonic() - self.looked_at < OTHERS_SECONDS:
            return
        others = ModelTurn.objects.filter(created_at__gte=_midnight()).exclude(run_id=self.run.pk)
        customer = spent_micro(others.filter(run__user_id=self.run.user_id))
        self.today = {"customer": customer, "site": spent_micro(others)}
        self.looked_at = clock.monotonic()


def used_by(run: AgentRun) -> Used:
    """What the run's rows say, whoever worked on it before. Who is the first to work on it finds none of its own."""
    others = ModelTurn.objects.filter(run__conversation_id=run.conversation_id).exclude(run_id=run.pk)
    elsewhere = spent_micro(others) if run.number > 1 else 0
    if run.attempt <= 1:
        return Used(run=run, turns=0, tokens=0, micro=0, elsewhere_micro=elsewhere, calls=[])
    own = ModelTurn.objects.filter(run_id=run.pk)
    sums = own.aggregate(turns=Count("pk"), tokens=Sum(TOKENS), micro=Sum("cost_micro"))
    return Used(
        run=run,
        turns=sums["turns"],
        tokens=sums["tokens"] or 0,
        micro=sums["micro"] or 0,
        elsewhere_micro=elsewhere,
        calls=_calls(run.steps.order_by("sequence")),
    )


def _calls(steps: Iterable[AgentStep]) -> list[tuple[str, Any]]:
    return [(step.tool, step.arguments) for step in steps]


def seconds_left(run: AgentRun) -> float:
    """Until the run's deadline; negative once it is past."""
    return (run.deadline - timezone.now()).total_seconds() if run.deadline else setting("RUN_SECONDS")


def spent_micro(turns: QuerySet[ModelTurn]) -> int:
    """What these turns cost together, in millionths of a US dollar; a turn of unknown cost adds nothing."""
    return turns.aggregate(spent=Sum("cost_micro"))["spent"] or 0


def _midnight() -> datetime:
    return timezone.make_aware(datetime.combine(timezone.localdate(), time.min))
