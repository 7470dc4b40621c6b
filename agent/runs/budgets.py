"""What a run may use up, asked before each call of the model. Money is counted from the turns' own rows.

The check comes before the call and the cost after it, so a budget can be passed by one call, never by two.
"""

from datetime import datetime, time
from decimal import Decimal

from django.db.models import F, QuerySet, Sum
from django.utils import timezone
from django.utils.functional import Promise

from agent.conf import setting
from agent.errors import AgentBudgetExceeded
from agent.models import AgentRun, AgentStep, ModelTurn
from agent.prices import MICRO
from agent.runs import words

TOKENS = F("input_tokens") + F("cache_read_tokens") + F("cache_write_tokens") + F("output_tokens")


def check(run: AgentRun, *, turns: int) -> None:
    """Raises AgentBudgetExceeded, with the words for the customer, where one more call would be too many."""
    if turns >= setting("MAX_STEPS"):
        raise AgentBudgetExceeded(words.OUT_OF_STEPS, code="steps")
    if seconds_left(run) <= 0:
        raise AgentBudgetExceeded(words.OUT_OF_TIME, code="time")
    own = ModelTurn.objects.filter(run_id=run.pk)
    if (own.aggregate(tokens=Sum(TOKENS))["tokens"] or 0) >= setting("RUN_TOKENS"):
        raise AgentBudgetExceeded(words.OUT_OF_MEANS, code="tokens")
    for code, rows, said in _purses(run, own):
        if spent_micro(rows) >= Decimal(setting(f"{code.upper()}_DOLLARS")) * MICRO:
            raise AgentBudgetExceeded(said, code=f"money_{code}")


def check_not_repeating(run: AgentRun) -> None:
    """Raises AgentBudgetExceeded where the newest calls are all the same: a model that loops learns nothing more."""
    most = setting("SAME_CALLS")
    newest = list(AgentStep.objects.filter(run_id=run.pk).order_by("-sequence").values_list("tool", "arguments")[:most])
    if len(newest) == most and all(call == newest[0] for call in newest):
        raise AgentBudgetExceeded(words.REPEATING, code="repeating")


def seconds_left(run: AgentRun) -> float:
    """Until the run's deadline; negative once it is past."""
    return (run.deadline - timezone.now()).total_seconds() if run.deadline else setting("RUN_SECONDS")


def spent_micro(turns: QuerySet[ModelTurn]) -> int:
    """What these turns cost together, in millionths of a US dollar; a turn of unknown cost adds nothing."""
    return turns.aggregate(spent=Sum("cost_micro"))["spent"] or 0


def _purses(run: AgentRun, own: QuerySet[ModelTurn]) -> list[tuple[str, QuerySet[ModelTurn], Promise]]:
    """From the smallest to the largest: the budget's name, the turns that count, and what to say when it is used up."""
    today = ModelTurn.objects.filter(created_at__gte=_midnight())
    conversation = ModelTurn.objects.filter(run__conversation_id=run.conversation_id)
    return [
        ("run", own, words.OUT_OF_MEANS),
        ("conversation", conversation, words.OUT_OF_MEANS_HERE),
        ("customer_day", today.filter(run__user_id=run.user_id), words.OUT_OF_MEANS_TODAY),
        ("site_day", today, words.SHOP_OUT_OF_MEANS_TODAY),
    ]


def _midnight() -> datetime:
    return timezone.make_aware(datetime.combine(timezone.localdate(), time.min))
