"""The task that all are given: ten parcels to look up, one a step, each another one."""

from typing import Any

SYSTEM = "You are the customer service assistant of an online shop."
TOOL = "track_parcel"
DESCRIPTION = "Say where the parcel of an order is. Use it before answering any question about a delivery."
ARGUMENT = "The number of the order, like DZ-10001"
ANSWER = "All of them are on their way."
FIRST_ORDER = 10_001


def track(order_number: str) -> dict[str, str]:
    """Where the parcel is: the same for the same number, without asking anybody."""
    return {
        "order_number": order_number,
        "status": "on its way",
        "carrier": "DHL",
        "tracking": f"JJD{order_number[3:]}",
    }


def question(*, steps: int, latency: float = 0.0, tool: str = TOOL) -> str:
    """The customer's words; what stands in brackets tells the model server what to answer."""
    return f"Where are my {steps} parcels? [tool={tool} steps={steps} latency={latency}]"


def expected(steps: int) -> list[tuple[str, dict[str, str]]]:
    """The calls of a whole run in their order: the number asked for, and what was to come back."""
    numbers = [f"DZ-{FIRST_ORDER + step}" for step in range(steps)]
    return [(number, track(number)) for number in numbers]


def require(kept: list[tuple[str, dict[str, Any]]], *, answer: str, steps: int) -> None:
    """Fails where a run left out a step, did one twice, or said something else: such a run is no measurement."""
    if kept != expected(steps) or answer.strip() != ANSWER:
        raise AssertionError(f"not the run that was asked for: {len(kept)} steps, {answer!r}")
