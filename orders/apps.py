from typing import ClassVar

from django.apps import AppConfig


class OrdersConfig(AppConfig):
    name = "orders"
    default_auto_field = "django.db.models.BigAutoField"
    # Whose a row is, for the role under which tools read in PostgreSQL: the field that leads to the customer, perhaps
    # by way of another row; None: everybody's.
    rows_of_customers: ClassVar[dict[str, str | None]] = {
        "Address": "customer",
        "Product": None,
        "Variant": None,
        "Order": "customer",
        "OrderLine": "order",
        "Shipment": "order",
        "Shipment_lines": "shipment",
        "ShipmentEvent": "shipment",
        "Return": "order",
        "Return_lines": "return",
        "Exchange": "order",
        "ExchangeLine": "exchange",
    }
