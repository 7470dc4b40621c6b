"""What the agent may give the shop's tools: types whose descriptions and patterns are published to the model."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from orders.errors import OrderNotFound
from orders.numbers import canonical, typed_pattern

MAX_ITEMS = 50
_METHOD = r"^[A-Za-z0-9_-]{1,64}$"


def _one_spelling(text: str) -> str:
    """So that "dz 10423" and "DZ-10423" are one proposal. What is no number at all is answered by the lookup."""
    try:
        return canonical(text)
    except OrderNotFound:
        return text.strip()


OrderNumber = Annotated[
    str,
    Field(
        pattern=typed_pattern(),
        max_length=32,
        description="The order's number as the customer gave it, like DZ-10423 or #W2611340. Never guess one.",
    ),
    AfterValidator(_one_spelling),
]
CancelReason = Literal["no longer needed", "ordered by mistake"]
RefundMethodId = Annotated[
    str,
    Field(
        pattern=_METHOD,
        description="Id of one of the customer's payment methods as my_account lists it, like gift_card_5107. "
        "Leave it out to refund to the original payment method.",
    ),
]
MethodId = Annotated[
    str,
    Field(
        pattern=_METHOD,
        description="Id of one of the customer's payment methods as my_account lists it, like credit_card_4242. "
        "Ask the customer which; never choose one for them.",
    ),
]
Sku = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9._-]{1,40}$",
        description="Sku of an item of the order, exactly as order_status lists it.",
    ),
]
NewSku = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9._-]{1,40}$",
        description="Sku of another, available option of the same product, exactly as find_products lists it.",
    ),
]


class Change(BaseModel):
    """One item of the order and what it is to become."""

    model_config = ConfigDict(extra="forbid", strict=True)

    sku: Sku
    new_sku: NewSku


Changes = Annotated[
    list[Change],
    Field(
        min_length=1,
        max_length=MAX_ITEMS,
        description="Every item to change, all in one call. An item that the order holds twice is named twice to "
        "change both.",
    ),
]
Skus = Annotated[
    list[Sku],
    Field(
        min_length=1,
        max_length=MAX_ITEMS,
        description="Every item to send back, all in one call. An item that the order holds twice is named twice to "
        "send back both.",
    ),
]
Query = Annotated[
    str,
    Field(max_length=200, description="A few words: product, colour, size; or a sku. Empty lists everything sold."),
]
Line1 = Annotated[str, Field(max_length=200, description="Street and house number.")]
Line2 = Annotated[str, Field(max_length=200, description="Flat, floor or company; empty where there is none.")]
City = Annotated[str, Field(max_length=100)]
State = Annotated[str, Field(max_length=100, description="State or region, like CA; empty where addresses have none.")]
Country = Annotated[str, Field(max_length=100)]
Zip = Annotated[str, Field(max_length=20, description="Zip or postal code.")]
