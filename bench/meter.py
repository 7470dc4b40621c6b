"""Runs as many steps as each line says, and prints what the input of the run cost. Costs in millionths of a dollar."""

import json
import sys
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Sum
from django.utils import timezone

from agent.models import AgentRun
from agent.prices import cost_of
from agent.providers import Usage
from agent.runs import loop, start
from bench.peers import parcels
from orders.models import Order, OrderLine, Product, Variant

TOOL = "order_status"
FIELDS = ("input_tokens", "cache_read_tokens", "cache_write_tokens")


def seed(customer: User, *, count: int) -> None:
    """Orders of two lines each."""
    product = Product.objects.create(code="LAMP", name="Desk lamp")
    options = {"colour": "brass", "shade": "green glass"}
    lamp = Variant.objects.create(product=product, sku="LAMP-1", options=options, price_minor=4900)
    for number, _ in parcels.expected(count):
        order = Order.objects.create(number=number, customer=customer, status="pending")
        for position in (1, 2):
            OrderLine.objects.create(order=order, position=position, variant=lamp, price_minor=lamp.price_minor)


def billed(customer: User, *, steps: int) -> dict[str, Any]:
    """A whole run, as its turns were billed."""
    run = start.accept(customer, parcels.question(steps=steps, tool=TOOL))
    loop.work(run.pk)
    run.refresh_from_db()
    if run.state != AgentRun.State.DONE or run.steps.filter(outcome="ok").count() != steps:
        raise AssertionError(f"not a whole run: {run.state} {run.error_code}")
    model, today = run.conversation.model, timezone.localdate()
    turns = [Usage(*figures) for figures in run.turns.values_list(*FIELDS)]
    sums = run.turns.aggregate(**{name: Sum(name) for name in FIELDS})
    anew = [Usage(input_tokens=turn.input_tokens + turn.cache_read_tokens + turn.cache_write_tokens) for turn in turns]
    return {
        "model": model,
        "tokens": sum(sums.values()),
        "read": sums["cache_read_tokens"],
        "written": sums["cache_write_tokens"],
        "cached": sum(cost_of(model, turn, on=today) or 0 for turn in turns),
        "anew": sum(cost_of(model, turn, on=today) or 0 for turn in anew),
    }


def main() -> None:
    """Until the input ends."""
    customer = User.objects.create(username="bench")
    seed(customer, count=20)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(billed(customer, steps=int(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
