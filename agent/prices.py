"""What a turn cost, from a dated table in the settings. A model that is not in it has no known cost, which is not 0."""

from collections.abc import Mapping
from datetime import date
from decimal import ROUND_CEILING, Decimal
from typing import Any

from agent.conf import setting
from agent.providers.base import Usage

MICRO = 1_000_000  # a US dollar in the unit that costs are stored in


def cost_of(model: str, usage: Usage, *, on: date) -> int | None:
    """The cost in millionths of a US dollar, rounded up; None where no price of the model is known for the day.

    Prices are US dollars a million tokens, so tokens times price is already in millionths of a dollar.
    """
    price = _price(model, on=on, prompt_tokens=_prompt_tokens(usage))
    if price is None:
        return None
    parts = (
        usage.input_tokens * Decimal(price["input"]),
        usage.cache_read_tokens * Decimal(price["cache_read"]),
        usage.cache_write_tokens * Decimal(price["cache_write"]),
        usage.output_tokens * Decimal(price["output"]),
    )
    return int(sum(parts, Decimal(0)).to_integral_value(rounding=ROUND_CEILING))


def _price(model: str, *, on: date, prompt_tokens: int) -> Mapping[str, Any] | None:
    """The newest row for the model that was in force, and of its bands the one that the prompt's size falls in."""
    rows = [
        row
        for row in setting("PRICES")
        if row["model"] == model and date.fromisoformat(row["since"]) <= on and row.get("above", 0) <= prompt_tokens
    ]
    return max(rows, key=lambda row: (row["since"], row.get("above", 0)), default=None)


def _prompt_tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
