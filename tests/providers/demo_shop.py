"""Tools of a small shop that exists only here, for the demo model to choose from."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agent.tools import Amount, Example, tool

Number = Annotated[str, Field(description="Like KX-4711", max_length=20)]


@tool(
    examples=[
        Example(
            "Where is my parcel KX-4711?", {"parcel_number": "KX-4711"}, "Parcel %(parcel_number)s is with %(carrier)s."
        ),
        Example(
            "Where is my parcel KX-4711?", {"parcel_number": "KX-4711"}, "Parcel %(parcel_number)s has not left yet."
        ),
        Example(
            "Wo ist mein Paket KX-4711?",
            {"parcel_number": "KX-4711"},
            "Paket %(parcel_number)s ist bei %(carrier)s.",
            "de",
        ),
    ]
)
def parcel_status(parcel_number: Number, *, user: Any) -> dict[str, Any]:
    """Where a parcel is."""
    return {}


@tool(
    examples=[
        Example("Show me my parcels", {}, "Your parcels:"),
        Example("Zeig mir meine Pakete", {}, "Ihre Pakete:", "de"),
    ]
)
def list_parcels(*, user: Any) -> dict[str, Any]:
    """All parcels."""
    return {}


@tool(
    writes=True,
    examples=[
        Example("Pay me back 20.00 for KX-4711", {"parcel_number": "KX-4711", "amount": "20.00"}),
        Example("Bitte 20,00 Euro für KX-4711 zurückzahlen", {"parcel_number": "KX-4711", "amount": "20.00"}, "", "de"),
    ],
)
def pay_back(parcel_number: Number, amount: Amount, *, user: Any) -> dict[str, Any]:
    """Pay money back for a parcel."""
    return {}


@tool(
    writes=True,
    examples=[
        Example("Send back KX-4711, it is broken", {"parcel_number": "KX-4711", "reason": "broken"}),
        Example("Send back KX-4711, it does not fit", {"parcel_number": "KX-4711", "reason": "wrong_size"}),
    ],
)
def send_back(parcel_number: Number, reason: Literal["broken", "wrong_size"], *, user: Any) -> dict[str, Any]:
    """Send a parcel back."""
    return {}


Ticket = Annotated[str, Field(description="Exactly as seats_of lists it", pattern=r"^[A-Za-z0-9-]{1,20}$")]
Other = Annotated[str, Field(description="Exactly as free_seats lists it", pattern=r"^[A-Za-z0-9-]{1,20}$")]


class Move(BaseModel):
    """A seat and the one to have instead."""

    model_config = ConfigDict(extra="forbid")

    ticket: Ticket
    new_ticket: Other


@tool()
def seats_of(parcel_number: Number, *, user: Any) -> dict[str, Any]:
    """The seats whose tickets are in a parcel."""
    return {}


@tool()
def free_seats(play: str, *, user: Any) -> dict[str, Any]:
    """The seats of a play that are free."""
    return {}


@tool(
    writes=True,
    examples=[
        Example("Hand back the ticket for Faust in KX-4711", {"parcel_number": "KX-4711", "tickets": ["FA-12"]}),
        Example("Hand back the tickets of KX-4711", {"parcel_number": "KX-4711", "tickets": ["FA-12", "FA-13"]}),
    ],
)
def hand_back(parcel_number: Number, tickets: list[Ticket], *, user: Any) -> dict[str, Any]:
    """Take tickets back."""
    return {}


@tool(
    writes=True,
    examples=[
        Example(
            "Move me to another seat for Faust, KX-4711",
            {"parcel_number": "KX-4711", "moves": [{"ticket": "FA-12", "new_ticket": "FA-40"}]},
        )
    ],
)
def move_seats(parcel_number: Number, moves: list[Move], *, user: Any) -> dict[str, Any]:
    """Give other seats of the same play."""
    return {}
