"""What the shop's reads answer, as it is published. Money is text with its currency, days are like 2026-11-30.

Where a text of others stands, it is fenced: the customer's note, what the carrier reports.
"""

from typing import NotRequired

from typing_extensions import TypedDict


class OrderedItem(TypedDict):
    """One unit of one variant, at the price of its order."""

    sku: str
    options: dict[str, str]
    name: str
    price: str


class CanDoNow(TypedDict):
    """Which writes the order allows at this moment, by their names, and the most that one refund could be."""

    cancel_order: bool
    change_items: bool
    change_payment: bool
    change_shipping_address: bool
    return_items: bool
    exchange_items: bool
    refund_order_up_to: str


class OrderFound(TypedDict):
    """One order. The texts are in the customer's language; what is not known is null."""

    order_number: str
    status: str
    status_text: str
    placed_on: str | None
    carrier: str | None
    tracking: list[str]
    items: list[OrderedItem]
    items_text: str
    total: str
    paid_with: list[str]
    refunded_to: NotRequired[list[str]]
    ship_to: str | None
    can_do_now: CanDoNow
    can_do_text: str
    note: NotRequired[str]
    carrier_news: NotRequired[str]
    summary: str


class OrderListed(TypedDict):
    """An order in a list."""

    order_number: str
    status: str
    placed_on: str | None
    total: str
    items_text: str


class OrdersFound(TypedDict):
    """The newest orders, and how many there are in all."""

    count: int
    orders: list[OrderListed]
    summary: str


class VariantFound(TypedDict):
    """A variant that can be ordered, or cannot at the moment."""

    sku: str
    options: dict[str, str]
    price: str
    available: bool


class ProductFound(TypedDict):
    """A product; with its variants only where few products were found."""

    name: str
    price_from: str
    variants: NotRequired[list[VariantFound]]


class ProductsFound(TypedDict):
    """The products that fit best, and how many there are in all."""

    count: int
    products: list[ProductFound]
    summary: str


class MethodFound(TypedDict):
    """A payment method; of a gift card what it holds, and what of that is promised already."""

    id: str
    label: str
    balance: NotRequired[str]
    reserved: NotRequired[str]


class AccountFound(TypedDict):
    """The customer's own account; the e-mail address is masked."""

    name: str
    email: str
    default_address: str
    payment_methods: list[MethodFound]
    payment_methods_text: str
    orders: int
    summary: str
