"""SECURITY 15: money that moves at a payment provider: one refund, and no word of it before it is known."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone
from waffle.testutils import override_switch

from agent import actions
from agent.actions.settling import reconciler
from agent.models import AuditEntry, Handoff, Message, PendingAction
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import registry
from billing import selectors, services
from billing.gateways import Outcome, Status
from billing.models import PaymentMethod, Refund, Transfer
from billing.transfers import record
from orders.models import Order
from tests.agent.odd_gateways import Killed
from tests.agent.test_gate import at_once, decide, proposed
from tests.billing.stripe_server import StripeServer

pytestmark = pytest.mark.django_db

State = PendingAction.State
PAID = 6320
INTENT = "pi_1"
NUMBER = "DZ-10001"


@pytest.fixture
def stripe(settings):
    with StripeServer({INTENT: PAID}) as server:
        settings.BILLING = {**settings.BILLING, **server.settings()}
        yield server


@pytest.fixture
def order(customer, stripe):
    card = PaymentMethod.objects.create(
        customer=customer, public_id="card_1", kind=PaymentMethod.Kind.CREDIT_CARD, brand="visa", last4="4242"
    )
    account = services.open_account(customer)
    services.pay(account, amount_minor=PAID, method=card, external_id=INTENT)
    return Order.objects.create(number=NUMBER, customer=customer, status="delivered", account=account)


@pytest.fixture
def action(customer, order):
    return proposed(customer, order_number=NUMBER, amount="10.00")


def later(**by):
    """Let time pass for every action and request that is under way."""
    past = timedelta(**by)
    PendingAction.objects.filter(check_at__isnull=False).update(
        check_at=F("check_at") - past, decided_at=F("decided_at") - past
    )
    Transfer.objects.filter(sent_at__isnull=False, settled_at=None).update(
        sent_at=F("sent_at") - past, tried_at=F("tried_at") - past
    )


def state_of(action):
    return PendingAction.objects.values_list("state", flat=True).get(pk=action.pk)


def left(order):
    return selectors.standing(order.account).left_minor


def news():
    return [text.split(action_words, 1)[-1] for text in _system_texts() for action_words in ("card ending 4242 ",)]


def _system_texts():
    return Message.objects.filter(author=Message.Author.SYSTEM).order_by("id").values_list("text", flat=True)


def kinds():
    return list(AuditEntry.objects.order_by("sequence").values_list("kind", flat=True))


class TestKnownAtOnce:
    def test_refund_is_made_and_the_action_is_done(self, customer, order, action, stripe):
        decision = decide(action, by=customer)
        assert (decision.decided_now, decision.action.state) == (True, State.EXECUTED)
        assert (stripe.effects, left(order)) == ([(INTENT, 1000)], PAID - 1000)
        assert kinds() == ["action.proposed", "action.confirmed", "action.executing", "action.executed"]
        assert ["it was done" in words for words in news()] == [True]

    def test_key_at_the_provider_is_made_from_the_action(self, customer, action, stripe):
        decide(action, by=customer)
        assert stripe.posts() == [f"{action.pk}-1"]

    def test_refused_refund_leaves_everything_as_it_was(self, customer, order, action, stripe):
        stripe.faults = ["card_error"]
        decision = decide(action, by=customer)
        assert (decision.action.state, left(order), stripe.effects) == (State.FAILED, PAID, [])
        assert "Nothing was refunded, and nothing was taken from you" in decision.action.reason
        assert (len(news()), Handoff.objects.count()) == (1, 0)

    def test_refund_that_failed_can_be_asked_for_again(self, customer, order, action, stripe):
        stripe.faults = ["card_error"]
        decide(action, by=customer)
        again = proposed(customer, order_number=NUMBER, amount="10.00")
        assert decide(again, by=customer).action.state == State.EXECUTED
        assert (stripe.effects, left(order)) == ([(INTENT, 1000)], PAID - 1000)

    def test_second_confirmation_sends_nothing(self, customer, action, stripe):
        decide(action, by=customer)
        again = decide(action, by=customer)
        assert (again.decided_now, again.action.state, len(stripe.requests)) == (False, State.EXECUTED, 1)

    def test_changed_facts_send_nothing(self, customer, order, action, stripe):
        assert decide(action, by=customer, digest="0" * 64).action.state == State.PENDING
        assert (stripe.requests, left(order)) == ([], PAID)

    def test_what_the_books_can_do_alone_is_done_at_once(self, customer, order, stripe):
        services.open_gift_card(customer, public_id="gift_card_1", amount_minor=0)
        action = proposed(customer, order_number=NUMBER, amount="10.00", payment_method="gift_card_1")
        assert decide(action, by=customer).action.state == State.EXECUTED
        assert (kinds(), stripe.requests) == (["action.proposed", "action.confirmed", "action.executed"], [])

    def test_refused_refund_of_a_cancellation_says_what_stands_and_calls_a_person(self, customer, order, stripe):
        Order.objects.update(status="pending")
        action = proposed(customer, "cancel_order", order_number=NUMBER, reason="no longer needed")
        stripe.faults = ["card_error"]
        done = decide(action, by=customer).action
        order.refresh_from_db()
        assert (done.state, order.status, left(order)) == (State.FAILED, "cancelled", PAID)
        assert "€63.20 to the card ending 4242" in done.reason
        assert "Everything else that you confirmed was done." in done.reason
        assert Handoff.objects.get().conversation == action.run.conversation


class TestUnknown:
    @pytest.mark.parametrize("fault", ["timeout_after", "cut_after", "error_after"])
    def test_lost_answer_ends_in_one_refund_and_a_receipt(self, customer, order, action, stripe, fault):
        stripe.faults = [fault]
        assert decide(action, by=customer).action.state == State.UNKNOWN
        later(seconds=31)
        assert actions.reconcile() == 1
        assert (state_of(action), stripe.effects, len(stripe.posts())) == (State.EXECUTED, [(INTENT, 1000)], 1)
        assert kinds() == [
            "action.proposed",
            "action.confirmed",
            "action.executing",
            "action.unknown",
            "action.executed",
        ]

    @pytest.mark.parametrize("fault", ["timeout_before", "cut_before", "rate_limit"])
    def test_lost_request_ends_in_one_refund_with_the_same_key(self, customer, action, stripe, fault):
        stripe.faults = [fault]
        decide(action, by=customer)
        later(seconds=61)
        assert actions.reconcile() == 1
        assert (state_of(action), stripe.effects) == (State.EXECUTED, [(INTENT, 1000)])
        assert stripe.posts() == [f"{action.pk}-1"] * 2

    def test_reconciled_twice_is_done_once(self, customer, action, stripe):
        stripe.faults = ["timeout_after"]
        decide(action, by=customer)
        later(seconds=31)
        assert [actions.reconcile(), actions.reconcile()] == [1, 0]
        assert (len(stripe.effects), len(news())) == (1, 2)

    def test_nothing_is_asked_before_its_time(self, customer, action, stripe):
        stripe.faults = ["timeout_after"]
        decide(action, by=customer)
        before = len(stripe.requests)
        assert (actions.reconcile(), len(stripe.requests)) == (0, before)

    def test_conversation_hears_first_that_it_is_checked_and_then_that_it_was_done(self, customer, action, stripe):
        stripe.faults = ["timeout_after"]
        decide(action, by=customer)
        later(seconds=31)
        actions.reconcile()
        checked, done = news()
        assert "being checked" in checked
        assert "neither that it was done nor that it failed" in checked
        assert "it was done" in done

    def test_unknown_is_never_told_as_failed(self, customer, order, action, stripe):
        stripe.faults = ["timeout_after"]
        decide(action, by=customer)
        stripe.is_down = True
        for _ in range(3):
            later(minutes=20)
            actions.reconcile()
        assert (state_of(action), left(order), len(news())) == (State.UNKNOWN, PAID - 1000, 1)

    def test_refund_found_to_have_failed_makes_the_books_whole(self, customer, order, action, stripe):
        stripe.faults = ["pending"]
        assert decide(action, by=customer).action.state == State.EXECUTING
        assert "not done yet" in news()[0]
        stripe.end("failed")
        later(seconds=31)
        actions.reconcile()
        assert (state_of(action), left(order), stripe.effects) == (State.FAILED, PAID, [])

    def test_pending_refund_is_under_way_until_it_succeeds(self, customer, action, stripe):
        stripe.faults = ["pending"]
        decide(action, by=customer)
        later(days=2)
        assert (actions.reconcile(), state_of(action)) == (0, State.EXECUTING)
        stripe.end("succeeded")
        later(minutes=16)
        assert (actions.reconcile(), state_of(action), len(stripe.posts())) == (1, State.EXECUTED, 1)

    def test_same_refund_is_not_proposed_while_it_is_checked(self, customer, order, action, stripe):
        stripe.faults = ["timeout_after"]
        decide(action, by=customer)
        call = tool_use("refund_order", order_number=NUMBER, amount="10.00")
        run = run_agent_for_user("Again!", user=customer, client=ScriptedClient([call], [text("It is being checked.")]))
        assert (run.steps.get().outcome, PendingAction.objects.count()) == ("refused", 1)
        assert "still being checked" in run.steps.get().result

    def test_switched_off_tool_is_reconciled_all_the_same(self, customer, action, stripe):
        stripe.faults = ["timeout_after"]
        decide(action, by=customer)
        later(seconds=31)
        with override_switch("tool.refund_order", active=False):
            actions.reconcile()
        assert state_of(action) == State.EXECUTED

    def test_after_a_day_a_person_is_called_once_and_may_say_what_happened(self, customer, order, action, stripe):
        stripe.faults = ["cut_before"]
        decide(action, by=customer)
        stripe.forget_keys()
        for _ in range(3):
            later(hours=24)
            actions.reconcile()
        action.refresh_from_db()
        assert (action.state, len(stripe.posts()), Handoff.objects.count()) == (State.UNKNOWN, 1, 1)
        assert "A member of staff is looking into it" in action.reason
        record(Transfer.objects.get(), Outcome(Status.SUCCEEDED, reason="by hand"))
        later(minutes=16)
        actions.reconcile()
        action.refresh_from_db()
        assert (action.state, action.reason, left(order)) == (State.EXECUTED, "", PAID - 1000)

    def test_tool_that_is_gone_leaves_it_to_a_person(self, customer, action, stripe):
        stripe.faults = ["timeout_after"]
        decide(action, by=customer)
        later(seconds=31)
        registry.load(["agent.own_tools"])
        try:
            actions.reconcile()
        finally:
            registry.load()
        assert (state_of(action), Handoff.objects.count()) == (State.UNKNOWN, 1)


class TestKilled:
    @pytest.mark.parametrize(
        ("gateway", "waits"),
        [("DiesBeforeTheTry", 31), ("DiesBeforeTheCall", 61), ("DiesAfterTheCall", 31)],
    )
    def test_process_that_dies_is_finished_by_another_once(
        self, customer, order, action, stripe, settings, gateway, waits
    ):
        known = settings.BILLING["GATEWAYS"]
        settings.BILLING["GATEWAYS"] = {"credit_card": f"tests.agent.odd_gateways.{gateway}"}
        with pytest.raises(Killed):
            decide(action, by=customer)
        assert (state_of(action), left(order)) == (State.EXECUTING, PAID - 1000)
        settings.BILLING["GATEWAYS"] = known
        Transfer.objects.update(gateway="stripe")
        later(seconds=waits)
        assert [actions.reconcile(), actions.reconcile()] == [1, 0]
        assert (state_of(action), stripe.effects, Refund.objects.count()) == (State.EXECUTED, [(INTENT, 1000)], 1)

    def test_gateway_that_cannot_be_made_leaves_it_executing_until_it_can(self, customer, action, stripe, settings):
        secret = settings.BILLING["STRIPE"].pop("API_KEY")
        assert decide(action, by=customer).action.state == State.EXECUTING
        settings.BILLING["STRIPE"]["API_KEY"] = secret
        later(seconds=31)
        assert (actions.reconcile(), state_of(action), len(stripe.effects)) == (1, State.EXECUTED, 1)

    def test_gateway_that_is_never_made_calls_a_person_after_a_day_and_goes_on(
        self, customer, action, stripe, settings
    ):
        secret = settings.BILLING["STRIPE"].pop("API_KEY")
        decide(action, by=customer)
        for _ in range(2):
            later(hours=25)
            actions.reconcile()
        assert (state_of(action), Handoff.objects.count(), stripe.requests) == (State.UNKNOWN, 1, [])
        settings.BILLING["STRIPE"]["API_KEY"] = secret
        later(minutes=16)
        assert (actions.reconcile(), state_of(action), len(stripe.effects)) == (1, State.EXECUTED, 1)


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_ten_confirmations_give_one_refund(self, customer, action, stripe):
        results = at_once([lambda: decide(action, by=customer) for _ in range(10)])
        assert [type(result) for result in results] == [actions.Decision] * 10
        assert sum(result.decided_now for result in results) == 1
        assert (state_of(action), stripe.effects, len(stripe.posts())) == (State.EXECUTED, [(INTENT, 1000)], 1)

    def test_keeper_lets_it_be_found_out_beside_its_heartbeat(self, customer, action, stripe):
        stripe.faults = ["timeout_after"]
        decide(action, by=customer)
        later(seconds=31)
        actions.reconcile_soon()
        reconciler.thread.join(timeout=10)
        assert (state_of(action), len(stripe.effects)) == (State.EXECUTED, 1)

    def test_ten_confirmations_of_a_lost_answer_and_five_reconcilers_give_one_refund(self, customer, action, stripe):
        stripe.faults = ["timeout_after"]
        results = at_once([lambda: decide(action, by=customer) for _ in range(10)])
        assert {result.action.state for result in results} <= {State.EXECUTING, State.UNKNOWN}
        later(seconds=61)
        counts = at_once([actions.reconcile for _ in range(5)])
        assert (sum(counts), state_of(action)) == (1, State.EXECUTED)
        assert (stripe.effects, len(stripe.posts()), Refund.objects.count()) == ([(INTENT, 1000)], 1, 1)


class TestPage:
    @pytest.fixture
    def client(self, client, customer):
        client.force_login(customer)
        return client

    @pytest.fixture
    def address(self, action):
        return f"/agent/actions/{action.pk}/"

    def confirm(self, client, action, address, **more):
        return client.post(address, {"decision": "confirm", "digest": action.digest}, **more)

    @pytest.mark.parametrize("fault", ["timeout_after", "pending"])
    def test_page_says_that_it_is_checked_and_looks_again_by_itself(self, client, action, address, stripe, fault):
        stripe.faults = [fault]
        assert self.confirm(client, action, address).status_code == 302
        page = client.get(address)
        assert page.status_code == 200
        for words in ('http-equiv="refresh"', "data-waiting", "nothing is done twice"):
            assert words in page.text
        for words in ("not possible", "Nothing was changed", "was done.", 'name="decision"', "Receipt"):
            assert words not in page.text

    def test_json_holds_no_result_before_it_is_done(self, client, action, address, stripe):
        stripe.faults = ["timeout_after"]
        told = self.confirm(client, action, address, headers={"Accept": "application/json"}).json()
        assert (told["state"], told["result"]) == ("unknown", None)
        later(seconds=31)
        actions.reconcile()
        told = client.get(address, headers={"Accept": "application/json"}).json()
        assert (told["state"], told["result"]["refunded"]) == ("executed", "10.00 EUR")

    def test_receipt_replaces_the_waiting_page(self, client, action, address, stripe):
        stripe.faults = ["timeout_after"]
        self.confirm(client, action, address)
        later(seconds=31)
        actions.reconcile()
        page = client.get(address)
        assert "You confirmed this, and it was done." in page.text
        assert "http-equiv" not in page.text

    def test_failed_refund_is_told_in_words_without_a_stamp_of_success(self, client, action, address, stripe):
        stripe.faults = ["card_error"]
        self.confirm(client, action, address)
        page = client.get(address)
        assert "nothing was taken from you" in page.text
        assert "it was done" not in page.text

    def test_second_post_while_it_is_checked_shows_the_same_page(self, client, action, address, stripe):
        stripe.faults = ["timeout_after"]
        self.confirm(client, action, address)
        again = self.confirm(client, action, address)
        assert (again.status_code, "data-waiting" in again.text, len(stripe.posts())) == (200, True, 1)
        assert PendingAction.objects.get().check_at > timezone.now()
