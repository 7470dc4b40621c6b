from typing import ClassVar

from django.apps import AppConfig


class BillingConfig(AppConfig):
    name = "billing"
    default_auto_field = "django.db.models.BigAutoField"
    # Whose a row is, for the role under which tools read in PostgreSQL: the field that leads to the customer, perhaps
    # by way of another row.
    rows_of_customers: ClassVar[dict[str, str | None]] = {
        "PaymentMethod": "customer",
        "Account": "customer",
        "Entry": "account",
        "GiftCardEntry": "method",
        "Reservation": "method",
        "Transfer": "entry",
    }
