"""What the books ask of a payment provider: two questions, and answers that never guess."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Status(StrEnum):
    """How a refund stands at the provider."""

    SUCCEEDED = "succeeded"
    PENDING = "pending"  # accepted, and not final yet
    FAILED = "failed"  # certain: nothing went back
    UNKNOWN = "unknown"  # no answer, or one that settles nothing: it may have been done


@dataclass(frozen=True)
class Outcome:
    """The provider's word. `reason` is its own, for staff; a customer never reads it."""

    status: Status
    external_id: str = ""
    reason: str = ""


class Gateway(Protocol):
    """One way of giving money back. `payment` is the provider's own id of what was paid.

    Neither method raises for anything the provider or the network does.
    """

    is_outside: bool  # False: the books are all there is, and nothing has to be sent

    def refund(self, payment: str, *, amount_minor: int, key: str) -> Outcome:
        """Give back part of a payment. The same key with the same amount is done once, however often it is asked."""
        ...

    def find(self, payment: str, *, key: str) -> Outcome | None:
        """What became of the refund with this key. None: the provider was asked, and has none."""
        ...
