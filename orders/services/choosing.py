"""From the skus that a customer names to the lines of the order and the variants of the shop."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orders.errors import (
    ItemNotInOrder,
    NothingChosen,
    OtherCurrency,
    OtherProduct,
    SameOption,
    SoldOut,
    VariantNotFound,
)
from orders.models import Order, OrderLine, Variant

Change = tuple[str, str]  # the sku of a line, and the one to have instead


@dataclass(frozen=True)
class Swap:
    """One line, and the variant that it is to become."""

    line: OrderLine
    variant: Variant

    @property
    def difference_minor(self) -> int:
        """Above zero the customer pays it. What was paid for the line counts, not what it costs today."""
        return self.variant.price_minor - self.line.price_minor


def lines_of(order: Order, *, skus: Sequence[str]) -> list[OrderLine]:
    """A line for each sku; one that is named twice takes two lines. Raises NothingChosen, ItemNotInOrder."""
    if not skus:
        raise NothingChosen
    free = list(order.lines.select_related("variant__product").order_by("position"))
    found = []
    for sku in skus:
        line = next((line for line in free if line.variant.sku == sku), None)
        if line is None:
            raise ItemNotInOrder(number=order.number, sku=sku)
        free.remove(line)
        found.append(line)
    return found


def swaps_of(order: Order, *, changes: Sequence[Change]) -> list[Swap]:
    """Each line with its new variant: available, the same product, another option.

    Raises NothingChosen, ItemNotInOrder, VariantNotFound, OtherProduct, SameOption, SoldOut, OtherCurrency.
    """
    lines = lines_of(order, skus=[old for old, _ in changes])
    found = Variant.objects.select_related("product").in_bulk([new for _, new in changes], field_name="sku")
    swaps = []
    for line, (_, new) in zip(lines, changes, strict=True):
        if new not in found:
            raise VariantNotFound(sku=new)
        _check_swap(order, old=line.variant, new=found[new])
        swaps.append(Swap(line, found[new]))
    return swaps


def difference_of(swaps: Sequence[Swap]) -> int:
    """The true sum over the lines."""
    return sum(swap.difference_minor for swap in swaps)


def line_facts(line: OrderLine) -> dict[str, Any]:
    """A line as a plan keeps it."""
    return {"line": line.position, **_variant_facts(line.variant), "price_minor": line.price_minor}


def swap_facts(swap: Swap) -> dict[str, Any]:
    """A swap as a plan keeps it: the line, and what it becomes."""
    new = {**_variant_facts(swap.variant), "price_minor": swap.variant.price_minor}
    return {**line_facts(swap.line), "new": new}


def _variant_facts(variant: Variant) -> dict[str, Any]:
    return {"sku": variant.sku, "name": variant.product.name, "options": variant.options}


def _check_swap(order: Order, *, old: Variant, new: Variant) -> None:
    named = {"item": new.product.name, "sku": new.sku}
    if new.product_id != old.product_id:
        raise OtherProduct(new=new.product.name, sku=new.sku, old=old.product.name)
    # Two numbers may stand for one choice of options: that changes nothing for the customer.
    if new.pk == old.pk or (new.options and new.options == old.options):
        raise SameOption(**named)
    if not new.available:
        raise SoldOut(**named)
    if new.currency != order.currency:
        raise OtherCurrency(**named)
