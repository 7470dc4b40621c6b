"""Payment gateways: the provider's word as it is, one refund a key, and books that follow it."""

import logging
import sys
import threading
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, connection, connections, transaction
from django.db.models import F

from billing import selectors, services, transfers
from billing.errors import MethodNotChargeable, PaymentNotLinked
from billing.gateways import Outcome, Status, gateway_named, is_outside
from billing.models import Entry, Refund, Transfer
from tests.billing.books import card, gift_card
from tests.billing.stripe_server import StripeServer

pytestmark = pytest.mark.django_db

State = Transfer.State
PAID = 6320
INTENT = "pi_1"
CAUSE = "4f6c0d1e"


@pytest.fixture
def stripe(settings):
    with StripeServer({INTENT: PAID}) as server:
        settings.BILLING = {**settings.BILLING, **server.settings()}
        yield server


@pytest.fixture
def account(alice, stripe):
    """Paid by a card through Stripe."""
    account = services.open_account(alice)
    services.pay(account, amount_minor=PAID, method=card(alice), external_id=INTENT)
    return account


def refund(account, amount_minor=1000, *, cause=CAUSE):
    with transfers.caused_by(cause):
        services.refund(account, amount_minor=amount_minor)


def later(**by):
    """Let time pass for every request that was made."""
    past = timedelta(**by)
    Transfer.objects.filter(sent_at__isnull=False).update(sent_at=F("sent_at") - past, tried_at=F("tried_at") - past)


def states(cause=CAUSE):
    return [transfer.state for transfer in transfers.filed_under(cause)]


def left(account):
    return selectors.standing(account).left_minor


class TestStripe:
    def test_refund_is_made_once_however_often_it_is_asked(self, stripe):
        gateway = gateway_named("stripe")
        first = gateway.refund(INTENT, amount_minor=1000, key="a")
        again = gateway_named("stripe").refund(INTENT, amount_minor=1000, key="a")
        assert (first, again) == (Outcome(Status.SUCCEEDED, "re_1"), Outcome(Status.SUCCEEDED, "re_1"))
        assert stripe.effects == [(INTENT, 1000)]

    def test_key_that_was_used_for_something_else_says_nothing(self, stripe):
        gateway = gateway_named("stripe")
        gateway.refund(INTENT, amount_minor=1000, key="a")
        assert gateway.refund(INTENT, amount_minor=2000, key="a").status is Status.UNKNOWN
        assert stripe.effects == [(INTENT, 1000)]

    @pytest.mark.parametrize(
        ("fault", "status", "effects"),
        [
            ("timeout_before", Status.UNKNOWN, 0),
            ("timeout_after", Status.UNKNOWN, 1),
            ("cut_before", Status.UNKNOWN, 0),
            ("cut_after", Status.UNKNOWN, 1),
            ("error_before", Status.UNKNOWN, 0),
            ("error_after", Status.UNKNOWN, 1),
            ("rate_limit", Status.UNKNOWN, 0),
            ("card_error", Status.FAILED, 0),
            ("pending", Status.PENDING, 1),
            ("made_failed", Status.FAILED, 0),
        ],
    )
    def test_answer_is_never_more_certain_than_the_provider(self, stripe, fault, status, effects):
        stripe.faults = [fault]
        assert gateway_named("stripe").refund(INTENT, amount_minor=1000, key="a").status is status
        assert len(stripe.effects) == effects

    @pytest.mark.parametrize(("payment", "amount_minor"), [(INTENT, PAID + 1), ("pi_none", 1)])
    def test_refund_that_stripe_refuses_has_failed(self, stripe, payment, amount_minor):
        outcome = gateway_named("stripe").refund(payment, amount_minor=amount_minor, key="a")
        assert (outcome.status, stripe.effects) == (Status.FAILED, [])

    def test_wrong_secret_is_not_a_refusal_of_the_refund(self, stripe, settings):
        settings.BILLING["STRIPE"]["API_KEY"] = "sk_test_other"
        gateway = gateway_named("stripe")
        assert gateway.refund(INTENT, amount_minor=1, key="a").status is Status.UNKNOWN
        assert gateway.find(INTENT, key="a").status is Status.UNKNOWN

    def test_find_sees_beyond_the_first_page(self, stripe):
        gateway = gateway_named("stripe")
        for key in "abcde":
            gateway.refund(INTENT, amount_minor=100, key=key)
        assert gateway.find(INTENT, key="a") == Outcome(Status.SUCCEEDED, "re_1")
        assert gateway.find(INTENT, key="z") is None

    def test_find_that_cannot_ask_does_not_say_none(self, stripe):
        stripe.is_down = True
        assert gateway_named("stripe").find(INTENT, key="a").status is Status.UNKNOWN

    def test_gateway_without_its_secret_is_refused(self, settings):
        settings.BILLING = {**settings.BILLING, "STRIPE": {}}
        with pytest.raises(ImproperlyConfigured, match="API_KEY"):
            gateway_named("stripe")

    def test_gateway_without_its_package_says_what_to_install(self, stripe, monkeypatch):
        monkeypatch.setitem(sys.modules, "stripe", None)
        with pytest.raises(ImproperlyConfigured, match="pip install"):
            gateway_named("stripe")

    def test_log_holds_no_secret_and_no_message_of_the_provider(self, stripe, caplog):
        stripe.faults = ["error_after"]
        with caplog.at_level(logging.WARNING):
            gateway_named("stripe").refund(INTENT, amount_minor=1000, key="a")
        assert "sk_test" not in caplog.text
        assert [record.error for record in caplog.records if record.name.startswith("billing")] == [
            "APIError 500 req_test"
        ]


class TestChoice:
    def test_books_are_enough_unless_the_shop_says_otherwise(self, alice):
        assert not is_outside("credit_card")
        account = services.open_account(alice)
        services.pay(account, amount_minor=100, method=card(alice))
        services.refund(account, amount_minor=100)
        assert (Refund.objects.count(), Transfer.objects.count()) == (1, 0)

    def test_ledger_always_succeeds(self):
        ledger = gateway_named("ledger")
        assert ledger.refund("", amount_minor=1, key="a") == ledger.find("", key="a") == Outcome(Status.SUCCEEDED)

    def test_only_the_named_kinds_go_outside(self, stripe):
        assert [is_outside(kind) for kind in ("credit_card", "paypal", "gift_card")] == [True, False, False]

    def test_refund_to_a_gift_card_stays_inside(self, alice, account):
        services.refund(account, amount_minor=500, method=gift_card(alice, holds=0))
        assert (Refund.objects.count(), Transfer.objects.count()) == (1, 0)

    def test_payment_without_the_providers_id_is_neither_planned_nor_refunded(self, alice, stripe, settings):
        outside = settings.BILLING.pop("GATEWAYS")
        account = services.open_account(alice)
        services.pay(account, amount_minor=100, method=card(alice))
        settings.BILLING["GATEWAYS"] = outside
        for refused in (services.plan_refund, services.refund):
            with pytest.raises(PaymentNotLinked):
                refused(account, amount_minor=100)
        with pytest.raises(PaymentNotLinked):
            services.plan_full_refund(account)
        assert (Refund.objects.count(), stripe.requests) == (0, [])

    def test_card_is_not_charged_by_an_entry_in_the_books(self, alice, stripe):
        account = services.open_account(alice)
        with pytest.raises(MethodNotChargeable):
            services.pay(account, amount_minor=100, method=card(alice))
        assert Entry.objects.count() == 0

    def test_refund_that_nobody_would_send_is_not_booked(self, account):
        with pytest.raises(RuntimeError, match="caused_by"):
            services.refund(account, amount_minor=100)
        assert Refund.objects.count() == 0


class TestSettling:
    def test_nothing_is_sent_before_it_is_settled(self, account, stripe):
        refund(account)
        assert (states(), left(account), stripe.requests) == ([State.DUE], PAID - 1000, [])

    def test_settled_refund_is_at_the_provider_once(self, account, stripe):
        refund(account)
        for _ in range(3):
            transfers.settle(CAUSE)
        assert (states(), stripe.effects, stripe.posts()) == ([State.SUCCEEDED], [(INTENT, 1000)], [f"{CAUSE}-1"])

    def test_money_that_is_due_cannot_be_refunded_again(self, account):
        refund(account, PAID)
        assert left(account) == 0
        first = Refund.objects.get()
        with pytest.raises(IntegrityError), transaction.atomic():
            Refund.objects.create(account=account, amount_minor=1, method=first.method, payment=first.payment)

    def test_refused_refund_makes_the_books_whole_again(self, account, stripe):
        stripe.faults = ["card_error"]
        refund(account)
        transfers.settle(CAUSE)
        assert (states(), left(account), stripe.effects) == ([State.FAILED], PAID, [])
        assert list(Entry.objects.values_list("kind", "amount_minor")) == [
            ("payment", PAID), ("refund", 1000), ("reversal", 1000),
        ]  # fmt: skip

    def test_refund_that_was_taken_back_can_be_made_again_and_counts_no_limit(self, account, stripe):
        stripe.faults = ["card_error"]
        refund(account, PAID)
        transfers.settle(CAUSE)
        assert selectors.given_back(account).customer_count == 0
        refund(account, PAID, cause="another")
        transfers.settle("another")
        assert (states("another"), left(account), stripe.effects) == ([State.SUCCEEDED], 0, [(INTENT, PAID)])

    @pytest.mark.parametrize("fault", ["timeout_after", "cut_after", "error_after"])
    def test_refund_whose_answer_was_lost_is_found_and_not_sent_again(self, account, stripe, fault):
        stripe.faults = [fault]
        refund(account)
        transfers.settle(CAUSE)
        assert (states(), left(account)) == ([State.UNKNOWN], PAID - 1000)
        transfers.settle(CAUSE)
        assert (states(), stripe.effects, len(stripe.posts())) == ([State.SUCCEEDED], [(INTENT, 1000)], 1)

    @pytest.mark.parametrize("fault", ["timeout_before", "cut_before", "rate_limit"])
    def test_request_that_was_lost_is_sent_again_with_its_key_after_a_while(self, account, stripe, fault):
        stripe.faults = [fault]
        refund(account)
        transfers.settle(CAUSE)
        transfers.settle(CAUSE)
        assert (states(), len(stripe.posts())) == ([State.UNKNOWN], 1)  # too early: it may still be at work
        later(seconds=61)
        transfers.settle(CAUSE)
        assert (states(), stripe.effects) == ([State.SUCCEEDED], [(INTENT, 1000)])
        assert stripe.posts() == [f"{CAUSE}-1"] * 2

    def test_nothing_is_sent_while_the_provider_cannot_be_asked_first(self, account, stripe):
        stripe.faults = ["timeout_after"]
        refund(account)
        transfers.settle(CAUSE)
        later(minutes=5)
        stripe.is_down = True
        transfers.settle(CAUSE)
        assert (states(), len(stripe.posts())) == ([State.UNKNOWN], 1)

    def test_after_a_day_it_is_only_looked_for_and_left_to_staff(self, account, stripe):
        stripe.faults = ["cut_before"]
        refund(account)
        transfers.settle(CAUSE)
        later(hours=24)
        stripe.forget_keys()
        [transfer] = transfers.settle(CAUSE)
        assert (transfer.state, transfers.is_for_staff(transfer), len(stripe.posts())) == (State.UNKNOWN, True, 1)

    def test_error_that_the_provider_keeps_repeating_ends_with_staff_and_no_other_key(self, account, stripe):
        stripe.faults = ["error_before"]
        refund(account)
        for _ in range(4):
            transfers.settle(CAUSE)
            later(hours=6)
        [transfer] = transfers.settle(CAUSE)
        assert (transfer.state, transfers.is_for_staff(transfer), stripe.effects) == (State.UNKNOWN, True, [])
        assert set(stripe.posts()) == {f"{CAUSE}-1"}

    def test_after_a_day_it_is_still_found(self, account, stripe):
        stripe.faults = ["cut_after"]
        refund(account)
        transfers.settle(CAUSE)
        later(hours=30)
        stripe.forget_keys()
        transfers.settle(CAUSE)
        assert (states(), stripe.effects) == ([State.SUCCEEDED], [(INTENT, 1000)])

    def test_pending_refund_is_followed_to_its_end(self, account, stripe):
        stripe.faults = ["pending"]
        refund(account)
        transfers.settle(CAUSE)
        later(days=3)
        stripe.is_down = True
        transfers.settle(CAUSE)
        assert states() == [State.PENDING]  # known to be there, though nobody answers now
        stripe.is_down = False
        stripe.end("failed")
        transfers.settle(CAUSE)
        assert (states(), left(account), len(stripe.posts())) == ([State.FAILED], PAID, 1)

    def test_refund_in_parts_has_a_key_for_each(self, alice, stripe):
        stripe.payments["pi_2"] = 1000
        account, method = services.open_account(alice), card(alice)
        services.pay(account, amount_minor=PAID, method=method, external_id=INTENT)
        services.pay(account, amount_minor=1000, method=method, external_id="pi_2")
        stripe.faults = ["", "card_error"]
        refund(account, 1500)
        transfers.settle(CAUSE)
        assert (states(), stripe.posts()) == ([State.SUCCEEDED, State.FAILED], [f"{CAUSE}-1", f"{CAUSE}-2"])
        assert (stripe.effects, left(account)) == ([("pi_2", 1000)], PAID)

    def test_word_that_is_final_stays_final(self, account, stripe):
        refund(account)
        [transfer] = transfers.settle(CAUSE)
        assert transfers.record(transfer, Outcome(Status.FAILED)) is False
        with pytest.raises(IntegrityError), transaction.atomic():
            Transfer.objects.update(state=State.UNKNOWN, settled_at=None)
        assert (states(), left(account)) == ([State.SUCCEEDED], PAID - 1000)

    def test_reversal_that_is_not_its_refund_is_refused_by_the_database(self, account):
        refund(account)
        taken = Refund.objects.get()
        with pytest.raises(IntegrityError), transaction.atomic():
            Entry.objects.create(
                account=account, kind="reversal", amount_minor=999, method=taken.method, payment=taken.payment,
                reverses=taken,
            )  # fmt: skip
        assert left(account) == PAID - 1000

    def test_gateway_of_then_settles_what_was_filed_then(self, account, stripe, settings):
        refund(account)
        settings.BILLING["GATEWAYS"] = {}
        transfers.settle(CAUSE)
        assert (states(), stripe.effects) == ([State.SUCCEEDED], [(INTENT, 1000)])


@pytest.mark.django_db(transaction=True)
def test_settling_in_many_places_at_once_sends_once(account, stripe):
    refund(account)
    barrier = threading.Barrier(6)

    def work():
        try:
            barrier.wait(timeout=10)
            transfers.settle(CAUSE)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    transfers.settle(CAUSE)
    assert (states(), stripe.effects, len(stripe.posts())) == ([State.SUCCEEDED], [(INTENT, 1000)], 1)
    assert connection.in_atomic_block is False


class TestStaff:
    def say(self, client, what, *, may=True):
        person = User.objects.create_user("clerk", is_staff=True)
        names = ["view_transfer", "change_transfer"] if may else ["view_transfer"]
        person.user_permissions.set(Permission.objects.filter(codename__in=names))
        client.force_login(person)
        rows = [transfer.pk for transfer in Transfer.objects.all()]
        return client.post("/admin/billing/transfer/", {"action": what, "_selected_action": rows})

    def lose(self, account, stripe, **by):
        stripe.faults = ["cut_before"]
        refund(account)
        transfers.settle(CAUSE)
        later(**by)

    @pytest.mark.parametrize(
        ("what", "state", "back"), [("say_done", State.SUCCEEDED, 1000), ("say_refused", State.FAILED, 0)]
    )
    def test_staff_say_what_nobody_else_can_find_out(self, client, account, stripe, what, state, back):
        self.lose(account, stripe, hours=21)
        self.say(client, what)
        assert (states(), left(account)) == ([state], PAID - back)
        assert Transfer.objects.get().reason == "said by clerk"

    def test_staff_do_not_overrule_what_can_still_be_found_out(self, client, account, stripe):
        self.lose(account, stripe, hours=1)
        self.say(client, "say_refused")
        assert (states(), left(account)) == ([State.UNKNOWN], PAID - 1000)

    def test_staff_without_the_permission_say_nothing(self, client, account, stripe):
        self.lose(account, stripe, hours=21)
        self.say(client, "say_refused", may=False)
        assert (states(), left(account)) == ([State.UNKNOWN], PAID - 1000)
