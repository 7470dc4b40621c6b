"""The replay of cases: what it takes for right, what it finds wrong, and what it says of a folder."""

import json

import pytest
from django.contrib.auth.models import User
from django.test import override_settings

from agent.models import AgentRun, Conversation, Handoff, PendingAction
from billing.models import GiftCardEntry, Refund
from config.cases import differences
from config.cases.__main__ import prepare
from config.cases.calls import check_names, signed_in
from config.cases.folder import CaseFileError, Gold, read_cases
from config.cases.replay import Replay, replay, undone
from orders.models import Order, Variant
from orders.shop_files import import_shop
from tests.evals import small_shop
from tests.evals.small_shop import ANNA, BEN, BENS, GIFT, SENT, WAITING

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path):
    small_shop.write(tmp_path)
    import_shop(tmp_path)
    return tmp_path


@pytest.fixture
def played(folder):
    """Plays cases of the small shop; returns what was said and whether all passed."""

    def play(*cases):
        lines = []
        passed = replay(read_cases(small_shop.write(folder, *cases)), say=lines.append)
        return "\n".join(lines), passed

    return play


def test_case_that_ends_as_expected_passes_and_leaves_nothing_behind(played):
    said, passed = played(small_shop.case())
    assert (said, passed) == ("1 passed, 0 failed", True)
    assert [model.objects.count() for model in (Conversation, AgentRun, PendingAction, Refund)] == [0, 0, 0, 0]
    assert Order.objects.get(number=WAITING).status == "pending"


def test_difference_is_named_with_what_was_expected_and_what_was_found(played):
    expected = small_shop.case()["expected"]
    expected["orders"][WAITING]["cancel_reason"] = "no longer needed"
    expected["customers"][ANNA]["balances_cents"][GIFT] = 5991
    said, passed = played(small_shop.case(expected=expected))
    assert not passed
    assert f"order {WAITING}: cancel_reason: expected no longer needed, found ordered by mistake" in said
    assert f"customer {ANNA}: balance of {GIFT}: expected 5991, found 5990" in said
    assert said.endswith("\n0 passed, 1 failed")


def test_expected_corrected_counts_in_place_of_expected(played):
    right = small_shop.case()["expected"]
    said, _ = played(small_shop.case(expected={"orders": {SENT: {"status": "cancelled"}}}, expected_corrected=right))
    assert said == "1 passed, 0 failed"


def test_change_that_the_case_does_not_name_fails(played):
    said, passed = played(small_shop.case(expected={}))
    assert (f"order {WAITING}: status: expected unchanged, found cancelled" in said, passed) == (True, False)


def test_call_that_had_to_be_refused_and_was_done_fails(played):
    gold = small_shop.case()["gold"]
    said, _ = played(small_shop.case(corrected_refuses={str(len(gold) - 1): "same_sku"}))
    assert "was done, and had to be refused" in said


def test_refusal_that_the_case_expects_passes(played):
    cancel = {"order_id": SENT, "reason": "ordered by mistake"}
    gold = [{"name": "cancel_pending_order", "arguments": cancel, "error": "not pending"}]
    said, _ = played(small_shop.case(gold=gold, expected={}, communicate=[]))
    assert said == "1 passed, 0 failed"


def test_refusal_that_the_case_does_not_expect_fails_with_its_reason(played):
    gold = [{"name": "get_order_details", "arguments": {"order_id": BENS}}]
    said, _ = played(small_shop.case(gold=gold, expected={}, communicate=[]))
    assert "order_status(order_number='#W1000003'): was refused: no such order for this customer" in said


def test_call_that_breaks_is_no_refusal(played, monkeypatch):
    monkeypatch.setattr("orders.selectors.order_of", lambda *args, **kwargs: 1 / 0)
    gold = [{"name": "get_order_details", "arguments": {"order_id": WAITING}, "error": "not found"}]
    said, _ = played(small_shop.case(gold=gold, expected={}, communicate=[]))
    assert "broke: {'error': 'internal error" in said


def test_words_that_no_tool_returned_are_named(played):
    said, _ = played(small_shop.case(communicate=["49.90", "a velvet curtain"]))
    assert "no tool returned 'a velvet curtain'" in said
    assert "49.90" not in said


def test_sign_in_that_finds_somebody_else_fails(played):
    gold = [{"name": "find_user_id_by_email", "arguments": {"email": "ben@example.com"}}]
    said, _ = played(small_shop.case(gold=gold, expected={}, communicate=[]))
    assert f"signs in {BEN}, expected {ANNA}" in said


def test_sign_in_needs_exactly_one_match(folder):
    by_name = Gold(
        name="find_user_id_by_name_zip", arguments={"first_name": "anna", "last_name": "BELL", "zip": "78701"}
    )
    anna = User.objects.get(username=ANNA)
    assert signed_in(by_name) == anna
    User.objects.filter(username=BEN).update(first_name="Anna", last_name="Bell")
    assert signed_in(by_name) is None


def test_hand_off_without_its_ticket_fails(played, monkeypatch):
    gold = [{"name": "transfer_to_human_agents", "arguments": {"summary": "Wants another card."}}]
    said, _ = played(small_shop.case(id="a", gold=gold, expected={}, communicate=[]))
    assert said == "1 passed, 0 failed"
    monkeypatch.setattr("agent.handoffs.open_ticket", lambda *args, **kwargs: "T-1")
    said, _ = played(small_shop.case(gold=gold, expected={}, communicate=[]))
    assert "hand-offs: expected ['Wants another card.'], found []" in said
    assert Handoff.objects.count() == 0


@override_settings(BILLING={"CURRENCY": "USD", "REFUND_LIMIT_MINOR": 1})
def test_limits_of_this_shop_refuse_no_recorded_case(played):
    assert played(small_shop.case())[1]


# Nothing else changed ----------------------------------------------------------------------------------------


def changed_besides(change):
    """What the replay says of a change that was made beside a case of Anna's."""
    replayed = Replay()
    with undone():
        change()
        return replayed.strays(user=User.objects.get(username=ANNA))


def test_change_of_another_customers_order_is_seen(folder):
    ben = Order.objects.get(number=BENS)
    found = changed_besides(lambda: Order.objects.filter(pk=ben.pk).update(status="cancelled"))
    assert found == [f"changed besides: orders_order {ben.pk} changed in status"]


def test_change_of_a_product_is_seen(folder):
    lamp = Variant.objects.get(sku=small_shop.LAMP)
    found = changed_besides(lambda: Variant.objects.filter(pk=lamp.pk).update(price_minor=1))
    assert found == [f"changed besides: orders_variant {lamp.pk} changed in price_minor"]


def test_change_of_a_column_that_no_act_touches_is_seen(folder):
    order = Order.objects.get(number=WAITING)
    found = changed_besides(lambda: Order.objects.filter(pk=order.pk).update(note="x"))
    assert found == [f"changed besides: orders_order {order.pk} changed in note"]


def test_row_that_is_gone_is_seen(folder):
    line = Order.objects.get(number=WAITING).lines.get()
    pk = line.pk
    assert changed_besides(line.delete) == [f"changed besides: orders_orderline {pk} removed"]


def test_money_on_another_customers_card_is_seen(folder):
    card = User.objects.get(username=BEN).payment_methods.create(public_id="gift_card_99", kind="gift_card")
    found = changed_besides(lambda: GiftCardEntry.objects.create(method=card, kind="opening", amount_minor=5))
    assert len(found) == 1
    assert "billing_giftcardentry" in found[0]


def test_every_table_of_the_shop_is_watched():
    names = {table._meta.db_table for table in differences.shop_tables()}
    assert {"auth_user", "orders_order", "orders_return_lines", "billing_entry", "billing_giftcardentry"} <= names


# Folders -----------------------------------------------------------------------------------------------------


def test_both_files_are_read_in_their_order(tmp_path):
    tasks = [small_shop.case(id="first")]
    folder = small_shop.write(tmp_path, small_shop.case(id="second"), tasks=tasks)
    assert [case.id for case in read_cases(folder)] == ["first", "second"]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "replays.jsonl, line 1: Invalid JSON"),
        ('{"id": "1"}', "replays.jsonl, line 1: customer: Field required"),
        (json.dumps(small_shop.case(expected={"orders": {"#W1": {"colour": "red"}}})), "colour: Extra inputs"),
    ],
)
def test_malformed_case_is_a_sentence_with_its_place(tmp_path, line, sentence):
    small_shop.write(tmp_path)
    (tmp_path / "replays.jsonl").write_text(line)
    with pytest.raises(CaseFileError, match=sentence.split(":")[0]) as error:
        read_cases(tmp_path)
    assert sentence in str(error.value)


def test_folder_without_cases_is_a_sentence(tmp_path):
    with pytest.raises(CaseFileError, match="there is neither"):
        read_cases(tmp_path)
    with pytest.raises(CaseFileError, match="is no folder"):
        read_cases(tmp_path / "missing")


def test_unknown_call_is_a_sentence(tmp_path):
    gold = [{"name": "reset_password", "arguments": {}}]
    with pytest.raises(CaseFileError, match="reset_password"):
        check_names(read_cases(small_shop.write(tmp_path, small_shop.case(gold=gold))))


# The database ------------------------------------------------------------------------------------------------


def test_nothing_of_a_running_shop_is_used():
    environ = {
        "DATABASE_URL": "sqlite:////srv/shop.sqlite3",
        "REDIS_URL": "redis://shop/0",
        "ANTHROPIC_API_KEY": "k",
        "AGENT_MODEL": "m",
        "AGENT_MAX_STEPS": "1",
        "STRIPE_API_KEY": "k",
    }
    prepare(environ)
    assert environ["DATABASE_URL"] == "sqlite://:memory:"
    foreign = {"REDIS_URL", "ANTHROPIC_API_KEY", "AGENT_MODEL", "AGENT_MAX_STEPS", "STRIPE_API_KEY"}
    assert environ.keys() & foreign == set()
    assert environ["AGENT_PROVIDER"] == "demo"
