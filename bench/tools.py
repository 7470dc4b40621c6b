"""The tool that is measured: it costs nothing by itself, so that what is left is the cost of the step."""

from typing import Annotated, Any

from pydantic import Field

from agent.tools import tool
from bench.peers import parcels


@tool(progress="Looking up the parcel of order %(order_number)s")
def track_parcel(order_number: Annotated[str, Field(description=parcels.ARGUMENT)], *, user: Any) -> dict[str, str]:
    """Say where the parcel of an order is. Use it before answering any question about a delivery."""
    return parcels.track(order_number)
