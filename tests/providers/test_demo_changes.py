"""The demo model in the sample shop, over the real tools: what it proposes of what customers describe in words."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction

from agent.models import AgentRun, Message, PendingAction
from agent.runs.start import ask
from agent.tasks import run_agent_task
from agent.tools import registry
from orders.models import Order
from orders.sample_shop import HELP_ARTICLES, load_sample_shop

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def sample_shop(django_db_setup, django_db_blocker) -> Iterator[None]:
    """Loaded once; each test undoes its own changes, and the last line undoes the shop."""
    with django_db_blocker.unblock(), transaction.atomic():
        load_sample_shop()
        call_command("load_help", HELP_ARTICLES, verbosity=0)
        yield
        transaction.set_rollback(True)


def talk(username: str, *texts: str, language: str = "en") -> AgentRun:
    """A conversation; the run that answers its last sentence."""
    user, conversation = User.objects.get(username=username), None
    for text in texts:
        run = ask(user, text, conversation, language=language)
        run_agent_task(str(run.pk))
        run.refresh_from_db()
        assert run.state == "done"
        conversation = run.conversation
    return run


def answer(run: AgentRun) -> str:
    return Message.objects.get(run=run, author="agent").text


def swap(old: str, new: str) -> dict[str, str]:
    return {"sku": old, "new_sku": new}


CARD, GIFT = "credit_card_4242", "gift_card_5107"
LINDEN = {"line1": "Lindenallee 20", "zip": "10585", "city": "Berlin", "country": "Germany", "state": "", "line2": ""}

# Who writes what, one sentence after the other, and the proposal that it ends in: tool, order and what else is asked.
PROPOSED: list[tuple[str, list[str], str, str, dict[str, Any]]] = [
    (
        "anna",
        ["I want to return the lamp from DZ-10402, money back to my card"],
        "return_items",
        "DZ-10402",
        {"skus": ["LAMP-BRAS-MAIN"], "payment_method": CARD},
    ),
    (
        "anna",
        ["Please return my desk lamp", "onto the gift card"],
        "return_items",
        "DZ-10402",
        {"skus": ["LAMP-BRAS-MAIN"], "payment_method": GIFT},
    ),
    (
        "anna",
        ["Ich möchte das Messer und das Brett aus DZ-10414 zurückschicken, bitte auf die Geschenkkarte"],
        "return_items",
        "DZ-10414",
        {"skus": ["KNIFE-OLIV-16CM", "BOARD-WALN-SMAL"], "payment_method": GIFT},
    ),
    (
        "anna",
        ["I want to return something", "DZ-10414", "the mug", "the card ending 4242"],
        "return_items",
        "DZ-10414",
        {"skus": ["MUG-SAND-250M"], "payment_method": CARD},
    ),
    (
        "elif",
        ["I want to return the mugs of DZ-10413, money to the original payment method"],
        "return_items",
        "DZ-10413",
        {"skus": ["MUG-MOSS-250M"] * 2, "payment_method": "gift_card_8842"},
    ),
    (
        "elif",
        ["Die Becher aus DZ-10413 zurückgeben, auf die Geschenkkarte", "einen"],
        "return_items",
        "DZ-10413",
        {"skus": ["MUG-MOSS-250M"], "payment_method": "gift_card_8842"},
    ),
    (
        "elif",
        ["I want to exchange one of the mugs in DZ-10413 for a sand one, gift card"],
        "exchange_items",
        "DZ-10413",
        {"changes": [swap("MUG-MOSS-250M", "MUG-SAND-250M")], "payment_method": "gift_card_8842"},
    ),
    (
        "clara",
        ["Return everything in DZ-10410"],
        "return_items",
        "DZ-10410",
        {"skus": ["BEANS-DARK-1KG", "NOTES-DOTT-A5"], "payment_method": "credit_card_1881"},
    ),
    (
        "david",
        ["Exchange the jacket from DZ-10403, on my card", "a yellow one in XL"],
        "exchange_items",
        "DZ-10403",
        {"changes": [swap("JACKET-NAVY-L", "JACKET-YELL-XL")], "payment_method": "credit_card_9054"},
    ),
    (
        "ben",
        ["Exchange the mug from DZ-10405", "the sand one", "250 ml please"],
        "exchange_items",
        "DZ-10405",
        {"changes": [swap("MUG-SAND-400M", "MUG-SAND-250M")], "payment_method": "paypal_2210"},
    ),
    (
        "anna",
        ["Exchange the knife and the board in DZ-10414: walnut for the knife, oak for the board, card please"],
        "exchange_items",
        "DZ-10414",
        {
            "changes": [swap("KNIFE-OLIV-16CM", "KNIFE-WALN-16CM"), swap("BOARD-WALN-SMAL", "BOARD-OAK-SMAL")],
            "payment_method": CARD,
        },
    ),
    (  # not sent yet: it is changed, not exchanged
        "greta",
        ["Exchange the lamp in DZ-10430 for a white one, PayPal"],
        "change_items",
        "DZ-10430",
        {"changes": [swap("LAMP-BRAS-USBC", "LAMP-WHIT-USBC")], "payment_method": "paypal_4455"},
    ),
    (
        "clara",
        ["Change the beans in DZ-10426 to dark, card", "both"],
        "change_items",
        "DZ-10426",
        {"changes": [swap("BEANS-MEDI-1KG", "BEANS-DARK-1KG")] * 2, "payment_method": "credit_card_1881"},
    ),
    (
        "greta",
        ["Change the payment of DZ-10430 from my card to PayPal"],
        "change_payment",
        "DZ-10430",
        {"payment_method": "paypal_4455"},
    ),
    (
        "greta",
        ["Zahlen möchte ich DZ-10430 lieber anders", "mit PayPal"],
        "change_payment",
        "DZ-10430",
        {"payment_method": "paypal_4455"},
    ),
    (
        "anna",
        ["Change the shipping address of DZ-10428 to Lindenallee 20, 10585 Berlin"],
        "change_shipping_address",
        "DZ-10428",
        LINDEN,
    ),
    (
        "anna",
        ["Change my delivery address to 5 New Street", "DZ-10428", "Dublin, D04 X2K5", "Ireland"],
        "change_shipping_address",
        "DZ-10428",
        {"line1": "5 New Street", "zip": "D04 X2K5", "city": "Dublin", "country": "Ireland", "state": "", "line2": ""},
    ),
    ("anna", ["Change my default address to Lindenallee 20, 10585 Berlin"], "change_default_address", "", LINDEN),
    ("anna", ["Ich bin umgezogen: Lindenallee 20, 10585 Berlin"], "change_default_address", "", LINDEN),
    (
        "anna",
        ["Refund 20 euros for DZ-10414 to my gift card"],
        "refund_order",
        "DZ-10414",
        {"amount": "20.00", "payment_method": GIFT},
    ),
]


@pytest.mark.parametrize(("who", "texts", "tool", "number", "others"), PROPOSED, ids=[row[1][0] for row in PROPOSED])
def test_what_is_described_is_proposed(who, texts, tool, number, others):
    run = talk(who, *texts)
    action = PendingAction.objects.get()
    assert (action.tool, action.arguments) == (tool, {**({"order_number": number} if number else {}), **others})
    assert answer(run).startswith(("Nothing has been changed yet.", "Es wurde noch nichts geändert."))


# Who writes what, and what is said instead of a proposal.
OPEN = [
    (
        "anna",
        "Can I send back the lamp from DZ-10402?",
        "Which payment method do you mean?\n- Visa ending 4242\n- Gift",
    ),
    (
        "anna",
        "I want to return the hat from DZ-10402",
        "Which item do you mean?\n- Desk Lamp (",
    ),
    ("anna", "Return the lamp and the hat from DZ-10402, card", "Which item do you mean?\n- Desk Lamp ("),
    ("anna", "DZ-10414 zurückgeben, Karte", "Was meinen Sie (Artikel)?\n- Chef's Knife ("),
    ("anna", "Return all but the mug of DZ-10414, card", "Which item do you mean?\n- Chef's Knife ("),
    ("anna", "Cancel DZ-10428 and return the lamp from DZ-10402", "Which order do you mean?\n- DZ-10428\n- DZ-10402"),
    ("ben", "Return one of the mugs in DZ-10405, PayPal", "Which item do you mean?\n- Stoneware Mug ("),
    ("anna", "Do not return the lamp from DZ-10402", "All right."),
    ("david", "Jacke aus DZ-10403 umtauschen in gelb oder navy, Karte", "Was möchten Sie statt Rain Jacket ("),
    ("ben", "Exchange the mug from DZ-10405 for a moss one", "Which item do you mean?\n- Stoneware Mug ("),
    (
        "ben",
        "Exchange the blue mug of DZ-10405 for a moss one",
        "That is not possible: Stoneware Mug (MUG-MOSS-400M) is",
    ),
    (
        "anna",
        "Change the kettle in DZ-10428 to pink, gift card",
        "What would you like instead of Pour-over Kettle (",
    ),
    ("anna", "Exchange DZ-10423 for a blue one", "That is not possible now. Order DZ-10423 is on its way with DHL"),
    ("hugo", "Return the socks of DZ-10409", "That is not possible now. An exchange was requested for order DZ-10409."),
    ("anna", "Return the lamp from DZ-99999", "I cannot find order DZ-99999 in your account."),
    ("anna", "Send DZ-10428 to Hafenstraße 3, 20359 Hamburg", "What is missing of the address: country?"),
    ("ben", "Use my card for DZ-10429", "Which payment method do you mean?\n- PayPal"),
    ("anna", "Do you have hats?", "Nothing in the shop fits that."),
    ("anna", "Haben Sie Rucksäcke?", "Canvas Backpack, from €79.00"),
]


@pytest.mark.parametrize(("who", "text", "said"), OPEN, ids=[row[1] for row in OPEN])
def test_what_is_open_or_impossible_is_said_and_nothing_is_proposed(who, text, said):
    assert answer(talk(who, text)).startswith(said)
    assert not PendingAction.objects.exists()


@pytest.mark.parametrize(
    ("text", "language", "cited"),
    [
        ("What is your return policy?", "en", "From our help: [Returning items, version 1]("),
        ("How long do I have to return something?", "en", "From our help: [Returning items, version 1]("),
        ("Wie lange dauert eine Rückerstattung?", "de", "Aus unserer Hilfe: ["),
    ],
)
def test_question_about_the_rules_is_answered_with_the_article_it_rests_on(text, language, cited):
    assert cited in answer(talk("anna", text, language=language))


def test_question_that_no_article_answers_is_not_guessed():
    said = answer(talk("anna", "What is your policy on zzgrmpf?"))
    assert "do not guess" in said or "From our help" in said


def test_copy_of_the_conversation_is_sent():
    assert (
        answer(talk("anna", "E-mail me the transcript"))
        == "A copy of this conversation is on its way to anna@example.com."
    )


def test_choice_that_there_is_not_is_asked_for_again():
    question = "Which payment method do you mean?\n- Visa ending 4242\n- Gift card ending 5107, 70.00 EUR"
    assert answer(talk("anna", "Return the lamp from DZ-10402", "PayPal")) == question


def test_another_wish_may_follow_a_question():
    said = answer(talk("anna", "Return the lamp from DZ-10402", "Actually, where is DZ-10423?"))
    assert said.startswith("Order DZ-10423 is on its way")


LOOKED_UP = ("change_items", "exchange_items", "return_items", "change_payment", "change_shipping_address")
EXAMPLES = [(name, example) for name in LOOKED_UP for example in registry.all_tools()[name].examples]


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[example.says for _, example in EXAMPLES])
def test_example_ends_in_its_own_call(name, example):
    """Where the example leaves the payment method open, it is answered by its id."""
    order = Order.objects.filter(number=example.arguments["order_number"]).select_related("customer").first()
    who = order.customer.username if order else "anna"
    run = talk(who, example.says)
    if answer(run).startswith(("Which payment method", "Was meinen Sie (Zahlungsart)")):
        run = talk(who, example.says, example.arguments["payment_method"])
    last = run.steps.last()
    assert (last.tool, last.arguments) == (name, example.arguments)
