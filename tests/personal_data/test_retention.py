"""SECURITY 47: what is past its period goes, in batches; nobody under a legal hold loses anything."""

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from agent import audit, duties, personal_data
from agent.models import (
    AgentRun,
    AgentStep,
    AuditEntry,
    Conversation,
    Duty,
    Event,
    LegalHold,
    Message,
    ModelTurn,
    OutgoingMail,
    PendingAction,
)
from agent.personal_data import retention
from agent.runs import direct, run_agent_for_user
from agent.runs.history import messages_of
from agent.runs.leases import DUTIES
from agent.runs.start import ask
from agent.testing import ScriptedClient, text, tool_use

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(alice: User) -> AgentRun:
    client = ScriptedClient([tool_use("list_orders")], [text("You have none.")])
    return run_agent_for_user("What have I ordered?", user=alice, client=client)


def rest(**ago: int) -> None:
    Conversation.objects.update(updated_at=timezone.now() - timedelta(**ago))


def test_fresh_rows_stay(run: AgentRun) -> None:
    rest(days=89)
    assert set(personal_data.apply().values()) == {0}


def test_raw_prompts_and_results_go_first_and_words_stay(run: AgentRun) -> None:
    rest(days=91)
    said = list(Message.objects.values_list("text", flat=True))
    assert personal_data.overdue()["runs"] == personal_data.apply()["runs"] == 1
    run.refresh_from_db()
    assert (run.prompt, run.state) == ("", "done")
    assert [turn.content for turn in ModelTurn.objects.all()] == [[], []]
    assert list(AgentStep.objects.values_list("result", flat=True)) == [""]
    assert [step.arguments for step in AgentStep.objects.all()] == [{}]
    assert (list(Message.objects.values_list("text", flat=True)), personal_data.apply()["runs"]) == (said, 0)


def test_emptied_conversation_can_be_read_and_goes_on(run: AgentRun, alice: User, staff: User, client: Client) -> None:
    rest(days=91)
    personal_data.apply()
    staff.user_permissions.add(Permission.objects.get(codename="view_agentrun"))
    client.force_login(staff)
    assert client.get(f"/staff/runs/{run.pk}/").status_code == 200
    again = ask(alice, "And now?", conversation=run.conversation)
    assert [message["role"] for message in messages_of(again) if message["role"] != "system"] == ["user", "user"]


def test_conversations_go_with_all_that_belongs_to_them(run: AgentRun) -> None:
    rest(days=731)
    audit.record(run.conversation_id, actor="agent", kind="k", subject="s", payload={})
    assert personal_data.apply()["messages"] == 1
    assert [model.objects.count() for model in (Conversation, AgentRun, Message, Event)] == [0] * 4
    assert (AuditEntry.objects.count(), list(audit.findings())) == (1, [])


class TestCallsOfPrograms:
    """What a program asks for is filed in one conversation, which is never at rest while the program is used."""

    def called(self, user: User, *, days_ago: int) -> AgentStep:
        step = direct.call(user, "list_orders", {}, client=direct.Client("desk", "Desk"), offered=["list_orders"])
        then = timezone.now() - timedelta(days=days_ago)
        AgentRun.objects.filter(pk=step.run_id).update(finished_at=then)
        Event.objects.filter(data__run=str(step.run_id)).update(created_at=then)
        return step

    def test_raw_results_go_by_the_age_of_the_call(self, alice: User) -> None:
        old, new = self.called(alice, days_ago=91), self.called(alice, days_ago=89)
        assert personal_data.apply() == {**dict.fromkeys(personal_data.CLASSES, 0), "runs": 1}
        kept = AgentStep.objects.exclude(result="").get()
        assert (kept.pk, old.pk != new.pk, AgentRun.objects.get(pk=old.run_id).prompt) == (new.pk, True, "")

    def test_the_whole_call_goes_later(self, alice: User) -> None:
        self.called(alice, days_ago=731)
        new = self.called(alice, days_ago=729)
        gone = personal_data.apply()
        assert (gone["calls"], gone["events"], gone["messages"]) == (1, 1, 0)
        assert (AgentStep.objects.get().pk, Event.objects.count(), Conversation.objects.count()) == (new.pk, 1, 1)

    def test_a_proposal_that_waits_keeps_its_call(self, alice: User) -> None:
        step = self.called(alice, days_ago=731)
        PendingAction.objects.create(
            user=alice, run=step.run, tool="t", digest="d", summary="s", expires_at=timezone.now()
        )
        assert personal_data.apply()["calls"] == 0

    def test_legal_hold_keeps_them(self, alice: User) -> None:
        self.called(alice, days_ago=731)
        LegalHold.objects.create(user=alice, reason="a lawsuit")
        assert set(personal_data.apply().values()) == {0}


def test_what_is_at_work_stays(alice: User) -> None:
    ask(alice, "Where is my order?")
    rest(days=800)
    assert (set(personal_data.apply().values()), AgentRun.objects.count()) == ({0}, 1)


def test_legal_hold_keeps_its_customers_rows_until_it_is_lifted(run: AgentRun, alice: User) -> None:
    old = timezone.now() - timedelta(days=800)
    OutgoingMail.objects.create(key="k", to=alice.email, subject="s", text="t", sent_at=old)
    OutgoingMail.objects.update(created_at=old)
    rest(days=800)
    hold = LegalHold.objects.create(user=alice, reason="a lawsuit")
    assert set(personal_data.apply().values()) == {0}
    LegalHold.objects.filter(pk=hold.pk).update(lifted_at=timezone.now())
    removed = personal_data.apply()
    assert (removed["messages"], removed["mails"]) == (1, 1)


def test_class_without_a_period_is_kept(run: AgentRun, settings) -> None:
    settings.AGENT = {**settings.AGENT, "RETENTION": {"runs": None, "messages": None}}
    rest(days=8000)
    assert (personal_data.apply(), Conversation.objects.count()) == ({}, 1)


def test_batches_go_on_where_one_was_cut_off(alice: User, monkeypatch) -> None:
    monkeypatch.setattr(retention, "AT_A_TIME", 2)
    for number in range(5):
        run_agent_for_user(f"Question {number}", user=alice, client=ScriptedClient([text("Yes.")]))
    rest(days=731)
    assert [personal_data.apply(batches=1)["messages"] for _ in range(4)] == [2, 2, 1, 0]


def test_command_counts_and_removes_only_when_told(run: AgentRun) -> None:
    rest(days=91)
    out = StringIO()
    call_command("retention", stdout=out)
    assert ("runs             1  90 days" in out.getvalue(), AgentRun.objects.exclude(prompt="").count()) == (True, 1)
    call_command("retention", apply=True, stdout=out)
    assert AgentRun.objects.exclude(prompt="").count() == 0


def test_duty_is_claimed_once_and_again_when_it_is_due() -> None:
    hour = timedelta(hours=1)
    assert [duties.claim("d", again_in=hour) for _ in range(2)] == [True, False]
    Duty.objects.update(next_at=timezone.now() - hour)
    assert [duties.claim("d", again_in=hour) for _ in range(2)] == [True, False]


@pytest.mark.parametrize("is_on", [False, True])
@pytest.mark.django_db(transaction=True)
def test_worker_removes_only_where_the_shop_said_so(run: AgentRun, settings, monkeypatch, is_on: bool) -> None:
    assert personal_data.apply_soon in DUTIES
    monkeypatch.setattr(retention.keeping, "thread", None)
    settings.AGENT = {**settings.AGENT, "RETENTION_AUTOMATIC": is_on}
    rest(days=91)
    personal_data.apply_soon()
    if retention.keeping.thread:
        retention.keeping.thread.join(timeout=10)
    assert AgentRun.objects.exclude(prompt="").exists() is not is_on


def test_hold_is_placed_and_lifted_in_the_admin_and_names_who(admin_client: Client, admin_user: User, alice) -> None:
    admin_client.post("/admin/agent/legalhold/add/", {"user": alice.pk, "reason": "a lawsuit"})
    hold = LegalHold.objects.get()
    assert (hold.user, hold.placed_by, hold.lifted_at) == (alice, admin_user, None)
    admin_client.post("/admin/agent/legalhold/", {"action": "lift", "_selected_action": [hold.pk]})
    hold.refresh_from_db()
    assert hold.lifted_at is not None
