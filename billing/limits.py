"""What the shop allows beyond what was paid. Checked by the services, in the transaction of the effect."""

from django.conf import settings

from billing.errors import BadAmount, RefundOverLimit
from billing.money import shown


def refund_limit_minor() -> int | None:
    """The most that one refund may be, in minor units; None where the shop sets no limit."""
    return settings.BILLING.get("REFUND_LIMIT_MINOR")


def check_limit(amount_minor: int, *, currency: str) -> None:
    """Raises BadAmount, RefundOverLimit."""
    limit = refund_limit_minor()
    if amount_minor <= 0:
        raise BadAmount
    if limit is not None and amount_minor > limit:
        raise RefundOverLimit(limit=shown(limit, currency=currency), asked=shown(amount_minor, currency=currency))
