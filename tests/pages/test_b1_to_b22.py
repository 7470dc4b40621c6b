"""The twenty-two checks of a confirmation, B1 to B22: which test holds each of them, and those that none held yet."""

import ast
import re
from datetime import timedelta
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from babel.numbers import list_currencies
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from selectolax.lexbor import LexborHTMLParser, LexborNode

from agent.models import PendingAction
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from billing.models import Refund
from billing.money import shown
from tests.agent.conftest import paid_order
from tests.pages.conftest import ORDER, refund_proposed, signed_in

ROOT = Path(__file__).resolve().parents[2]
HERE = "pages/test_b1_to_b22.py"
State = PendingAction.State

MUST = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 22}
SHOULD_AND_BUILT = {6, 17}
DECIDED_OTHERWISE = {21: "0020-no-second-door-for-withdrawals.md"}

# Number -> what holds it: a file below tests/ and the names of tests in it.
HELD: dict[int, dict[str, list[str]]] = {
    1: {  # looking never decides, only a form with its token does
        HERE: ["test_b1_only_the_form_of_the_page_decides"],
        "pages/test_record.py": ["test_b1_a_prefetch_leaves_no_row", "test_b1_five_readings_leave_it_usable"],
        "pages/test_gate_threats.py": ["test_looking_at_a_link_as_often_as_one_likes_does_nothing"],
        "pages/test_access.py": ["test_a_post_without_its_token_changes_nothing"],
    },
    2: {  # signed in, the same customer
        "pages/test_by_link.py": [
            "test_sign_in_by_password_returns_to_the_page",
            "test_sign_in_by_mailed_code_returns_to_the_page",
            "test_the_wrong_account_sees_nothing_and_can_switch",
        ],
        "agent/test_gate.py": ["test_anybody_else_finds_nothing"],
    },
    3: {  # what is shown is what is done
        "pages/test_gate_threats.py": ["test_row_that_was_changed_between_look_and_click_is_not_done"],
        "agent/test_gate_whole.py": [
            "test_digest_of_the_old_facts_stays_void",
            "test_cancellation_of_what_changed_since_the_look_is_not_done",
        ],
        "pages/test_confirm.py": ["test_a_wrong_digest_does_nothing_and_asks_again"],
    },
    4: {  # the facts
        HERE: ["test_b4_a_refund_lists_what_moves_where_and_when", "test_b4_every_act_lists_its_facts"],
        "pages/test_document_words.py": ["test_of_a_fact_stays_in_its_place", "test_of_a_reason_stays_in_its_place"],
    },
    5: {HERE: ["test_b5_the_buttons_say_the_act_and_have_equal_weight"]},
    6: {  # back to the chat, and a newer one supersedes
        HERE: ["test_b6_change_it_leads_to_the_chat"],
        "pages/test_confirm.py": ["test_a_superseded_page_leads_to_the_newer_one"],
    },
    7: {  # each state in its own words
        HERE: ["test_b7_each_state_has_words_of_its_own_and_only_expiry_is_gone"],
        "pages/test_document_words.py": ["test_title_and_heading_say_the_state"],
        "pages/test_confirm.py": ["test_an_expired_page_is_gone_and_says_why", "test_what_became_impossible_says_why"],
    },
    8: {  # a used link shows the receipt
        HERE: ["test_b8_a_used_link_is_the_receipt_a_month_later"],
        "pages/test_confirm.py": ["test_deciding_again_shows_the_receipt_and_does_nothing"],
    },
    9: {  # expiry
        HERE: ["test_b9_the_end_is_a_time_and_the_countdown_is_not_read_aloud"],
        "pages/test_document_words.py": [
            "test_one_click_gives_more_time_and_decides_nothing",
            "test_more_time_ends_an_hour_after_the_proposal",
        ],
        "pages/test_confirm.py": ["test_one_click_renews_an_expired_page"],
    },
    10: {  # double submit
        "agent/test_gate.py": ["test_eight_confirmations_give_one_refund"],
        "agent/test_gate_versions.py": [
            "test_confirm_against_confirm",
            "test_confirm_against_reject",
            "test_confirm_against_expiry",
            "test_confirm_against_supersede",
        ],
        "agent/test_outside_payment.py": [
            "test_key_at_the_provider_is_made_from_the_action",
            "test_ten_confirmations_give_one_refund",
        ],
        "agent/test_gate_whole.py": ["test_effect_that_died_midway_is_done_by_the_next_click_once"],
        "browser/test_journey.py": ["test_a_second_click_confirms_nothing_twice"],
    },
    11: {  # never more than was paid
        "billing/test_constraints.py": ["test_second_refund_above_the_rest_is_refused_by_the_database"],
        "billing/test_services.py": ["test_refunds_at_once_never_exceed_what_was_paid"],
        "billing/test_gateways.py": ["test_after_a_day_it_is_only_looked_for_and_left_to_staff"],
        "agent/test_gate.py": ["test_impossible_by_now_fails_with_the_reason"],
    },
    12: {  # an unknown answer is told as that
        "agent/test_outside_payment.py": [
            "test_page_says_that_it_is_checked_and_looks_again_by_itself",
            "test_unknown_is_never_told_as_failed",
            "test_lost_answer_ends_in_one_refund_and_a_receipt",
        ],
    },
    13: {  # the receipt
        HERE: ["test_b13_the_receipt_begins_with_its_reference"],
        "pages/test_document_words.py": ["test_receipt_says_whom_to_ask_and_where_to_tell_how_it_went"],
        "pages/test_by_link.py": ["test_a_receipt_is_mailed_once", "test_both_mails_leave"],
    },
    14: {  # paper
        "browser/test_documents.py": [
            "test_every_state_is_sound_and_fits_one_sheet",
            "test_paper_shows_the_document_alone",
        ],
    },
    15: {  # errors
        HERE: ["test_b15_a_problem_stands_above_the_heading"],
        "pages/test_document_words.py": ["test_every_problem_is_in_the_title"],
        "browser/test_documents.py": ["test_other_facts_are_shown_side_by_side"],
    },
    16: {  # headers, and what a preview sees
        HERE: ["test_b16_nothing_keeps_frames_indexes_or_tells_it_on", "test_b16_a_preview_sees_nothing"],
    },
    17: {  # step-up and second signature
        "pages/test_step_up.py": ["test_without_a_fresh_sign_in_nothing_happens"],
        "agent/test_gate_cosign.py": ["test_customer_who_is_staff_cannot_sign_for_both"],
        "pages/test_cosign.py": ["test_the_customers_page_says_that_it_waits"],
    },
    18: {
        "pages/test_record.py": ["test_b18_the_whole_way_is_recorded", "test_b18_the_trace_tells_who_and_from_where"],
        "audit/test_insert_only.py": ["test_rows_are_not_changed_or_removed"],
    },
    19: {  # the chat knows
        "agent/test_gate.py": ["test_conversation_goes_on_with_the_outcome"],
        "browser/test_chat_page.py": ["test_a_decision_in_another_tab_reaches_the_card"],
    },
    20: {  # the customer's language and money
        HERE: ["test_b20_german_page_in_german_numbers", "test_b20_no_two_currencies_look_alike"],
        "browser/test_journey.py": ["test_in_german_the_whole_path_is_german"],
    },
    22: {  # other programs get the link
        "mcp/test_client.py": ["test_write_answers_with_the_link_and_changes_nothing"],
        "mcp/test_security.py": ["test_write_waits_and_nothing_that_is_listed_confirms"],
    },
}  # fmt: skip


@cache
def named_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_every_check_has_its_tests_and_every_test_is_there() -> None:
    assert set(HELD) == MUST | SHOULD_AND_BUILT
    assert MUST | SHOULD_AND_BUILT | set(DECIDED_OTHERWISE) == set(range(1, 23))
    named = {(path, name) for files in HELD.values() for path, names in files.items() for name in names}
    assert {(path, name) for path, name in named if name not in named_in(path)} == set()
    own = {name for name in named_in(HERE) if re.match(r"test_b\d+_", name)}
    assert {name for path, name in named if path == HERE} == own


@pytest.mark.parametrize("page", DECIDED_OTHERWISE.values())
def test_what_is_not_built_has_a_decision(page: str) -> None:
    assert page in (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")


# The page ------------------------------------------------------------------------------------------------------------


def page_of(action: PendingAction) -> str:
    return f"/agent/actions/{action.pk}/"


def look(client: Client, action: PendingAction, **headers: str) -> LexborHTMLParser:
    return LexborHTMLParser(client.get(page_of(action), headers=headers).text)


def only(page: LexborHTMLParser, css: str) -> LexborNode:
    [node] = page.css(css)
    return node


def facts_on(page: LexborHTMLParser) -> dict[str, str]:
    return {row.css_first("dt").text(): row.css_first("dd bdi").text() for row in page.css("dl.facts > div")}


def asked_for(user: User, said: str, tool: str, **arguments: Any) -> PendingAction:
    client = ScriptedClient([tool_use(tool, arguments)], [text("Please confirm.")])
    return run_agent_for_user(said, user=user, client=client).actions.get()


PLACE = {"line1": "1 Road", "city": "Town", "state": "", "country": "Land", "zip": "1"}
ACTS: dict[str, tuple[str, str, str, dict[str, str]]] = {  # status of the order, title, the other button, arguments
    "refund_order": ("delivered", "Refund €10.00", "Don't refund", {"amount": "10.00"}),
    "cancel_order": ("pending", f"Cancel order {ORDER}", "Keep the order", {"reason": "no longer needed"}),
    "change_shipping_address": ("pending", f"Send order {ORDER} elsewhere", "Keep the address", PLACE),
}


@pytest.fixture(params=ACTS)
def act(request: Any, alice: User) -> tuple[PendingAction, str, str]:
    status, title, decline, arguments = ACTS[request.param]
    paid_order(alice, number=ORDER, status=status)
    return asked_for(alice, "Please do it", request.param, order_number=ORDER, **arguments), title, decline


def test_b1_only_the_form_of_the_page_decides(alice: User, proposal: PendingAction) -> None:
    client: Any = signed_in(alice, enforce_csrf_checks=True)
    for look_only in (client.head, *[client.get] * 5):
        assert look_only(page_of(proposal)).status_code == 200
    form = only(look(client, proposal), "form[data-decide]")
    sent = {node.attributes["name"]: node.attributes["value"] for node in form.css("input")}
    without = {name: value for name, value in sent.items() if name != "csrfmiddlewaretoken"}
    for forged in (without, {**without, "csrfmiddlewaretoken": "0" * 64}):
        assert client.post(page_of(proposal), {**forged, "decision": "confirm"}).status_code == 403
    proposal.refresh_from_db()
    assert (proposal.state, Refund.objects.count()) == (State.PENDING, 0)
    assert client.post(page_of(proposal), {**sent, "decision": "confirm"}).status_code == 302
    assert Refund.objects.count() == 1


def test_b4_a_refund_lists_what_moves_where_and_when(as_alice: Client, proposal: PendingAction) -> None:
    page = look(as_alice, proposal)
    assert facts_on(page) == {
        "Order": ORDER,
        "Amount": "€10.00",
        "Back to the card ending 4242": "€10.00, in 5 to 7 business days",
        "Left to refund afterwards": "€53.20",
    }
    assert "This cannot be undone." in only(page, ".irrevocable").text()
    foot = only(page, ".document-foot")
    assert "Prepared by the assistant at your request" in foot.text()
    assert proposal.reference in foot.text()
    ends = only(page, ".signature time")
    assert ends.attributes["datetime"] == timezone.localtime(proposal.expires_at).isoformat(timespec="seconds")
    assert ends.text().endswith("UTC")


def test_b4_every_act_lists_its_facts(as_alice: Client, act: tuple[PendingAction, str, str]) -> None:
    facts = facts_on(look(as_alice, act[0]))
    assert facts["Order"] == ORDER
    assert len(facts) >= 3


def test_b5_the_buttons_say_the_act_and_have_equal_weight(
    as_alice: Client, act: tuple[PendingAction, str, str]
) -> None:
    action, title, decline = act
    page = look(as_alice, action)
    yes, no = page.css("form[data-decide] button")
    assert [yes.text(), no.text(), only(page, "h1").text()] == [title, decline, title]
    assert [(yes.attributes["value"], no.attributes["value"])] == [("confirm", "reject")]
    assert [yes.attributes["class"], no.attributes["class"]] == ["button primary", "button"]  # one size, no red
    assert "Nothing has been changed yet. It happens only when you confirm it here." in page.text()


def test_b6_change_it_leads_to_the_chat(as_alice: Client, proposal: PendingAction) -> None:
    [link] = [node for node in look(as_alice, proposal).css("main a") if "Change it" in node.text()]
    assert link.attributes["href"] == f"/agent/conversations/{proposal.run.conversation_id}/"  # type: ignore[union-attr]


def test_b7_each_state_has_words_of_its_own_and_only_expiry_is_gone(as_alice: Client, proposal: PendingAction) -> None:
    said, statuses = set(), {}
    for state in State.values:
        decided = None if state in ("pending", "expired", "superseded") else timezone.now()
        check = timezone.now() if state in PendingAction.UNSETTLED else None
        PendingAction.objects.filter(pk=proposal.pk).update(state=state, decided_at=decided, check_at=check)
        answer = as_alice.get(page_of(proposal))
        statuses[state] = answer.status_code
        said.add(only(LexborHTMLParser(answer.text), ".document-head > p.muted").text().strip())
    assert len(said) == len(State.values)
    assert statuses == {**dict.fromkeys(State.values, 200), "expired": 410}


def test_b8_a_used_link_is_the_receipt_a_month_later(as_alice: Client, proposal: PendingAction) -> None:
    as_alice.post(page_of(proposal), {"decision": "confirm", "digest": proposal.digest})
    long_ago = timezone.now() - timedelta(days=31)
    PendingAction.objects.update(expires_at=long_ago, decided_at=long_ago, created_at=long_ago)
    page = as_alice.get(page_of(proposal))
    assert page.status_code == 200
    assert "You confirmed this, and it was done." in page.text
    assert 'name="decision"' not in page.text


def test_b9_the_end_is_a_time_and_the_countdown_is_not_read_aloud(as_alice: Client, proposal: PendingAction) -> None:
    page = look(as_alice, proposal)
    countdown = only(page, "[data-countdown]")
    assert page.css("[role=status] [data-countdown], [aria-live] [data-countdown], [role=alert] [data-countdown]") == []
    assert not {"role", "aria-live"} & countdown.attributes.keys()
    spoken = only(page, "[data-countdown-said]").attributes
    assert (spoken["role"], spoken["data-five"], spoken["data-one"]) == (
        "status", "Five minutes left to confirm.", "One minute left to confirm.",
    )  # fmt: skip
    assert only(page, "[value=extend]").text() == "I need more time"


def test_b13_the_receipt_begins_with_its_reference(as_alice: Client, proposal: PendingAction) -> None:
    as_alice.post(page_of(proposal), {"decision": "confirm", "digest": proposal.digest})
    page = look(as_alice, proposal)
    said = only(page, "article").text()
    assert said.index(proposal.reference) < said.index("Done: Refund €10.00") < said.index("in 5 to 7 business days")
    assert only(page, ".signature-note time").text().endswith("UTC")
    assert only(page, "[data-print]").text() == "Print or save this receipt"


def test_b15_a_problem_stands_above_the_heading(as_alice: Client, proposal: PendingAction) -> None:
    page = LexborHTMLParser(as_alice.post(page_of(proposal), {"decision": "confirm", "digest": "0" * 64}).text)
    alert = only(page, "[role=alert]")
    assert only(page, "[role=alert] h2").text() == "There is a problem"
    assert (alert.attributes["tabindex"], "data-focus" in alert.attributes) == ("-1", True)
    assert [node.tag for node in page.css("[role=alert], h1")] == ["div", "h1"]


def test_b16_nothing_keeps_frames_indexes_or_tells_it_on(as_alice: Client, proposal: PendingAction) -> None:
    answer = as_alice.get(page_of(proposal))
    policy = answer["Content-Security-Policy"]
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "same-origin"
    assert "frame-ancestors 'none'" in policy
    assert answer["X-Robots-Tag"] == "noindex"
    page = LexborHTMLParser(answer.text)
    fetched = [node.attributes.get("src") or node.attributes.get("href") for node in page.css("script, link, img")]
    assert [address for address in fetched if not (address or "").startswith("/")] == []
    assert not re.search(r"https?:(?!//127\.0\.0\.1)", policy)


def test_b16_a_preview_sees_nothing(proposal: PendingAction) -> None:
    """The address is no credential: without its customer's session it is the sign-in page."""
    seen = Client().get(page_of(proposal), follow=True)  # type: ignore[arg-type]
    private = ("Refund", "10.00", ORDER, proposal.reference, proposal.digest, "Alice", "4242")
    without_address = seen.text.replace(str(proposal.pk), "")  # a reference without letters is its beginning
    assert [words for words in private if words in without_address] == []
    assert "Sign in" in LexborHTMLParser(seen.text).css_first("title").text()


def test_b20_german_page_in_german_numbers(as_alice: Client, alice: User, order: Any) -> None:
    action = refund_proposed(alice, amount="1.50")
    page = look(as_alice, action, **{"Accept-Language": "de"})
    assert facts_on(page)["Betrag"] == "1,50\xa0€"
    assert re.search(r"\d{1,2}\. \w+ \d{4}, \d\d:\d\d UTC", only(page, ".signature time").text())


@pytest.mark.parametrize("language", ["en", "de"])
def test_b20_no_two_currencies_look_alike(language: str) -> None:
    words = {code: shown(1000, currency=code, language=language) for code in sorted(list_currencies())}
    assert [pair for pair in combinations(words, 2) if words[pair[0]] == words[pair[1]]] == []
