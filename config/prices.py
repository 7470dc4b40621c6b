"""What the models cost: US dollars a million tokens, each row from a day on. Data: correct it when it changes.

Sources: the vendor's price list and comparison table as of November 2026; the bands of claude-haiku-5-5 are by the size
of the prompt (`above`, in tokens). A write to the five-minute cache costs 1.25 times the input. The demonstration model
costs nothing.
"""

from typing import Any


def _row(model: str, since: str, *prices: str, above: int = 0) -> dict[str, Any]:
    """The four prices are those of input, cache reads, cache writes and output."""
    kinds = ("input", "cache_read", "cache_write", "output")
    return {"model": model, "since": since, "above": above, **dict(zip(kinds, prices, strict=True))}


PRICES = [
    _row("claude-haiku-5-5", "2026-10-01", "0.10", "0.01", "0.125", "0.50"),
    _row("claude-haiku-5-5", "2026-10-01", "0.50", "0.05", "0.625", "2.50", above=100_001),
    _row("claude-sonnet-5-5", "2026-10-07", "2", "0.10", "2.50", "10"),
    _row("claude-opus-5-5", "2026-10-01", "4", "0.20", "5", "20"),
    _row("claude-fable-5-1", "2026-10-01", "10", "0.25", "12.50", "50"),
    _row("claude-haiku-4-5", "2025-10-15", "1", "0.10", "1.25", "5"),
    _row("demo", "2026-01-01", "0", "0", "0", "0"),
]
