"""The names of the recorded calls, as tools of this shop."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User

from agent.evals import Call
from agent.models import Handoff
from config.cases.folder import Case, CaseFileError, Gold
from orders.models import Product, Variant

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """A recorded call as this shop's tool, and what its answer has to hold."""

    call: Call
    holds: frozenset[str] = frozenset()
    place: int | None = None  # in the case's list; none where it was not recorded

    def __str__(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in self.call.arguments.items())
        return f"{'look' if self.place is None else f'call {self.place}'} {self.call.tool}({given})"


def is_sign_in(gold: Gold) -> bool:
    """Finding the customer: here that is signing in, before the conversation begins."""
    return gold.name in SIGN_INS


def signed_in(gold: Gold) -> User | None:
    """Whom the call identifies; None where nobody or several match."""
    found = list(get_user_model().objects.filter(**SIGN_INS[gold.name](gold.arguments))[:2])
    return found[0] if len(found) == 1 else None


def check_names(cases: Iterable[Case]) -> None:
    """Raises CaseFileError for a call that nothing in this shop stands for."""
    for case in cases:
        for gold in case.gold:
            if gold.name not in SIGN_INS.keys() | TRANSLATIONS.keys():
                raise CaseFileError(f"case {case.id} calls {gold.name}, which no tool of this shop stands for")


def step_of(gold: Gold, *, place: int) -> Step:
    """Reads only."""
    return replace(TRANSLATIONS[gold.name](gold.arguments), place=place)


def _by_email(given: Arguments) -> Arguments:
    return {"email__iexact": given["email"]}


def _by_name(given: Arguments) -> Arguments:
    return {
        "first_name__iexact": given["first_name"],
        "last_name__iexact": given["last_name"],
        "addresses__is_default": True,
        "addresses__zip": given["zip"],
    }


def _account(given: Arguments) -> Step:
    return Step(Call("my_account"))


def order_step(given: Arguments) -> Step:
    return Step(Call("order_status", {"order_number": given["order_id"]}), frozenset({given["order_id"]}))


def _product(given: Arguments) -> Step:
    """The shop is searched by words: the product's name, which the recording model had read before."""
    product = Product.objects.filter(code=given["product_id"]).first()
    skus = product.variants.values_list("sku", flat=True) if product else ()
    return Step(Call("find_products", {"query": product.name if product else given["product_id"]}), frozenset(skus))


def _item(given: Arguments) -> Step:
    variant = Variant.objects.select_related("product").filter(sku=given["item_id"]).first()
    query = variant.product.name if variant else given["item_id"]
    return Step(Call("find_products", {"query": query}), frozenset({given["item_id"]}))


def _products(given: Arguments) -> Step:
    return Step(Call("find_products", {"query": ""}), frozenset(Product.objects.values_list("name", flat=True)))


def _calculation(given: Arguments) -> Step:
    return Step(Call("calculate", {"expression": given["expression"]}))


def _cancellation(given: Arguments) -> Step:
    return Step(Call("cancel_order", {"order_number": given["order_id"], "reason": given["reason"]}))


def _swap(tool: str) -> Callable[[Arguments], Step]:
    def step(given: Arguments) -> Step:
        pairs = zip(given["item_ids"], given["new_item_ids"], strict=True)
        changes = [{"sku": old, "new_sku": new} for old, new in pairs]
        return Step(Call(tool, {"order_number": given["order_id"], "changes": changes, **_method(given)}))

    return step


def _payment(given: Arguments) -> Step:
    return Step(Call("change_payment", {"order_number": given["order_id"], **_method(given)}))


def _return(given: Arguments) -> Step:
    return Step(Call("return_items", {"order_number": given["order_id"], "skus": given["item_ids"], **_method(given)}))


def _shipping_address(given: Arguments) -> Step:
    return Step(Call("change_shipping_address", {"order_number": given["order_id"], **_address(given)}))


def _default_address(given: Arguments) -> Step:
    return Step(Call("change_default_address", _address(given)))


def _hand_off(given: Arguments) -> Step:
    return Step(Call("hand_off", {"reason": Handoff.Reason.CANNOT.value, "summary": given["summary"]}))


def _method(given: Arguments) -> Arguments:
    return {"payment_method": given["payment_method_id"]}


def _address(given: Arguments) -> Arguments:
    lines = {"line1": given["address1"], "line2": given["address2"]}
    return {**lines, **{key: given[key] for key in ("city", "state", "country", "zip")}}


SIGN_INS: dict[str, Callable[[Arguments], Arguments]] = {
    "find_user_id_by_email": _by_email,
    "find_user_id_by_name_zip": _by_name,
}
TRANSLATIONS: dict[str, Callable[[Arguments], Step]] = {
    "get_user_details": _account,
    "get_order_details": order_step,
    "get_product_details": _product,
    "get_item_details": _item,
    "list_all_product_types": _products,
    "calculate": _calculation,
    "cancel_pending_order": _cancellation,
    "modify_pending_order_items": _swap("change_items"),
    "modify_pending_order_payment": _payment,
    "modify_pending_order_address": _shipping_address,
    "modify_user_address": _default_address,
    "return_delivered_order_items": _return,
    "exchange_delivered_order_items": _swap("exchange_items"),
    "transfer_to_human_agents": _hand_off,
}
