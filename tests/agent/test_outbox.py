"""Mail through rows: once, retried, given up where staff see it; what the transcript says and to whom it goes."""

import json
import threading
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from agent import handoffs, outbox, transcripts
from agent.errors import Refusal
from agent.models import AgentStep, Conversation, Event, Handoff, OutgoingMail
from agent.runs import run_agent_for_user
from agent.runs.leases import Keeper
from agent.runs.start import open_conversation
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import registry
from tests.agent.test_gate import at_once

LETTER = outbox.Letter(subject="Hello\nBcc: x@example.com", text="Words.\x00\n", html="<p>Words.</p>")


class BrokenServer(BaseEmailBackend):
    """A mail server that takes nothing."""

    def send_messages(self, email_messages):
        raise ConnectionRefusedError("no mail server\x00 here")


@pytest.fixture
def broken(settings):
    settings.EMAIL_BACKEND = f"{__name__}.BrokenServer"


def write(key="k", **fields):
    return outbox.write(LETTER, key=key, to="alice@example.com", **fields)


def later(**pause):
    return timezone.now() + timedelta(**pause)


@pytest.mark.django_db
class TestOutbox:
    def test_mail_leaves_once_as_text_and_html(self):
        write()
        assert (outbox.send_due(), outbox.send_due(later(days=9))) == (1, 0)
        [sent] = mail.outbox
        assert (sent.to, sent.subject, sent.body) == (["alice@example.com"], "Hello Bcc: x@example.com", "Words.\n")
        assert sent.alternatives[0][0] == "<p>Words.</p>"
        row = OutgoingMail.objects.get()
        assert (row.sent_at is not None, row.due_at, row.attempts, row.last_error) == (True, None, 1, "")

    def test_same_key_writes_one_mail(self):
        assert (write(), write(), write("other")) == (True, False, True)
        assert OutgoingMail.objects.count() == 2

    def test_mail_of_a_transaction_that_fails_is_never_written(self):
        with transaction.atomic():
            write()
            transaction.set_rollback(True)
        assert outbox.send_due() == 0

    def test_same_mail_has_the_same_message_id_each_time(self):
        write()
        outbox.send_due()
        OutgoingMail.objects.update(sent_at=None, due_at=timezone.now())
        outbox.send_due()
        first, second = (sent.extra_headers["Message-ID"] for sent in mail.outbox)
        assert first == second

    def test_failed_mail_is_tried_again_after_growing_pauses_and_then_given_up(self, broken):
        write()
        pauses = []
        now = timezone.now()
        for _ in range(outbox.MOST_TRIES):
            assert outbox.send_due(now) == 0
            row = OutgoingMail.objects.get()
            pauses.append(round((row.due_at - timezone.now()).total_seconds() / 60) if row.due_at else None)
            OutgoingMail.objects.filter(due_at__isnull=False).update(due_at=now)
        assert pauses == [1, 5, 30, 120, 480, None]
        assert (row.attempts, row.sent_at) == (6, None)
        assert row.last_error == "ConnectionRefusedError: no mail server here"
        assert outbox.send_due(later(days=9)) == 0

    def test_mail_waits_for_its_pause(self, broken):
        write()
        outbox.send_due()
        outbox.send_due()
        assert OutgoingMail.objects.get().attempts == 1

    def test_one_bad_mail_does_not_hold_up_the_next(self, settings):
        write("bad")
        OutgoingMail.objects.update(to="not an address\n")
        write("good")
        outbox.send_due()
        assert [sent.to for sent in mail.outbox] == [["alice@example.com"]]

    def test_failure_never_logs_the_address(self, broken, caplog):
        write()
        outbox.send_due()
        assert "did not leave" in caplog.text
        assert "alice" not in caplog.text

    def test_database_refuses_a_sent_mail_that_is_due(self):
        write()
        with pytest.raises(IntegrityError), transaction.atomic():
            OutgoingMail.objects.update(sent_at=timezone.now())


@pytest.mark.django_db(transaction=True)
def test_eight_senders_send_each_mail_once(db):
    for number in range(3):
        write(f"k{number}")
    left = at_once([outbox.send_due for _ in range(8)])
    assert sum(left) == 3
    assert len(mail.outbox) == 3


@pytest.mark.django_db(transaction=True)
def test_keeper_lets_mail_leave_beside_it(db, settings, monkeypatch):
    """The duty returns at once; what it started is waited for here."""
    settings.AGENT = {**settings.AGENT, "LEASE_SECONDS": 0}
    stopping = threading.Event()
    keeper = Keeper(stopping=stopping)
    postman = outbox.postman
    monkeypatch.setattr(postman, "thread", None)
    write()
    thread = threading.Thread(target=keeper.work, daemon=True)
    thread.start()
    deadline = timezone.now() + timedelta(seconds=10)
    while postman.thread is None and timezone.now() < deadline:
        thread.join(timeout=0.02)
    stopping.set()
    thread.join(timeout=10)
    postman.thread.join(timeout=10)
    assert [sent.subject for sent in mail.outbox] == ["Hello Bcc: x@example.com"]


# The transcript --------------------------------------------------------------------------------------------


@pytest.fixture
def verified(customer):
    return EmailAddress.objects.create(user=customer, email="alice@example.com", verified=True, primary=True)


def ask_for_transcript(customer, *calls):
    turns = [[call] for call in calls or [tool_use("email_transcript")]]
    client = ScriptedClient(*turns, [text("It is on its way.")])
    run = run_agent_for_user("Mail me <b>this</b> chat", user=customer, client=client)
    return run, [json.loads(result) for result in run.steps.values_list("result", flat=True)]


@pytest.mark.django_db
class TestTranscript:
    def test_goes_to_the_accounts_own_address(self, customer, verified):
        run, [result] = ask_for_transcript(customer)
        assert result == {"status": "on its way", "sent_to": "alice@example.com"}
        row = OutgoingMail.objects.get()
        assert (row.to, row.conversation, row.sent_at) == ("alice@example.com", run.conversation, None)

    def test_holds_what_was_said_with_times_and_says_that_an_ai_answered(self, customer, verified):
        ask_for_transcript(customer, tool_use("list_orders"), tool_use("email_transcript"))
        row = OutgoingMail.objects.get()
        assert "Mail me <b>this</b> chat" in row.text
        assert "Mail me &lt;b&gt;this&lt;/b&gt; chat" in row.html
        for content in (row.text, row.html):
            assert "artificial intelligence" in content
            assert "UTC" in content
            assert "You" in content

    def test_names_proposals_with_state_and_reference(self, customer, verified, order):
        refund = tool_use("refund_order", order_number=order.number, amount="10.00")
        run, _ = ask_for_transcript(customer, refund, tool_use("email_transcript"))
        row, action = OutgoingMail.objects.get(key__startswith="transcript:"), run.actions.get()
        for content in (row.text, row.html):
            assert action.summary in content
            assert f"{action.reference}" in content
            assert "waiting for you" in content

    def test_no_address_can_be_given(self, customer, verified):
        assert registry.all_tools()["email_transcript"].schema["properties"] == {}
        run, _ = ask_for_transcript(customer, tool_use("email_transcript", address="thief@example.com"))
        assert run.steps.get().outcome == AgentStep.Outcome.INVALID
        assert OutgoingMail.objects.count() == 0

    @pytest.mark.parametrize("fields", [None, {"verified": False}])
    def test_account_without_a_confirmed_address_is_refused(self, customer, stranger, fields):
        EmailAddress.objects.create(user=stranger, email="bob@example.com", verified=True, primary=True)
        if fields:
            EmailAddress.objects.create(user=customer, email="alice@example.com", primary=True, **fields)
        run, [result] = ask_for_transcript(customer)
        assert "no confirmed e-mail address" in result["error"]
        assert (run.steps.get().outcome, OutgoingMail.objects.count()) == (AgentStep.Outcome.REFUSED, 0)

    def test_second_in_the_hour_is_refused_and_a_later_one_is_not(self, customer, verified):
        run, [_, second] = ask_for_transcript(customer, tool_use("email_transcript"), tool_use("email_transcript"))
        assert "less than an hour ago" in second["error"]
        OutgoingMail.objects.update(created_at=timezone.now() - timedelta(minutes=61))
        transcripts.mail_transcript(run.conversation, user=customer)
        assert OutgoingMail.objects.count() == 2

    def test_two_calls_of_one_turn_send_one(self, customer, verified):
        client = ScriptedClient([tool_use("email_transcript"), tool_use("email_transcript")], [text("ok")])
        run = run_agent_for_user("Mail it", user=customer, client=client)
        assert list(run.steps.values_list("outcome", flat=True)) == ["ok", "refused"]
        assert OutgoingMail.objects.count() == 1

    def test_another_conversation_has_an_hour_of_its_own(self, customer, verified):
        ask_for_transcript(customer)
        ask_for_transcript(customer)
        assert OutgoingMail.objects.count() == 2

    def test_worker_that_died_before_its_commit_leaves_no_mail_and_the_next_sends_one(self, customer, verified):
        conversation = open_conversation(customer, title="x")
        with transaction.atomic():
            transcripts.mail_transcript(conversation, user=customer)
            transaction.set_rollback(True)
        assert OutgoingMail.objects.count() == 0
        transcripts.mail_transcript(conversation, user=customer)
        assert OutgoingMail.objects.count() == 1

    def test_shop_without_mail_says_so(self, customer, verified, settings):
        settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
        with pytest.raises(Refusal, match="does not send e-mail"):
            transcripts.mail_transcript(open_conversation(customer, title="x"), user=customer)
        assert OutgoingMail.objects.count() == 0

    def test_news_for_the_model_is_not_in_it(self, customer, verified):
        conversation = open_conversation(customer, title="x")
        conversation.messages.create(author="system", text="for the model alone")
        conversation.messages.create(author="staff", text="I asked the carrier.")
        transcripts.mail_transcript(conversation, user=customer)
        row = OutgoingMail.objects.get()
        assert "for the model alone" not in row.text + row.html
        assert "I asked the carrier." in row.text


@pytest.mark.django_db(transaction=True)
def test_transcripts_asked_for_at_once_are_one(customer):
    EmailAddress.objects.create(user=customer, email="alice@example.com", verified=True, primary=True)
    conversation = open_conversation(customer, title="x")

    def ask():
        with transaction.atomic():
            return transcripts.mail_transcript(Conversation.objects.get(pk=conversation.pk), user=customer)

    results = at_once([ask for _ in range(6)])
    assert sorted(type(result).__name__ for result in results) == ["Refusal"] * 5 + ["str"]
    assert OutgoingMail.objects.count() == 1


# Hand-off --------------------------------------------------------------------------------------------------


@pytest.fixture
def with_staff_address(settings):
    settings.AGENT = {**settings.AGENT, "STAFF_EMAIL": "team@example.com", "ANSWER_HOURS": "by tomorrow noon"}


def hand_off(customer, *, summary="Wants <a> person."):
    call = tool_use("hand_off", reason="complaint", summary=summary)
    run = run_agent_for_user("A person!", user=customer, client=ScriptedClient([call], [call], [text("ok")]))
    return run, json.loads(run.steps.first().result)


@pytest.mark.django_db
class TestHandOff:
    def test_customer_is_told_when_an_answer_comes(self, customer, with_staff_address):
        run, result = hand_off(customer)
        assert result["answer_expected"] == "by tomorrow noon"
        assert Event.objects.get(kind="handoff").data["answer"] == "by tomorrow noon"
        client = Client()
        client.force_login(customer)
        assert "by tomorrow noon" in client.get(f"/agent/runs/{run.pk}/").content.decode()

    def test_staff_get_one_mail_with_the_summary(self, customer, with_staff_address):
        hand_off(customer)
        row = OutgoingMail.objects.get()
        assert (row.to, row.subject) == ("team@example.com", f"{Handoff.objects.get()}: a complaint")
        assert "Wants <a> person." in row.text
        assert "Wants &lt;a&gt; person." in row.html
        assert "/staff/runs/" in row.text

    def test_shop_without_an_address_for_staff_writes_no_mail(self, customer):
        _, result = hand_off(customer)
        assert (result["answer_expected"], OutgoingMail.objects.count()) == ("within one business day", 0)

    def test_ticket_asked_for_on_a_page_writes_the_mail_too(self, customer, with_staff_address):
        handoffs.open_ticket(open_conversation(customer, title="x"), reason="asked_for_a_person")
        assert OutgoingMail.objects.get().subject == f"{Handoff.objects.get()}: the customer asked for a person"


# The admin -------------------------------------------------------------------------------------------------


@pytest.mark.django_db
class TestAdmin:
    @pytest.fixture
    def desk(self, staff):
        staff.user_permissions.add(Permission.objects.get(codename="view_outgoingmail"))
        client = Client()
        client.force_login(staff)
        return client

    @pytest.fixture
    def given_up(self):
        write()
        OutgoingMail.objects.update(due_at=None, attempts=outbox.MOST_TRIES, last_error="ConnectionRefusedError: away")

    def send_again(self, desk):
        chosen = [str(pk) for pk in OutgoingMail.objects.values_list("pk", flat=True)]
        desk.post("/admin/agent/outgoingmail/", {"action": "send_again", "_selected_action": chosen})
        return OutgoingMail.objects.get().due_at is not None

    def test_given_up_mail_is_seen_with_its_error(self, desk, given_up):
        page = desk.get("/admin/agent/outgoingmail/").content.decode()
        assert "given up" in page
        assert "ConnectionRefusedError: away" in page

    def test_who_may_only_look_cannot_send_again(self, desk, given_up):
        assert self.send_again(desk) is False

    def test_who_may_change_sends_again_what_was_given_up(self, desk, given_up, staff):
        staff.user_permissions.add(Permission.objects.get(codename="change_outgoingmail"))
        assert self.send_again(desk) is True
        assert outbox.send_due() == 1


@pytest.mark.django_db(transaction=True)
def test_eight_conversations_handed_off_at_once_have_eight_numbers(alice):
    conversations = [open_conversation(alice, title=f"Conversation {number}") for number in range(8)]
    works = [lambda each=each: handoffs.open_ticket(each, reason="asked_for_a_person") for each in conversations]
    tickets = at_once(works)
    assert len({ticket.number for ticket in tickets}) == 8
