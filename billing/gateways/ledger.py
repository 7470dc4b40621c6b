"""The default: money that the shop gives back by itself, on the strength of its books."""

from billing.gateways.base import Outcome, Status


class LedgerGateway:
    """Nothing is sent anywhere: an entry in the books is the refund."""

    is_outside = False

    def refund(self, payment: str, *, amount_minor: int, key: str) -> Outcome:
        return Outcome(Status.SUCCEEDED)

    def find(self, payment: str, *, key: str) -> Outcome | None:
        return Outcome(Status.SUCCEEDED)
