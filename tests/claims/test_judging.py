"""What is taken for a claim, and what backs one."""

import pytest
from django.db import transaction

from agent.claims import Judge, facts_for, is_waiting
from agent.claims.sentences import split
from agent.models import PendingAction
from agent.runs import start
from tests.claims.conftest import action_of, read_record
from tests.claims.labelled import WITH_ROWS, foreign, sentences

pytestmark = pytest.mark.django_db

IN_ITS_PLACE = "I have no record that this was done."


TOOLS = {"change": "change_items", "address": "change_shipping_address", "return": "return_items"}


def is_replaced(user, row):
    """Beside real rows, which are gone again afterwards."""
    with transaction.atomic():
        run = start.accept(user, "Hello")
        for done in row.facts.get("executed", []):
            said = " ".join(filter(None, [done["kind"], done["order"], done["amount"]]))
            action_of(run, TOOLS.get(done["kind"], f"{done['kind']}_order"), said)
        for record in row.facts.get("records", []):
            refunded = {"refunded": record["refunded"]} if record["refunded"] else {}
            read_record(run, order_number=record["order"], status=record["status"], **refunded)
        unbacked = Judge(lambda: facts_for(run)).whole(row.text).unbacked
        transaction.set_rollback(True)
    return bool(unbacked)


def shown_by(judge, text):
    return judge.whole(text).text


@pytest.mark.parametrize("language", ["en", "de"])
def test_own_sentences_reach_the_rates(judge, judge_elsewhere, language):
    false = [row for row in sentences("false") if row.language == language]
    fine = [row for row in sentences("true", "harmless") if row.language == language]
    caught = [row for row in false if judge_elsewhere.whole(row.text).unbacked]
    replaced = [row for row in fine if judge.whole(row.text).unbacked]
    assert len(caught) >= 0.95 * len(false)
    assert len(replaced) <= 0.02 * len(fine), replaced


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", WITH_ROWS)
def test_sentences_with_their_rows_reach_the_rates(alice, name, language):
    assert_reach_the_rates(alice, [row for row in foreign(name) if row.language == language])


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_others_wrote_reaches_the_rates_with_what_was_kept_apart(alice, language):
    rows = [*foreign("open"), *foreign("kept_apart")]
    assert_reach_the_rates(alice, [row for row in rows if row.language == language])


def test_the_first_hundred_kept_apart_are_caught(alice):
    claims = [row for row in foreign("kept_apart")[:100] if row.is_claim]
    assert sum(is_replaced(alice, row) for row in claims) >= 0.95 * len(claims) == 47.5


def test_what_was_kept_apart_reaches_the_rates(alice):
    rows = foreign("kept_apart")
    assert len(rows) == 500
    assert_reach_the_rates(alice, rows)


def assert_reach_the_rates(user, rows):
    replaced = {row: is_replaced(user, row) for row in rows}
    claims = [row for row in rows if row.is_claim]
    assert sum(replaced[row] for row in claims) >= 0.95 * len(claims) > 0
    assert sum(replaced[row] for row in rows if not row.is_claim) <= 0.02 * (len(rows) - len(claims))


def test_sentences_together_are_the_text():
    text = "First. Second, no. 5 of DZ-1!  Third…\n\n- a list\n- of two\nAnd z. B. the rest"
    assert "".join(split(text)) == text


@pytest.mark.parametrize(
    "claim",
    [
        "I refunded €42.01 for order DZ-10423.",
        "I refunded €99.00 for order DZ-10423.",
        "I refunded €42.00 for order DZ-10424.",
        "I cancelled order DZ-10423.",
        "I refunded orders DZ-10423 and DZ-10430.",
        "Order DZ-10440 was refunded.",
        "Your address has been changed.",
    ],
)
def test_another_amount_order_or_state_backs_nothing(judge, claim):
    assert shown_by(judge, claim) == IN_ITS_PLACE


def test_refund_of_another_conversation_backs_only_what_names_it(judge_elsewhere):
    assert shown_by(judge_elsewhere, "Your refund has been processed.") == IN_ITS_PLACE
    named = "€42.00 has been refunded for order DZ-10423."
    assert shown_by(judge_elsewhere, named) == named


def test_action_of_another_customer_backs_nothing(busy_run, bob):
    judge = Judge(lambda: facts_for(start.accept(bob, "Hello")))
    assert shown_by(judge, "€42.00 has been refunded for order DZ-10423.") == IN_ITS_PLACE


@pytest.mark.parametrize("state", ["pending", "awaiting_staff", "rejected", "failed", "expired"])
def test_action_that_was_not_executed_backs_nothing(run, state):
    action_of(run, "cancel_order", "Cancel order DZ-10423", state=state, result=None)
    assert shown_by(Judge(lambda: facts_for(run)), "I have cancelled order DZ-10423.") == IN_ITS_PLACE


def test_unsettled_refund_backs_that_it_is_under_way_and_not_that_it_is_done(run):
    state = PendingAction.State.EXECUTING
    action_of(run, "refund_order", "Refund €5.00 for order DZ-10423", state=state, result=None, check_at=run.created_at)
    judge, under_way = Judge(lambda: facts_for(run)), "Your refund for order DZ-10423 is being processed."
    assert shown_by(judge, under_way) == under_way
    assert shown_by(judge, "Your refund for order DZ-10423 has been issued.") == IN_ITS_PLACE


def test_open_proposal_of_a_kind_takes_the_backing_from_what_names_no_order(busy_run):
    judge, claim = Judge(lambda: facts_for(busy_run)), "Your refund has been processed."
    assert shown_by(judge, claim) == claim
    row = action_of(busy_run, "refund_order", "Refund €9.00 for order DZ-10499", state="pending", result=None)
    row.expires_at = row.expires_at.replace(year=row.expires_at.year + 1)
    row.save()
    assert shown_by(judge, claim) == IN_ITS_PLACE


def test_action_that_waits_for_staff_is_still_open(run):
    action_of(run, "refund_order", "Refund €9.00 for order DZ-10499", state="awaiting_staff", result=None)
    assert is_waiting(run)


def test_text_from_outside_backs_nothing(run):
    fenced = '<untrusted_content id="1" source="note">\nOrder DZ-10423 was refunded.\n</untrusted_content id="1">'
    read_record(run, order_number="DZ-10423", note=fenced, summary="Order DZ-10423 was delivered.")
    assert shown_by(Judge(lambda: facts_for(run)), "Order DZ-10423 was refunded.") == IN_ITS_PLACE


def test_article_without_an_order_backs_nothing(run):
    read_record(run, passages=[{"text": "Your refund has been processed once you read this. Orders are cancelled."}])
    assert shown_by(Judge(lambda: facts_for(run)), "Your refund has been processed.") == IN_ITS_PLACE


def test_several_claims_in_a_row_are_replaced_once(run):
    judge = Judge(lambda: facts_for(run))
    verdict = judge.whole("Hello. I cancelled it. I also refunded you. Goodbye.")
    assert (verdict.text, len(verdict.unbacked)) == (f"Hello. {IN_ITS_PLACE} Goodbye.", 2)
