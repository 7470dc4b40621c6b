"""Whatever two customers do, in whatever order, with whatever they name: the money stays whole and the states legal."""

from collections import Counter
from typing import Any

import hypothesis
import pytest
from django.contrib.auth.models import User
from django.db import transaction
from hypothesis import HealthCheck
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from billing.errors import BillingError
from billing.models import Entry, GiftCardEntry, Reservation
from orders import requests
from orders.errors import OrderError
from orders.models import Address, Exchange, Order, OrderLine, Return
from orders.selectors import total_minor
from tests.billing.books import card, gift_card
from tests.orders.shop import order_with, sold_out, variant

S = Order.Status
LEGAL = {
    S.PENDING: {S.PENDING, S.ITEMS_CHANGED, S.CANCELLED},
    S.DELIVERED: {S.DELIVERED, S.RETURN_REQUESTED, S.EXCHANGE_REQUESTED},
    **{status: {status} for status in (S.ITEMS_CHANGED, S.CANCELLED, S.RETURN_REQUESTED, S.EXCHANGE_REQUESTED)},
}
NAMES = ("alice", "bob")
ADDRESS = {"line1": "1 Road", "line2": "", "city": "Town", "state": "", "country": "Land", "zip": "12345"}

customers = st.sampled_from(NAMES)
# Mostly one's own (0); also of the other customer, of the one who does nothing, and of nobody: those are refused.
OWN, OTHER, CAROL, NOBODY = 0, 1, 2, 9
whose = st.sampled_from([OWN] * 24 + [OTHER, CAROL, NOBODY])
numbers = st.tuples(whose, st.integers(0, 3))
methods = st.tuples(whose, st.sampled_from(["credit_card", "gift_card"]))
# Lines of the order by their place, 9 for none; and the other option of the same product, or anything.
places = st.lists(st.sampled_from([0, 0, 0, 1, 1, 9]), max_size=2) | st.just([0])
SIBLING = {"MUG-1": "MUG-2", "MUG-2": "MUG-1", "LAMP-1": "LAMP-2", "LAMP-2": "LAMP-1", "NOTHING": "MUG-3"}
news = st.sampled_from(["sibling"] * 12 + ["MUG-1", "MUG-2", "MUG-3", "LAMP-1", "LAMP-2", "NOTHING"])
amounts = st.sampled_from(["0.01", "1.00", "5.00", "16.00", "40.00", "99.00"])


class Shop(RuleBasedStateMachine):
    """Each example is a savepoint in the shop of the fixture, undone at its end."""

    def __init__(self) -> None:
        super().__init__()
        self.undo = transaction.atomic()
        self.undo.__enter__()
        self.opened = dict(GiftCardEntry.objects.filter(kind="opening").values_list("method_id", "amount_minor"))
        self.states = dict(Order.objects.values_list("pk", "status"))

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.undo.__exit__(None, None, None)

    def attempt(self, name: str, plan: Any, act: Any, **arguments: Any) -> None:
        """What can be planned is done; what is refused is refused twice and leaves every row, as others' rows are."""
        user = User.objects.get(username=name)
        arguments = {key: _named(name, key, value) for key, value in arguments.items()}
        before = _rows()
        try:
            plan(arguments, user=user)
        except (OrderError, BillingError) as refusal:
            with pytest.raises(type(refusal)), transaction.atomic():
                act(arguments, user=user)
            assert _rows() == before
            return
        act(arguments, user=user)
        after = _rows()
        assert [row for row in after if row[0] != user.pk] == [row for row in before if row[0] != user.pk]

    @rule(name=customers, order_number=numbers, places=places, new=news, payment_method=methods)
    def change_items(self, **arguments: Any) -> None:
        self.attempt(plan=requests.plan_item_change, act=requests.change_items, **_with_changes(**arguments))

    @rule(name=customers, order_number=numbers, places=places, new=news, payment_method=methods)
    def exchange_items(self, **arguments: Any) -> None:
        self.attempt(plan=requests.plan_exchange, act=requests.exchange_items, **_with_changes(**arguments))

    @rule(name=customers, order_number=numbers, places=places, payment_method=methods)
    def return_items(self, places: list[int], **arguments: Any) -> None:
        skus = _skus(arguments["name"], arguments["order_number"], places)
        self.attempt(plan=requests.plan_return, act=requests.return_items, skus=skus, **arguments)

    @rule(name=customers, order_number=numbers, payment_method=methods)
    def change_payment(self, name: str, **arguments: str) -> None:
        self.attempt(name, requests.plan_payment_change, requests.change_payment, **arguments)

    @rule(name=customers, order_number=numbers, reason=st.sampled_from(["no longer needed"] * 5 + ["a whim"]))
    def cancel_order(self, name: str, **arguments: str) -> None:
        number = _named(name, "order_number", arguments["order_number"])
        # Doing it again is safe and changes nothing, but it can no longer be planned.
        if not Order.objects.filter(number=number, status=S.CANCELLED).exists():
            self.attempt(name, requests.plan_cancellation, requests.cancel_order, **arguments)

    @rule(name=customers, order_number=numbers, amount=amounts, payment_method=methods | st.none())
    def refund_order(self, name: str, **arguments: Any) -> None:
        self.attempt(name, requests.plan_refund, requests.refund_order, **arguments)

    @rule(name=customers, order_number=numbers, line1=st.sampled_from(["2 Road", "3 Road", ""]))
    def change_addresses(self, name: str, **arguments: str) -> None:
        there = ADDRESS | arguments
        self.attempt(name, requests.plan_shipping_address_change, requests.change_shipping_address, **there)
        self.attempt(name, requests.plan_default_address_change, requests.change_default_address, **there)

    @invariant()
    def money_is_whole(self) -> None:
        """What an order holds is what its items cost, less what was given back on request: counted row by row."""
        left, asked = Counter[int](), Counter[int]()
        for entry in Entry.objects.all():
            left[entry.account_id] += entry.amount_minor if entry.kind == "payment" else -entry.amount_minor
            asked[entry.account_id] += entry.amount_minor if entry.reference.startswith("refund:") else 0
        for order in Order.objects.prefetch_related("lines"):
            is_over = order.status == S.CANCELLED
            assert left[order.account_id] == (0 if is_over else total_minor(order) - asked[order.account_id])
            assert left[order.account_id] >= 0

    @invariant()
    def gift_cards_hold_what_the_books_say(self) -> None:
        holds, moved, promised = Counter[int](), Counter(self.opened), Counter[int]()
        for row in GiftCardEntry.objects.all():
            holds[row.method_id] += row.amount_minor
        for entry in Entry.objects.filter(method__kind="gift_card"):
            moved[entry.method_id] += entry.amount_minor if entry.kind == "refund" else -entry.amount_minor
        for row in Reservation.objects.all():
            promised[row.method_id] += row.amount_minor
        assert holds == moved
        assert all(holds[gift] >= promised[gift] for gift in {*holds, *promised})

    @invariant()
    def states_are_legal(self) -> None:
        now = dict(Order.objects.values_list("pk", "status"))
        assert all(now[pk] in LEGAL[S(before)] for pk, before in self.states.items())
        self.states = now
        for status, requested in ((S.RETURN_REQUESTED, Return), (S.EXCHANGE_REQUESTED, Exchange)):
            assert {pk for pk, state in now.items() if state == status} == {
                row.order_id for row in requested.objects.all()
            }


def _named(name: str, key: str, value: Any) -> Any:
    """An order number or a method's id as this customer would name it."""
    if key not in ("order_number", "payment_method") or not isinstance(value, tuple):
        return value
    whose, which = value
    who = {OWN: NAMES.index(name) + 1, OTHER: 2 - NAMES.index(name), CAROL: 3}.get(whose, 9)
    return f"DZ-{who}{which}" if key == "order_number" else f"{which}_{who}"


def _skus(name: str, order_number: tuple[int, int], places: list[int]) -> list[str]:
    """The skus at these places of the order, of whomever it is."""
    number = _named(name, "order_number", order_number)
    lines = list(OrderLine.objects.filter(order__number=number).values_list("variant__sku", flat=True))
    return [lines[place] if place < len(lines) else "NOTHING" for place in places]


def _with_changes(*, places: list[int], new: str, **arguments: Any) -> dict[str, Any]:
    skus = _skus(arguments["name"], arguments["order_number"], places)
    rows = [{"sku": sku, "new_sku": SIBLING[sku] if new == "sibling" else new} for sku in skus]
    return {"changes": rows, **arguments}


def _rows() -> list[Any]:
    """Everything that an action may touch, each row with its customer first."""
    queries = (
        Order.objects.order_by("pk").values_list("customer", "pk", "status", "ship_to", "cancel_reason"),
        OrderLine.objects.values_list("order__customer", "pk", "variant", "price_minor"),
        Address.objects.values_list("customer", "pk", "line1", "is_default"),
        Entry.objects.values_list("account__customer", "pk", "amount_minor", "method"),
        GiftCardEntry.objects.values_list("method__customer", "pk", "amount_minor"),
        Reservation.objects.values_list("method__customer", "pk", "amount_minor"),
    )
    return [row for query in queries for row in query]


def test_money_and_states_hold_under_any_sequence(shop: None) -> None:
    quick = hypothesis.settings(
        max_examples=20, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    run_state_machine_as_test(Shop, settings=quick)
    assert set(Order.objects.values_list("status", flat=True)) == {S.PENDING, S.DELIVERED}  # each example was undone


@pytest.fixture
def shop(db: None, settings: Any) -> None:
    """Three customers with two pending and two delivered orders each, and no limits of refunds."""
    settings.BILLING = {"CURRENCY": "EUR"}
    mug, small = variant("Mug", sku="MUG-1", price=1900, size="L"), variant("Mug", sku="MUG-2", price=1600, size="S")
    lamp = variant("Lamp", sku="LAMP-1", price=6900, color="white")
    variant("Lamp", sku="LAMP-2", price=7400, color="black")
    sold_out(variant("Mug", sku="MUG-3", size="XL"))
    for who, name in enumerate([*NAMES, "carol"], 1):
        user = User.objects.create_user(name, f"{name}@example.com")
        visa, gift = card(user, last4=str(who)), gift_card(user, holds=9000, number=who)
        order_with(user, mug, mug, paid_with=visa, number=f"DZ-{who}0")
        order_with(user, small, paid_with=gift, number=f"DZ-{who}1")
        order_with(user, mug, lamp, paid_with=visa, number=f"DZ-{who}2", status="delivered")
        order_with(user, small, small, paid_with=gift, number=f"DZ-{who}3", status="delivered")
