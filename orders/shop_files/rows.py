"""What a line of each file holds. Money is in whole cents; a key that is not named here is a fault."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from orders.models import Order

Text = Annotated[str, Field(max_length=200)]
Name = Annotated[str, Field(min_length=1, max_length=40)]
Cents = Annotated[int, Field(ge=0, lt=10**12)]
MethodId = Annotated[str, Field(min_length=1, max_length=64)]


class Row(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class AddressRow(Row):
    line1: Text
    line2: Text
    city: Annotated[str, Field(max_length=100)]
    state: Annotated[str, Field(max_length=100)]
    country: Annotated[str, Field(max_length=100)]
    zip: Annotated[str, Field(max_length=20)]


class MethodRow(Row):
    id: MethodId
    kind: Literal["credit_card", "paypal", "gift_card"]
    brand: Annotated[str, Field(max_length=30)] | None = None
    last4: Annotated[str, Field(pattern="^[0-9]{4}$")] | None = None
    balance_cents: Cents | None = None  # a gift card's, after everything in orders.jsonl


class CustomerRow(Row):
    customer: Annotated[str, Field(pattern=r"^[\w.@+-]{1,150}$")]  # becomes the user name
    first_name: Annotated[str, Field(max_length=150)]
    last_name: Annotated[str, Field(max_length=150)]
    email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=254)]
    address: AddressRow
    payment_methods: list[MethodRow]
    orders: list[str]  # oldest first


class VariantRow(Row):
    sku: Name
    options: dict[str, str]
    available: bool
    price_cents: Cents


class ProductRow(Row):
    product: Name
    name: Annotated[str, Field(min_length=1, max_length=200)]
    variants: list[VariantRow]


class ItemRow(Row):
    sku: Name
    price_cents: Cents


class ShipmentRow(Row):
    tracking: list[Name]
    skus: list[Name]


class PaymentRow(Row):
    kind: Literal["payment", "refund"]
    amount_cents: Cents
    method: MethodId


class ReturnRow(Row):
    skus: list[Name]
    method: MethodId


class ExchangeRow(Row):
    old: list[Name]
    new: list[Name]
    method: MethodId
    difference_cents: int


class OrderRow(Row):
    order: Name
    customer: str
    status: Order.Status = Field(strict=False)
    ship_to: AddressRow
    items: list[ItemRow]
    shipments: list[ShipmentRow]
    payments: list[PaymentRow]
    cancel_reason: Order.CancelReason | None = Field(default=None, strict=False)
    return_: ReturnRow | None = Field(default=None, alias="return")
    exchange: ExchangeRow | None = None
