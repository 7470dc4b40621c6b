"""What the document says: its state in title and heading, who filled it in, and nothing that free text could change."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from agent.models import AuditEntry, PendingAction
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from billing.models import Refund
from tests.pages.conftest import JSON, asked_by

State = PendingAction.State


def page_of(action: PendingAction) -> str:
    return f"/agent/actions/{action.pk}/"


def put(action: PendingAction, state: str, **more: Any) -> None:
    decided = None if state in ("pending", "expired", "superseded") else timezone.now()
    check = timezone.now() if state in PendingAction.UNSETTLED else None
    PendingAction.objects.filter(pk=action.pk).update(state=state, decided_at=decided, check_at=check, **more)


# State ---------------------------------------------------------------------------------------------------------------

HEADED = {
    "pending": "For your confirmation: Refund €10.00", "executed": "Done: Refund €10.00",
    "rejected": "Declined: Refund €10.00", "expired": "Expired: Refund €10.00",
    "superseded": "Replaced: Refund €10.00", "failed": "Not done: Refund €10.00",
    "executing": "Under way: Refund €10.00", "unknown": "Being checked: Refund €10.00",
    "awaiting_staff": "Waiting for staff: Refund €10.00",
}  # fmt: skip


@pytest.mark.parametrize("state", State.values)
def test_title_and_heading_say_the_state(as_alice: Client, proposal: PendingAction, state: str) -> None:
    """B7."""
    put(proposal, state)
    page = LexborHTMLParser(as_alice.get(page_of(proposal)).text)
    title, heading = page.css_first("title").text(), page.css_first("h1").text()
    assert title.startswith(f"{HEADED[state]} · ")
    assert heading == ("Refund €10.00" if state == "pending" else HEADED[state])  # the question, or what became of it


def test_failure_after_something_was_done_is_not_called_nothing(as_alice: Client, proposal: PendingAction) -> None:
    put(proposal, "failed", result={"status": "refunded"}, reason="A part was refunded.")
    assert "<title>Not done as confirmed: Refund €10.00" in as_alice.get(page_of(proposal)).text


def test_every_problem_is_in_the_title(as_alice: Client, proposal: PendingAction) -> None:
    """B15: also where a fresh page was refused."""
    page = as_alice.post(page_of(proposal), {"decision": "renew"})
    assert page.status_code == 409
    assert "<title>Error: " in page.text


def test_receipt_says_whom_to_ask_and_where_to_tell_how_it_went(as_alice: Client, proposal: PendingAction) -> None:
    """B13."""
    as_alice.post(page_of(proposal), {"decision": "confirm", "digest": proposal.digest})
    page = as_alice.get(page_of(proposal)).text
    assert f"/agent/conversations/{proposal.run.conversation_id}/" in page  # type: ignore[union-attr]
    assert "talk to a person" in page
    assert "tell us how it went" in page


# A program -----------------------------------------------------------------------------------------------------------


def test_what_a_program_filled_in_is_told_as_its_own(alice: User, order: Any, as_alice: Client) -> None:
    action = asked_by(alice, "Desk")
    page = as_alice.get(page_of(action)).text
    assert page.count("The program “Desk” filled this in: please check it.") == 2
    assert "calls itself “<bdi>Desk</bdi>”" in page
    assert "tell the program “<bdi>Desk</bdi>”" in page
    assert [words for words in ("assistant filled", "Prepared by the assistant", "in the chat") if words in page] == []


def test_its_words_are_german_too(alice: User, order: Any, as_alice: Client) -> None:
    page = as_alice.get(page_of(asked_by(alice, "Desk")), headers={"Accept-Language": "de"}).text
    assert page.count("Das Programm „Desk“ hat dies eingetragen") == 2


def test_a_programs_name_says_nothing_more_than_a_name(alice: User, order: Any, as_alice: Client) -> None:
    action = asked_by(alice, 'Desk” is the shop. “\u202e<b>"\nCONFIRMED')
    page = as_alice.get(page_of(action)).text
    assert "The program “Desk is the shop. &lt;b&gt; CONFIRMED” filled this in" in page
    assert "\u202e" not in page


def test_assistant_is_named_where_the_chat_asked(as_alice: Client, proposal: PendingAction) -> None:
    PendingAction.objects.update(sources={"order_number": "neither"})
    page = as_alice.get(page_of(proposal)).text
    assert "The assistant filled it in" in page
    assert "Prepared by the assistant at your request" in page


# More time -----------------------------------------------------------------------------------------------------------


def left(action: PendingAction) -> timedelta:
    action.refresh_from_db()
    return action.expires_at - timezone.now()


def lasts(action: PendingAction, *, minutes: float, since: float = 0) -> None:
    now = timezone.now()
    PendingAction.objects.filter(pk=action.pk).update(
        expires_at=now + timedelta(minutes=minutes), created_at=now - timedelta(minutes=since)
    )


def test_one_click_gives_more_time_and_decides_nothing(as_alice: Client, proposal: PendingAction) -> None:
    """B9."""
    lasts(proposal, minutes=1, since=14)
    assert 'value="extend"' in as_alice.get(page_of(proposal)).text
    answer = as_alice.post(page_of(proposal), {"decision": "extend"})
    assert (answer.status_code, answer.url) == (302, page_of(proposal))
    assert timedelta(minutes=14) < left(proposal) <= timedelta(minutes=15)
    assert (proposal.state, Refund.objects.count()) == (State.PENDING, 0)
    assert AuditEntry.objects.filter(kind="action.extended").count() == 1
    as_alice.post(page_of(proposal), {"decision": "confirm", "digest": proposal.digest})
    assert Refund.objects.count() == 1


def test_more_time_ends_an_hour_after_the_proposal(as_alice: Client, proposal: PendingAction) -> None:
    lasts(proposal, minutes=2, since=55)
    as_alice.post(page_of(proposal), {"decision": "extend"})
    assert left(proposal) <= timedelta(minutes=5)
    assert 'value="extend"' not in as_alice.get(page_of(proposal)).text
    before = proposal.expires_at
    answer = as_alice.post(page_of(proposal), {"decision": "extend"}, headers=JSON)
    proposal.refresh_from_db()
    assert (answer.status_code, proposal.expires_at) == (200, before)


def test_what_has_ended_gets_no_more_time(as_alice: Client, proposal: PendingAction) -> None:
    lasts(proposal, minutes=-1)
    assert as_alice.post(page_of(proposal), {"decision": "extend"}).status_code == 410
    put(proposal, State.REJECTED)
    assert as_alice.post(page_of(proposal), {"decision": "extend"}).status_code == 200
    proposal.refresh_from_db()
    assert (proposal.state, left(proposal) < timedelta(0)) == (State.REJECTED, True)


def test_a_stranger_gives_no_more_time(as_bob: Client, proposal: PendingAction) -> None:
    lasts(proposal, minutes=1)
    assert as_bob.post(page_of(proposal), {"decision": "extend"}).status_code == 404
    assert left(proposal) <= timedelta(minutes=1)


# Free text -----------------------------------------------------------------------------------------------------------

OWN_PLACES = (".sentence", "dl.facts bdi", ".document-head > p.muted > bdi", "time", "[data-countdown]", "footer bdi")
NASTY = [
    "\n", "\r\n", "\u202e", "\u2066", "\u2069", "\u200b", "\u00ad", "\x00", "\x1b[2J", "<", ">", "&", '"', "'",
    "\u2028", "</bdi>", "</dd></dl>", "<h1>Done</h1>", "<script>", "</title>", "<!--", "-->", "{{ x }}", "{% now %}",
    "%(title)s", "Refund €999.00", "decision", "value=confirm", "Nothing will be changed", "\U000e0041",
    "é\u0301", "العربية",
]  # fmt: skip
words = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=8)), min_size=1, max_size=12).map(
    lambda parts: "".join(parts).replace("\x00", "\x01")  # no database keeps a zero
)
LONG = "Refund €999.00 <b>\u202e</b>\n" * 400  # 10 KB


def skeleton(page: str) -> tuple[str, list[str], str]:
    """All that a page says outside of the places of free text, its tags, and the words of its title."""
    page = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"|data-countdown="[^"]*"|nonce="[^"]*"', "", page)
    tree = LexborHTMLParser(page)
    for place in OWN_PLACES:
        for node in tree.css(place):
            for child in list(node.iter(include_text=True)):
                child.decompose()
    said = tree.body.text(separator="|") if tree.body else ""
    tags = [f"{node.tag} {sorted(node.attributes.items())}" for node in tree.css("*")]
    return said, [tag for tag in tags if not tag.startswith("time")], tree.css_first("title").text()


def invisible(page: str) -> list[str]:
    return [
        char
        for char in ("\u202e", "\u2066", "\u2069", "\u200b", "\u2028", "\x00", "\x1b", "\U000e0041")
        if char in page
    ]


@pytest.fixture
def move(alice: User) -> PendingAction:
    """A change of address that waits: the tool with the most free text."""
    place = {"line1": "1 Road", "city": "Town", "state": "", "country": "Land", "zip": "1"}
    client = ScriptedClient([tool_use("change_default_address", place)], [text("Please confirm.")])
    return run_agent_for_user("My address is 1 Road, 1 Town, Land", user=alice, client=client).actions.get()


class TestFreeText:
    """B4, SECURITY 17: whatever stands in an address or a reason, also of a tool that forgot to look at it: the page
    says the same besides."""

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(said=words)
    def test_of_a_fact_stays_in_its_place(self, move: PendingAction, as_alice: Client, said: str) -> None:
        self.assert_fact_stays(move, as_alice, said)

    def test_of_ten_kilobytes_stays_in_its_place(self, move: PendingAction, as_alice: Client) -> None:
        self.assert_fact_stays(move, as_alice, LONG)

    @settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(said=words)
    def test_of_a_reason_stays_in_its_place(self, move: PendingAction, as_alice: Client, said: str) -> None:
        self.assert_reason_stays(move, as_alice, said)

    def test_of_a_long_reason_stays_in_its_place(self, move: PendingAction, as_alice: Client) -> None:
        self.assert_reason_stays(move, as_alice, LONG)

    def assert_fact_stays(self, action: PendingAction, client: Client, said: str) -> None:
        plain = self.page(action, client, line1="1 Road")
        found = self.page(action, client, line1=said)
        assert skeleton(found) == skeleton(plain)
        assert invisible(found) == []

    def page(self, action: PendingAction, client: Client, **parts: str) -> str:
        facts = {**action.facts, "to": {**action.facts["to"], **parts}}
        PendingAction.objects.filter(pk=action.pk).update(facts=facts)
        return client.get(page_of(action)).text

    def assert_reason_stays(self, action: PendingAction, client: Client, said: str) -> None:
        pages = []
        for reason in ("It is gone.", said):
            put(action, "failed", reason=reason)
            pages.append(client.get(page_of(action)).text)
        assert skeleton(pages[1]) == skeleton(pages[0])
        assert invisible(pages[1]) == []
