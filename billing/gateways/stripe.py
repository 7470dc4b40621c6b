"""Refunds through Stripe. Needs the package `stripe`, the optional extra of that name in pyproject.toml.

Stripe does an Idempotency-Key once and repeats its first answer, also an error, for a day at least. The key is in the
refund's metadata too: a list of the payment's refunds then tells what became of it, also after that day.
"""

import logging
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from billing.gateways.base import Outcome, Status

logger = logging.getLogger(__name__)

KEY = "countersign_key"  # in the metadata of a refund
TIMEOUT_SECONDS = 10.0
STATUSES = {
    "succeeded": Status.SUCCEEDED,
    "pending": Status.PENDING,
    "requires_action": Status.PENDING,
    "failed": Status.FAILED,
    "canceled": Status.FAILED,
}


class StripeGateway:
    """A payment is a PaymentIntent, by its id (pi_...). Set up by settings.BILLING["STRIPE"]:

    API_KEY, a secret or a restricted one that may read and write refunds; API_BASE and TIMEOUT (seconds) if need be.
    """

    is_outside = True

    def __init__(self) -> None:
        try:
            import stripe
        except ImportError:
            raise ImproperlyConfigured('the gateway "stripe" needs its package: pip install "stripe>=16,<17"') from None
        own = settings.BILLING.get("STRIPE") or {}
        if not own.get("API_KEY"):
            raise ImproperlyConfigured('settings.BILLING["STRIPE"]["API_KEY"] is not set')
        client = stripe.StripeClient(
            own["API_KEY"],
            base_addresses={"api": own["API_BASE"]} if own.get("API_BASE") else {},
            max_network_retries=0,  # what is asked again is asked after a look, by billing.transfers
            http_client=stripe.RequestsClient(timeout=own.get("TIMEOUT", TIMEOUT_SECONDS)),
        )
        self.refunds = client.v1.refunds
        self.error: Any = stripe.StripeError
        self.refused: Any = (stripe.CardError, stripe.InvalidRequestError)

    def refund(self, payment: str, *, amount_minor: int, key: str) -> Outcome:
        """Only a refusal of this very request is a failure. A key that is wrong or a limit that is reached says
        nothing about an earlier request with the same key: unknown, like a silence.
        """
        try:
            made = self.refunds.create(
                {"payment_intent": payment, "amount": amount_minor, "metadata": {KEY: key}},
                {"idempotency_key": key},
            )
        except self.refused as error:
            return Outcome(Status.FAILED, reason=_words(error))
        except self.error as error:
            return _unknown(error, key=key)
        return _outcome(made.to_dict())

    def find(self, payment: str, *, key: str) -> Outcome | None:
        try:
            for made in self.refunds.list({"payment_intent": payment, "limit": 100}).auto_paging_iter():
                row = made.to_dict()
                if (row.get("metadata") or {}).get(KEY) == key:
                    return _outcome(row)
        except self.error as error:
            return _unknown(error, key=key)
        return None


def _outcome(row: dict[str, Any]) -> Outcome:
    status = STATUSES.get(row.get("status") or "", Status.UNKNOWN)
    reason = row.get("failure_reason") or ("" if status is Status.SUCCEEDED else row.get("status"))
    return Outcome(status, external_id=str(row.get("id") or ""), reason=str(reason)[:200])


def _unknown(error: Any, *, key: str) -> Outcome:
    logger.warning("Stripe did not say what became of a refund", extra={"key": key, "error": _words(error)})
    return Outcome(Status.UNKNOWN, reason=_words(error))


def _words(error: Any) -> str:
    """What staff need to find it again; the message of Stripe's may quote the request, so it is not kept."""
    parts = (type(error).__name__, str(error.http_status or ""), error.code or "", error.request_id or "")
    return " ".join(part for part in parts if part)[:200]
