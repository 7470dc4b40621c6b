"""What a careful model looks up besides, where an answer has to hold something that the recorded calls never read.

The recorded answers rest on more than the recorded calls: a price from before an order was changed, a balance
after it, a sum. Here the model makes the calls that an assistant would make for them.
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import product as combinations

from agent.evals import Call
from agent.evals.mentions import is_mentioned
from agent.evals.snapshot import Rows
from billing.models import Entry
from config.cases.calls import Step, order_step
from config.cases.folder import Case
from orders.models import OrderLine, Return, Variant

QUESTION = "And what does that come to?"
MAX_LINES = 3  # what is asked for is about two or three, and all their choices are combined
READS = {"order_status", "find_products", "my_account", "calculate"}


def before_writes(steps: Sequence[Step]) -> list[Step]:
    """The same steps, and before the first write to an order a look at it, where none was recorded."""
    found: list[Step] = []
    seen: set[str] = set()
    for step in steps:
        number = step.call.arguments.get("order_number")
        if number and number not in seen and step.call.tool not in READS:
            found.append(order_step({"order_id": number}))
        seen |= {number} if number else set()
        found.append(step)
    return found


def further(case: Case, *, before: Rows, wanted: Sequence[str]) -> list[Call]:
    """The account and the price list as they are now, and the sums that give what is wanted."""
    sums = [_sum(_given_back(before)), *_savings(case)]
    by_value = {_value(text): text for text in sums if text}
    useful = [text for value, text in by_value.items() if is_mentioned(value, wanted)]
    reads = [Call("my_account"), Call("find_products", {"query": ""})]
    return [*reads, *(Call("calculate", {"expression": text}) for text in useful)]


def _given_back(before: Rows) -> Iterator[int]:
    """What this case gave back, or will when the parcel has arrived: a part for each order."""
    for entry in Entry.objects.filter(kind=Entry.Kind.REFUND).exclude(pk__in=before[Entry]):
        yield entry.amount_minor
    for back in Return.objects.exclude(pk__in=before[Return]):
        yield sum(line.price_minor for line in back.lines.all())


def _savings(case: Case) -> Iterator[str]:
    """What another choice would save: of each product that was looked at and ordered, one variant for the other."""
    codes = [gold.arguments["product_id"] for gold in case.gold if gold.name == "get_product_details"]
    numbers = [gold.arguments["order_id"] for gold in case.gold if "order_id" in gold.arguments]
    lines = OrderLine.objects.filter(order__number__in=numbers, variant__product__code__in=codes)
    choices = [_choices(line) for line in lines.select_related("variant")[:MAX_LINES]]
    return (_sum(amount for pair in pairs for amount in pair) for pairs in combinations(*choices) if choices)


def _choices(line: OrderLine) -> list[tuple[int, int]]:
    others = Variant.objects.filter(product_id=line.variant.product_id, available=True)
    return [(line.price_minor, -price) for price in others.values_list("price_minor", flat=True)]


def _sum(amounts: Iterable[int]) -> str:
    """As `calculate` takes it: "15.33 + 26.31 - 3.00"."""
    parts = [f"{'-' if amount < 0 else '+'} {Decimal(abs(amount)) / 100:.2f}" for amount in amounts]
    return " ".join(parts).removeprefix("+ ")


def _value(expression: str) -> str:
    """What it comes to, without its sign: a saving and a loss are told alike."""
    return f"{abs(sum(Decimal(part) for part in expression.replace('- ', '-').replace('+ ', '').split())):.2f}"
