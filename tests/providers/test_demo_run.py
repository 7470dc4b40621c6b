"""The demo model in whole runs over the real tools: what the customer reads."""

import pytest
from django.contrib.auth import get_user_model

from agent.models import Message, PendingAction
from agent.runs import run_agent_for_user
from billing import services as books
from billing.models import PaymentMethod, Refund
from orders.models import Order


@pytest.fixture
def customer(transactional_db):
    user = get_user_model().objects.create_user("dora", email="dora@example.com", first_name="Dora")
    card = PaymentMethod.objects.create(
        customer=user, public_id="card_1", kind=PaymentMethod.Kind.CREDIT_CARD, brand="visa", last4="4242"
    )
    account = books.open_account(user)
    books.pay(account, amount_minor=6320, method=card)
    Order.objects.create(number="DZ-10423", customer=user, status="delivered", account=account)
    return user


def answer_to(text, *, user):
    run = run_agent_for_user(text, user=user)
    assert run.state == "done"
    return Message.objects.get(run=run, author="agent").text


def test_question_about_an_order_is_answered_from_its_record(customer):
    said = answer_to("Where is my order DZ-10423?", user=customer)
    assert "DZ-10423" in said
    assert "This is what I found" not in said


def test_question_about_a_strangers_order_finds_nothing(customer):
    said = answer_to("Where is my order DZ-99999?", user=customer)
    assert said == "I cannot find order DZ-99999 in your account. Please check the number."


def test_orders_account_products_and_sums_are_told_in_words(customer):
    for text in ("Show me my orders", "Which payment methods do I have?", "Do you sell mugs?", "How much is 1.20 + 3?"):
        said = answer_to(text, user=customer)
        assert "This is what I found" not in said
        assert "cannot help" not in said


def test_refund_is_proposed_and_nothing_is_claimed(customer):
    said = answer_to("Refund 20 euros for DZ-10423", user=customer)
    assert said.startswith("Nothing has been changed yet.")
    assert (PendingAction.objects.get().tool, Refund.objects.count()) == ("refund_order", 0)


def test_impossible_cancellation_is_told_with_its_reason(customer):
    said = answer_to("Cancel DZ-10423, I no longer need it", user=customer)
    assert said.startswith("That is not possible: ")
    assert not PendingAction.objects.exists()


def test_person_is_asked_for(customer):
    assert "Your ticket is" in answer_to("I want to talk to a person", user=customer)
