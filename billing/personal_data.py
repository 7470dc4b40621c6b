"""The books of a customer who wants to be forgotten: they stay whole, and say of nobody whose card it was."""

from typing import Any

from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat

from billing.models import PaymentMethod

BOOKS = "the books are kept as long as tax law asks"
KEPT = {
    "billing.Account": BOOKS,
    "billing.Entry": BOOKS,
    "billing.Entry.external_id": "the payment provider's number of the payment",
    "billing.Entry.reference": "the key under which it was booked",
    "billing.GiftCardEntry": BOOKS,
    "billing.PaymentMethod": "what entries of the books refer to, without the number that a customer knows",
    "billing.Reservation": BOOKS,
    "billing.Transfer": BOOKS,
    "billing.Transfer.cause": "the key of what it was done for",
    "billing.Transfer.external_id": "the payment provider's number of the refund",
    "billing.Transfer.gateway": "which payment provider",
    "billing.Transfer.reason": "why the payment provider refused; what is final in the books is never rewritten",
    "billing.Transfer.key": "the key under which the payment provider knows it",
}


def open_matters(user: Any) -> list[str]:
    """Nothing of the books' own stands against it: refunds under way are the agent's to tell."""
    return []


def erase(user: Any) -> dict[str, int]:
    """Payment methods lose what their customer could be known by; entries are as they were. Returns rows by model."""
    pseudonym = Concat(Value("erased-"), Cast("pk", CharField()))
    methods = PaymentMethod.objects.filter(customer_id=user.pk)
    return {"billing.PaymentMethod": methods.update(public_id=pseudonym, brand="", last4="")}
