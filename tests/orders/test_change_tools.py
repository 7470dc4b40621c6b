"""The tools that change what was ordered: what is proposed, in whose words, and that exactly this is done."""

import json

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import override

from agent.actions import decide
from agent.models import PendingAction
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import Refusal, ToolArgumentError
from billing import selectors as ledger
from orders import tools
from orders.models import Address, Order
from orders.sample_shop import load_sample_shop
from orders.services import change_items, exchange_items
from tests.billing.books import card, gift_card
from tests.orders.shop import everything, order_with, variant

NUMBER = "DZ-10423"
BY_GIFT_CARD = {"order_number": NUMBER, "payment_method": "gift_card_5107"}
ADDRESS = {"line1": "2 Road", "city": "Town", "state": "", "country": "Land", "zip": "12345", "line2": ""}
# Each tool with the state of the order that it is for, and arguments that fit the order below.
CALLS = [
    (tools.change_items, "pending", BY_GIFT_CARD | {"changes": [{"sku": "MUG-1", "new_sku": "MUG-2"}]}),
    (tools.change_payment, "pending", BY_GIFT_CARD),
    (tools.change_shipping_address, "pending", {"order_number": NUMBER, **ADDRESS}),
    (tools.change_default_address, "pending", ADDRESS),
    (tools.return_items, "delivered", BY_GIFT_CARD | {"skus": ["MUG-1"]}),
    (tools.exchange_items, "delivered", BY_GIFT_CARD | {"changes": [{"sku": "MUG-1", "new_sku": "MUG-2"}]}),
]
EACH_CALL = pytest.mark.parametrize(("tool", "status", "arguments"), CALLS, ids=[row[0].name for row in CALLS])


@pytest.fixture
def shelf(db):
    return variant("Mug", sku="MUG-1", price=1600, color="blue"), variant("Mug", sku="MUG-2", price=1900, color="sand")


@pytest.fixture
def gift(alice):
    return gift_card(alice, holds=5000)


def bought(user, shelf, status, **about):
    visa = user.payment_methods.filter(kind="credit_card").first() or card(user)
    return order_with(user, shelf[0], paid_with=visa, status=status, **about)


def do(tool, arguments, user):
    """As the gate does it."""
    with transaction.atomic():
        tool.lock(arguments, user=user)
        return tool.bound(user=user).call(arguments)


@EACH_CALL
def test_proposal_reads_only_and_is_words_in_both_languages(alice, shelf, gift, tool, status, arguments):
    bought(alice, shelf, status)
    before = everything()

    facts = tool.plan(tool.parse(arguments), user=alice)

    assert everything() == before
    assert json.loads(json.dumps(facts)) == facts
    english = tool.describe(facts)
    with override("de"):
        german = tool.describe(facts)
    assert all((english.title, english.sentence, english.lines, english.decline))
    assert (english.title != german.title, english.sentence != german.sentence) == (True, True)
    assert "order_number" not in arguments or NUMBER in english.sentence


@EACH_CALL
def test_tool_does_what_its_plan_said(alice, shelf, gift, tool, status, arguments):
    made = bought(alice, shelf, status)
    arguments = tool.parse(arguments)
    facts = tool.plan(arguments, user=alice)

    result = do(tool, arguments, alice)

    assert json.loads(json.dumps(result)) == result
    made.refresh_from_db()
    done = {
        "change_items": lambda: (made.lines.get().price_minor, ledger.gift_card_balance(gift)) == (1900, 4700),
        "change_payment": lambda: ledger.gift_card_balance(gift) == 5000 - facts["amount_minor"],
        "change_shipping_address": lambda: made.ship_to.line1 == facts["to"]["line1"],
        "change_default_address": lambda: Address.objects.get(is_default=True).zip == facts["to"]["zip"],
        "return_items": lambda: (
            [made.return_request.method.public_id, made.status] == [facts["method"]["id"], "return requested"]
        ),
        "exchange_items": lambda: made.exchange_request.difference_minor == facts["difference_minor"] == 300,
    }
    assert done[tool.name]()


@EACH_CALL
def test_tool_never_reaches_a_strangers_order_or_method(alice, bob, shelf, tool, status, arguments):
    """Bob has all of it; Alice names it."""
    bought(bob, shelf, status)
    gift_card(bob, holds=5000)
    bought(alice, shelf, status, number="DZ-10999")
    before = everything()
    named = [arguments, *([arguments | {"order_number": "DZ-10999"}] if "payment_method" in arguments else [])]

    for attempt in [] if tool is tools.change_default_address else named:
        with pytest.raises(Refusal, match=r"^(no such order for this customer|There is no such payment method)"):
            tool.plan(tool.parse(attempt), user=alice)
        with pytest.raises(Refusal):
            do(tool, tool.parse(attempt), alice)

    assert everything() == before


def test_change_items_says_all_of_it_in_one_sentence(alice, shelf, gift):
    bought(alice, shelf, "pending")
    tool, _, arguments = CALLS[0]
    words = tool.describe(tool.plan(arguments, user=alice))

    assert words.sentence == (
        "Change in order DZ-10423: Mug (blue) becomes sand; €3.00 to pay with the gift card ending 5107"
    )
    assert words.lines == [
        ("Order", NUMBER),
        ("Mug", "blue, €16.00 → sand, €19.00"),
        ("Difference", "€3.00 to pay with the gift card ending 5107"),
        ("Order total afterwards", "€19.00"),
    ]
    assert "neither changed nor cancelled" in words.warning


def test_change_payment_says_who_pays_and_who_gets_back(alice, shelf, gift):
    bought(alice, shelf, "pending")
    words = tools.change_payment.describe(tools.change_payment.plan(BY_GIFT_CARD, user=alice))
    assert words.sentence == (
        "Pay order DZ-10423 (€16.00) with the gift card ending 5107 instead of the card ending 4242"
    )
    assert ("Given back", "€16.00 back to the card ending 4242 (in 5 to 7 business days)") in words.lines


def test_exchange_says_that_the_difference_is_reserved(alice, shelf, gift):
    bought(alice, shelf, "delivered")
    tool, _, arguments = CALLS[5]
    words = tool.describe(tool.plan(arguments, user=alice))
    assert (
        "When",
        "Money moves when the items have arrived; until then it is reserved on the gift card.",
    ) in words.lines

    result = do(tool, arguments, alice)

    account = tools.my_account.bound(user=alice).run()
    assert (result["gift_card_balance"], result["gift_card_reserved"]) == ("50.00 EUR", "3.00 EUR")
    assert account["payment_methods"][0]["reserved"] == "3.00 EUR"
    assert "€50.00, €3.00 of it reserved for an exchange" in account["payment_methods_text"]


def test_address_is_proposed_as_it_will_be_kept(alice, shelf):
    bought(alice, shelf, "pending")
    arguments = {"order_number": NUMBER, **ADDRESS, "line1": " 2 \u202eRoad\u200b\nHouse ", "line2": "\u2066x"}
    facts = tools.change_shipping_address.plan(tools.change_shipping_address.parse(arguments), user=alice)
    assert (facts["to"]["line1"], facts["to"]["line2"]) == ("2 Road House", "x")
    assert tools.change_shipping_address.describe(facts).sentence.endswith("2 Road House, x, 12345 Town, Land")


@pytest.mark.parametrize(
    ("tool", "wrong"),
    [
        (tools.change_items, {"changes": []}),
        (tools.change_items, {"changes": [{"sku": "MUG-1"}]}),
        (tools.change_items, {"changes": [{"sku": "MUG-1", "new_sku": "MUG-2", "price": "0"}]}),
        (tools.change_items, {"changes": [["MUG-1", "MUG-2"]]}),
        (tools.change_items, {"changes": [{"sku": "MUG-1", "new_sku": "'; --"}]}),
        (tools.return_items, {"skus": []}),
        (tools.return_items, {"skus": ["MUG-1"] * 51}),
        (tools.return_items, {"skus": "MUG-1"}),
        (tools.return_items, {"payment_method": "gift card"}),
        (tools.change_default_address, {"zip": "1" * 21}),
        (tools.change_default_address, {"line1": "a\x00b"}),
        (tools.change_default_address, {"is_default": False}),
    ],
)
def test_arguments_that_do_not_fit_are_refused_without_a_query(alice, tool, wrong, django_assert_num_queries):
    fitting = next(arguments for known, _, arguments in CALLS if known is tool)
    with django_assert_num_queries(0), pytest.raises(ToolArgumentError):
        tool.parse(fitting | wrong)


def test_proposal_confirmed_after_the_price_changed_asks_again(alice, shelf, gift):
    """The whole way: the model proposes, the shop changes its price, the customer sees what is different."""
    bought(alice, shelf, "pending")
    arguments = CALLS[0][2]
    script = ScriptedClient([tool_use("change_items", arguments)], [text("Please confirm.")])
    action = PendingAction.objects.get(run=run_agent_for_user("Sand, please", user=alice, client=script))
    type(shelf[1]).objects.filter(pk=shelf[1].pk).update(price_minor=2000)

    first = decide(action.pk, user=alice, decision="confirm", digest=action.digest)
    assert (first.decided_now, Order.objects.get().status) == (False, "pending")

    again = PendingAction.objects.get(pk=action.pk)
    second = decide(action.pk, user=alice, decision="confirm", digest=again.digest)
    assert (second.action.state, ledger.gift_card_balance(gift)) == ("executed", 4600)


def test_order_status_says_what_can_be_done_now(alice, shelf, gift):
    waiting = bought(alice, shelf, "pending")
    look = tools.order_status.bound(user=alice)

    can = look.run(order_number=NUMBER)["can_do_now"]
    assert [name for name, is_open in can.items() if is_open is True] == [
        "cancel_order",
        "change_items",
        "change_payment",
        "change_shipping_address",
    ]
    change_items(waiting, changes=[("MUG-1", "MUG-2")], method=gift)
    assert not any(value is True for value in look.run(order_number=NUMBER)["can_do_now"].values())


def test_order_status_of_a_delivered_order_says_that_it_can_go_back_once(alice, shelf, gift):
    made = bought(alice, shelf, "delivered")
    look = tools.order_status.bound(user=alice)

    first = look.run(order_number=NUMBER)
    exchange_items(made, changes=[("MUG-1", "MUG-2")], method=gift)
    second = look.run(order_number=NUMBER)

    assert (first["can_do_now"]["return_items"], first["can_do_now"]["exchange_items"]) == (True, True)
    assert "Its items can be returned or exchanged, once." in first["can_do_text"]
    assert (second["can_do_now"]["return_items"], second["status"]) == (False, "exchange requested")


def test_order_status_names_what_was_given_back(alice, shelf, gift):
    bought(alice, shelf, "pending")
    do(tools.change_payment, BY_GIFT_CARD, alice)
    result = tools.order_status.bound(user=alice).run(order_number=NUMBER)
    assert result["paid_with"] == ["16.00 EUR, Visa ending 4242", "16.00 EUR, Gift card ending 5107"]
    assert result["refunded_to"] == ["16.00 EUR, Visa ending 4242"]


def test_find_products_by_a_sku_gives_all_variants_of_its_product(alice, shelf):
    variant("Lamp", sku="LAMP-1", color="blue")
    [product] = tools.find_products.bound(user=alice).run(query="MUG-1")["products"]
    assert [row["sku"] for row in product["variants"]] == ["MUG-1", "MUG-2"]


@pytest.mark.parametrize("tool", [row[0] for row in CALLS], ids=lambda tool: tool.name)
def test_examples_can_be_done_in_the_sample_shop_and_their_answers_fill(db, tool):
    load_sample_shop()
    for example in tool.examples:
        arguments = tool.parse(dict(example.arguments))
        made = Order.objects.filter(number=arguments.get("order_number")).first()
        if made is None and "order_number" in arguments:
            continue  # a number in the style of another shop
        user = made.customer if made else User.objects.get(username="anna")
        with transaction.atomic(), override(example.language):
            result = do(tool, arguments, user)
            transaction.set_rollback(True)
        assert example.answer % result
