"""A shop of two customers in the format of the recorded ones, with cases that can be bent."""

import copy
import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]

HOME = {"line1": "1 Elm Street", "line2": "", "city": "Austin", "state": "TX", "country": "USA", "zip": "78701"}
ANNA, BEN = "anna_bell_1001", "ben_cole_1002"
CARD, GIFT = "credit_card_11", "gift_card_12"
LAMP, BRIGHT_LAMP = "7000000001", "7000000002"
SENT, WAITING, BENS = "#W1000001", "#W1000002", "#W1000003"


def _customer(name: str, *, orders: list[str], methods: list[Row]) -> Row:
    first, last, _ = name.split("_")
    return {
        "customer": name,
        "first_name": first.title(),
        "last_name": last.title(),
        "email": f"{first}@example.com",
        "address": HOME,
        "payment_methods": methods,
        "orders": orders,
    }


def _order(number: str, customer: str, *, status: str, method: str) -> Row:
    return {
        "order": number,
        "customer": customer,
        "status": status,
        "ship_to": HOME,
        "items": [{"sku": LAMP, "price_cents": 4990}],
        "shipments": [],
        "payments": [{"kind": "payment", "amount_cents": 4990, "method": method}],
    }


SHOP: dict[str, list[Row]] = {
    "customers": [
        _customer(
            ANNA,
            orders=[SENT, WAITING],
            methods=[
                {"id": CARD, "kind": "credit_card", "brand": "visa", "last4": "4242"},
                {"id": GIFT, "kind": "gift_card", "balance_cents": 1000},
            ],
        ),
        _customer(BEN, orders=[BENS], methods=[{"id": "paypal_13", "kind": "paypal"}]),
    ],
    "orders": [
        _order(SENT, ANNA, status="delivered", method=CARD),
        _order(WAITING, ANNA, status="pending", method=GIFT),
        _order(BENS, BEN, status="pending", method="paypal_13"),
    ],
    "products": [
        {
            "product": "9000000001",
            "name": "Desk Lamp",
            "variants": [
                {"sku": LAMP, "options": {"light": "soft"}, "available": True, "price_cents": 4990},
                {"sku": BRIGHT_LAMP, "options": {"light": "bright"}, "available": True, "price_cents": 5590},
            ],
        }
    ],
}

CANCEL: Row = {
    "id": "cancel",
    "customer": ANNA,
    "instruction": {"reason": "Please cancel my order of the lamp, I ordered it by mistake."},
    "gold": [
        {"name": "find_user_id_by_email", "arguments": {"email": "nobody@example.com"}, "error": "not found"},
        {
            "name": "find_user_id_by_name_zip",
            "arguments": {"first_name": "Anna", "last_name": "Bell", "zip": "78701"},
        },
        {"name": "get_order_details", "arguments": {"order_id": WAITING}},
        {"name": "cancel_pending_order", "arguments": {"order_id": WAITING, "reason": "ordered by mistake"}},
    ],
    "expected": {
        "customers": {ANNA: {"balances_cents": {GIFT: 5990}}},
        "orders": {
            WAITING: {
                "status": "cancelled",
                "cancel_reason": "ordered by mistake",
                "payments_added": [{"kind": "refund", "amount_cents": 4990, "method": GIFT}],
            }
        },
    },
    "communicate": ["49.9", "lamp"],
    "flags": [],
}


def case(**changes: Any) -> Row:
    """The cancellation, with some of its keys replaced."""
    return {**copy.deepcopy(CANCEL), **changes}


def write(folder: Path, *cases: Row, **files: list[Row]) -> Path:
    """The folder of the shop, with these cases."""
    for name, rows in {**SHOP, "replays": list(cases), **files}.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder
