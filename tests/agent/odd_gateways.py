"""Payment gateways in which the process dies, as far as a process can that runs the test: nothing catches this."""

from billing.gateways.stripe import StripeGateway


class Killed(BaseException):
    """What a kill leaves behind is what this leaves behind: whatever was committed, and nothing after it."""


class DiesBeforeTheTry(StripeGateway):
    """After the confirmation's commit, before anything of the call is."""

    def __init__(self) -> None:
        raise Killed


class DiesBeforeTheCall(StripeGateway):
    """After the try was written down, before a byte has left."""

    def refund(self, payment, *, amount_minor, key):
        raise Killed


class DiesAfterTheCall(StripeGateway):
    """After the provider did it, before its answer was written down."""

    def refund(self, payment, *, amount_minor, key):
        super().refund(payment, amount_minor=amount_minor, key=key)
        raise Killed
