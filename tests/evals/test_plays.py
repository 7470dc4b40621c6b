"""The recorded cases, played otherwise: by customers who decline, click twice, come late or are strangers."""

import json

import pytest
from django.contrib.auth.models import User
from django.db.models import F

from agent.evals import Call, Customer, Play
from agent.evals.snapshot import rows_of
from agent.models import PendingAction
from config.cases import differences
from config.cases.replay import Replay, steps_of
from orders.models import Address, Order, OrderLine

pytestmark = pytest.mark.django_db

State = PendingAction.State
ORDER_WRITES = (
    "cancel_order",
    "change_items",
    "change_payment",
    "change_shipping_address",
    "return_items",
    "exchange_items",
)
WRITES = (*ORDER_WRITES, "change_default_address")
EVERY = 12  # of the recorded cases, as they were recorded; `make cases` plays them all
NOBODYS = "#W0000000"


def case_with(recorded, tool):
    """The first case in which this write has to work, and nothing has to be refused."""
    for case in recorded:
        refused = any(case.must_refuse(place) for place in range(len(case.gold)))
        if not refused and any(step.call.tool == tool for step in steps_of(case)):
            return case
    raise AssertionError(f"no recorded case has {tool}")


def write_of(case, tool):
    return next(step.call for step in steps_of(case) if step.call.tool == tool)


def user_of(case):
    return User.objects.get(username=case.customer)


def shop():
    return rows_of(table for table in differences.shop_tables() if table is not User)  # signing in moves a date


# As recorded ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(EVERY // 4))
def test_recorded_cases_end_in_the_right_state(recorded, first):
    replay = Replay()
    sample = recorded[first * 4 :: EVERY * 3]
    assert {case.id: replay.problems_of(case) for case in sample} == {case.id: [] for case in sample}


@pytest.mark.parametrize("tool", WRITES)
def test_each_write_ends_in_the_right_state(recorded, tool):
    assert Replay().problems_of(case_with(recorded, tool)) == []


# The customer says no ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", WRITES)
def test_declined_case_changes_nothing(recorded, tool):
    case, before = case_with(recorded, tool), shop()
    play = Play(user_of(case), decide=Customer.decline)
    played = play.perform([step.call for step in steps_of(case)], says=case.instruction.reason)
    states = {done.action.state for done in played if done.action}
    assert (states, shop() == before) == ({State.REJECTED}, True)


# The customer clicks twice -------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", WRITES)
def test_confirming_twice_does_it_once_and_shows_the_receipt(recorded, tool):
    answers = []

    def confirm_twice(customer, action):
        digest = customer.read(action)["digest"]
        answers.extend(customer.decide(action, "confirm", digest=digest) for _ in range(2))

    problems = Replay(decide=confirm_twice).problems_of(case_with(recorded, tool))
    told = [(answer.status_code, answer.json()["state"]) for answer in answers]
    assert (problems, set(told), len(told) % 2) == ([], {(200, State.EXECUTED)}, 0)


# The order changes between proposal and confirmation -----------------------------------------------------------


def confirmed_after(change, case, tool):
    """Propose one write, let something change, confirm what was shown before. Returns what happened to the shop."""
    seen = {}

    def decide(customer, action):
        digest = customer.read(action)["digest"]
        change(action)
        seen["before"] = shop()
        seen["answer"] = customer.decide(action, "confirm", digest=digest)
        seen["after"] = shop()

    played = Play(user_of(case), decide=decide).perform([write_of(case, tool)], says="Please do it.")
    return seen["answer"], played[0].action, seen["before"] == seen["after"]


@pytest.mark.parametrize("tool", ORDER_WRITES)
def test_order_that_went_on_is_left_alone_with_a_reason(recorded, tool):
    case = case_with(recorded, tool)
    orders = Order.objects.filter(number=write_of(case, tool).arguments["order_number"])
    answer, action, same = confirmed_after(lambda _: orders.update(status=Order.Status.PROCESSED), case, tool)
    assert (answer.status_code, action.state, bool(action.reason), same) == (200, State.FAILED, True, True)


def _other_prices(action):
    OrderLine.objects.filter(order__number=action.arguments["order_number"]).update(price_minor=F("price_minor") + 100)


def _other_address(action):
    Address.objects.filter(customer=action.user).update(line2="Suite 1000")


@pytest.mark.parametrize(
    ("tool", "change"),
    [
        ("cancel_order", _other_prices),
        ("change_items", _other_prices),
        ("return_items", _other_prices),
        ("exchange_items", _other_prices),
        ("change_shipping_address", _other_address),
        ("change_default_address", _other_address),
    ],
)
def test_other_facts_are_asked_about_again_and_nothing_is_done(recorded, tool, change):
    answer, action, same = confirmed_after(change, case_with(recorded, tool), tool)
    assert (answer.status_code, action.state, same) == (409, State.PENDING, True)
    assert answer.json()["digest"] == action.digest


# Another customer's order --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ORDER_WRITES)
def test_strangers_order_is_answered_like_one_that_is_not_there(recorded, tool):
    case, before = case_with(recorded, tool), shop()
    stranger = User.objects.exclude(username=case.customer).filter(orders__isnull=False).first()
    call = write_of(case, tool)
    look = Call("order_status", {"order_number": call.arguments["order_number"]})
    theirs = Play(stranger).perform([look, call], says="Please do it.")
    absent = [Call(each.tool, {**each.arguments, "order_number": NOBODYS}) for each in (look, call)]
    nobodys = Play(stranger).perform(absent, says="Please do it.")
    assert [done.result for done in theirs] == [done.result for done in nobodys]
    assert all(done.refusal and done.action is None for done in theirs)
    assert shop() == before


@pytest.mark.parametrize("tool", ["change_items", "change_payment", "return_items", "exchange_items"])
def test_strangers_payment_method_is_answered_like_one_that_is_not_there(recorded, tool):
    case, before = case_with(recorded, tool), shop()
    stranger = User.objects.exclude(username=case.customer).filter(payment_methods__kind="paypal").first()
    call = write_of(case, tool)
    methods = [stranger.payment_methods.filter(kind="paypal")[0].public_id, "paypal_0"]
    calls = [Call(tool, {**call.arguments, "payment_method": method}) for method in methods]
    theirs, nobodys = Play(user_of(case)).perform(calls, says="Please do it.")
    assert (theirs.result, theirs.action, shop() == before) == (nobodys.result, None, True)
    assert theirs.refusal


def test_no_read_tells_anything_of_a_stranger(recorded):
    case = case_with(recorded, "cancel_order")
    number = write_of(case, "cancel_order").arguments["order_number"]
    order = Order.objects.select_related("ship_to", "customer").get(number=number)
    stranger = User.objects.exclude(pk=order.customer_id).first()
    reads = [Call("my_account"), Call("list_orders"), Call("order_status", {"order_number": number})]
    methods = order.customer.payment_methods.values_list("public_id", flat=True)
    secrets = [number, order.ship_to.line1, order.customer.last_name, *methods]

    def told(user):
        texts = json.dumps([done.texts for done in Play(user).perform(reads, says="What do you have?")])
        return [secret for secret in secrets if secret in texts]

    assert (told(order.customer), told(stranger)) == (secrets, [])
