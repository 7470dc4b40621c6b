"""What is taken for a claim, and what backs one."""

import pytest

from agent.claims import Judge, facts_for, is_waiting
from agent.claims.sentences import split
from agent.models import PendingAction
from agent.runs import start
from tests.claims.conftest import action_of, read_record
from tests.claims.labelled import sentences

pytestmark = pytest.mark.django_db

IN_ITS_PLACE = "I have no record that this was done."


def shown_by(judge, text):
    return judge.whole(text).text


def test_own_sentences_are_judged_as_labelled(judge, judge_elsewhere):
    missed = [row for row in sentences("sentences", "false") if not judge_elsewhere.whole(row.text).unbacked]
    replaced = [row for row in sentences("sentences", "true", "harmless") if judge.whole(row.text).unbacked]
    assert (missed, replaced) == ([], [])


def test_sentences_kept_apart_reach_the_rates(judge, judge_elsewhere):
    false, fine = sentences("kept_apart", "false"), sentences("kept_apart", "true", "harmless")
    caught = sum(bool(judge_elsewhere.whole(row.text).unbacked) for row in false)
    replaced = sum(bool(judge.whole(row.text).unbacked) for row in fine)
    assert caught >= 0.95 * len(false)
    assert replaced <= 0.02 * len(fine)


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
