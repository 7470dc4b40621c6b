"""SECURITY 47: nothing of an erased person is left anywhere in the database, but for what is listed with its reason."""

import json
from io import StringIO
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from agent import audit, personal_data
from agent.errors import CannotErase, LeaseLost, NotFound, TokenRefused
from agent.models import AgentRun, AuditEntry, Conversation, LegalHold, PendingAction
from agent.personal_data import exporting, hooks
from agent.personal_data.reach import rows_of
from agent.runs import leases, run_agent_for_user
from agent.runs.start import ask
from agent.testing import ScriptedClient, text, tool_use
from billing.models import Entry, PaymentMethod
from orders.models import Address, Order
from tests.agent.conftest import paid_order
from tests.conftest import PASSWORD
from tests.personal_data.planting import Planter, dump


@pytest.fixture
def planted(bob: User) -> Planter:
    planter = Planter(bob)
    planter.plant()
    return planter


def is_kept(label: str) -> bool:
    """By its field, or by its model where all of that stays."""
    reasons, (app, model, _field) = hooks.kept(), label.split(".")
    whole = {name for name in hooks.KEPT if name not in ("auth.User", "admin.LogEntry")}
    return label in reasons or f"{app}.{model}" in whole | {"orders.Product", "orders.Variant"}


def test_every_model_was_planted(planted: Planter) -> None:
    before = dump()
    assert [label for marker, label in planted.markers.items() if marker not in before] == []
    assert len(planted.markers) > 60


def test_nothing_of_an_erased_person_is_left_but_what_is_listed(planted: Planter) -> None:
    personal_data.erase(planted.user, apply=True)
    after = dump()
    left = {label for marker, label in planted.markers.items() if marker in after}
    assert {label for label in left if not is_kept(label)} == set()
    assert all(hooks.kept().values())


def test_nothing_begins_for_a_person_who_was_forgotten_since_they_signed_in(bob: User) -> None:
    stale = User.objects.get(pk=bob.pk)
    personal_data.erase(bob, apply=True)
    with pytest.raises(NotFound):
        ask(stale, "Where is my order?")
    assert (Conversation.objects.count(), AgentRun.objects.count()) == (0, 0)


def test_short_columns_are_emptied_too(planted: Planter) -> None:
    PaymentMethod.objects.update(last4="4242")
    personal_data.erase(planted.user, apply=True)
    assert list(PaymentMethod.objects.values_list("last4", "brand")) == [("", "")]


def test_dry_run_changes_nothing_and_tells_the_same(planted: Planter) -> None:
    before = dump()
    tried = personal_data.erase(planted.user, apply=False)
    assert dump() == before
    assert personal_data.erase(planted.user, apply=True) == tried
    assert tried.erased["agent.Conversation"] == 1


def test_rows_are_found_whose_key_has_no_way_back(alice: User, bob: User) -> None:
    """With `related_name="+"` Django tells the account nothing of them."""
    run = run_agent_for_user("Hello", user=alice, client=ScriptedClient([text("Hello.")]))
    AgentRun.objects.filter(pk=run.pk).update(user=bob)
    assert rows_of(bob)[AgentRun] == {run.pk}
    assert personal_data.export(bob)["agent.ModelTurn"]
    assert personal_data.erase(bob, apply=True).erased["agent.AgentRun"] == 1


def test_others_keep_everything(planted: Planter, alice: User) -> None:
    paid_order(alice, number="DZ-30001")
    run_agent_for_user("Hello there", user=alice, client=ScriptedClient([text("Hello.")]))
    before = personal_data.export(alice)
    personal_data.erase(planted.user, apply=True)
    assert personal_data.export(alice) == before


def test_export_has_everything_that_erasing_removes(planted: Planter, tmp_path: Path) -> None:
    file = tmp_path / "bob.json"
    call_command("export_person", planted.user.username, to=file, stdout=StringIO())
    assert file.stat().st_mode & 0o777 == 0o600
    found, after = file.read_text(), dump()
    personal_data.erase(planted.user, apply=True)
    after = dump()
    gone = {marker: label for marker, label in planted.markers.items() if marker not in after}
    assert {label for marker, label in gone.items() if marker not in found and not withheld(label)} == set()
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export_person", f"erased-{planted.user.pk}", to=file, stdout=StringIO())


def withheld(label: str) -> bool:
    app, model, name = label.split(".")
    owner = {"sessions.Session"}  # a sign-in is no row of the account; it holds a key and who it is
    is_secret = name in exporting.SECRET or label in exporting.SECRET_FIELDS | exporting.NOT_THEIRS
    return is_secret or f"{app}.{model}" in owner


def test_receipt_is_recorded_and_the_audit_stays_whole(alice: User) -> None:
    paid_order(alice, number="DZ-10001")
    client = ScriptedClient([tool_use("refund_order", order_number="DZ-10001", amount="10.00")], [text("Confirm it.")])
    run_agent_for_user("My money back", user=alice, client=client)
    audit.anchor_now()
    entries = AuditEntry.objects.count()
    receipt = personal_data.erase(alice, apply=True)
    kinds = list(AuditEntry.objects.order_by("pk").values_list("kind", flat=True))[entries:]
    assert kinds == ["action.rejected", "person.erased"]
    assert (list(audit.findings()), PendingAction.objects.count(), Conversation.objects.count()) == ([], 0, 0)
    assert receipt.kept["agent.AuditEntry"] == (entries + 1, hooks.KEPT["agent.AuditEntry"])
    assert (Order.objects.count(), Entry.objects.count(), receipt.kept["orders.Order"][0]) == (1, 1, 1)


def test_command_prints_what_goes_and_what_stays_and_why(alice: User) -> None:
    paid_order(alice, number="DZ-10001")
    out = StringIO()
    call_command("erase_person", alice.email, stdout=out)
    said = out.getvalue()
    assert "1  orders.Order: invoices are kept as long as tax law asks; number: the number of the invoice" in said
    assert "Nothing was erased: repeat it with --apply." in said
    call_command("erase_person", "alice", apply=True, stdout=out)
    alice.refresh_from_db()
    assert (alice.username, alice.email, alice.is_active) == (f"erased-{alice.pk}", "", False)
    with pytest.raises(CommandError, match="nobody called alice"):
        call_command("erase_person", "alice", stdout=out)


class TestRefusals:
    def assert_refused(self, user: User, words: str) -> None:
        before = dump()
        with pytest.raises(CannotErase, match=words):
            personal_data.erase(user, apply=True)
        assert dump() == before

    def test_legal_hold_keeps_everything(self, alice: User) -> None:
        LegalHold.objects.create(user=alice, reason="a lawsuit")
        self.assert_refused(alice, "There is a legal hold: a lawsuit.")

    def test_order_on_its_way_needs_its_address(self, alice: User) -> None:
        paid_order(alice, number="DZ-10001", status="shipped")
        self.assert_refused(alice, "Order DZ-10001 is not over yet.")

    def test_money_under_way_is_waited_for(self, alice: User) -> None:
        PendingAction.objects.create(
            user=alice, tool="t", digest="d", summary="s", state="unknown",
            expires_at=timezone.now(), decided_at=timezone.now(), check_at=timezone.now(),
        )  # fmt: skip
        self.assert_refused(alice, "1 confirmed actions are still under way")


@pytest.mark.django_db
class TestAccess:
    def test_sessions_and_sign_in_end(self, client: Client, alice: User, bob: User) -> None:
        client.force_login(alice)
        others = Client()
        others.force_login(bob)
        assert client.get("/agent/history/").status_code == 200
        personal_data.erase(alice, apply=True)
        assert client.get("/agent/history/").status_code == 302
        assert (others.get("/agent/history/").status_code, Session.objects.count()) == (200, 1)
        assert Client().login(username="alice", password=PASSWORD) is False

    def test_tokens_open_nothing(self, alice: User) -> None:
        from agent.access import personal

        _row, token = personal.make_token(alice, name="mine", scopes=[personal.SCOPES[0]], days=7)
        personal_data.erase(alice, apply=True)
        with pytest.raises(TokenRefused):
            personal.find_token(token)

    def test_run_at_work_writes_nothing_more(self, alice: User) -> None:
        run = ask(alice, "Where is my order?")
        lease = leases.claim(run.pk)
        personal_data.erase(alice, apply=True)
        with pytest.raises(LeaseLost):
            lease.fence(partial_text="Your order")
        assert AgentRun.objects.count() == 0

    def test_addresses_of_kept_orders_are_emptied_and_others_deleted(self, alice: User) -> None:
        order = paid_order(alice, number="DZ-10001")
        place = {"line1": "Main street 1", "city": "Lyon", "country": "FR", "zip": "69001"}
        order.ship_to = Address.objects.create(customer=alice, **place)
        order.save()
        Address.objects.create(customer=alice, is_default=True, **place)
        EmailAddress.objects.create(user=alice, email="a@example.com", verified=True)
        personal_data.erase(alice, apply=True)
        assert list(Address.objects.values_list("line1", "city", "zip", "country")) == [("", "", "", "FR")]
        assert EmailAddress.objects.count() == 0


def test_export_is_json_and_holds_no_secret(planted: Planter) -> None:
    rows = json.loads(json.dumps(personal_data.export(planted.user), default=str))
    assert {"auth.User", "agent.Message", "orders.Order"} <= rows.keys()
    assert "password" not in rows["auth.User"][0]
    assert "token_hash" not in rows["agent.PersonalToken"][0]
