"""The way by mail: what the two mails say and do not, and how one comes from the link to the page."""

import re
from html import unescape
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client

from agent import outbox
from agent.models import Conversation, OutgoingMail, PendingAction
from billing.models import Refund
from tests.conftest import PASSWORD
from tests.pages.conftest import ORDER, refund_proposed

State = PendingAction.State


@pytest.fixture
def address_of_alice(alice: User) -> EmailAddress:
    return EmailAddress.objects.create(user=alice, email="alice@example.com", verified=True, primary=True)


@pytest.fixture
def mailed(address_of_alice: EmailAddress, order: Any, alice: User) -> PendingAction:
    """A proposal whose mail is written."""
    return refund_proposed(alice)


def page_of(action: PendingAction) -> str:
    return f"/agent/actions/{action.pk}/"


def confirm(client: Client, action: PendingAction) -> Any:
    return client.post(page_of(action), {"decision": "confirm", "digest": action.digest})


def test_a_proposal_is_mailed_once_to_the_own_address(mailed: PendingAction, alice: User) -> None:
    with pytest.raises(PendingAction.DoesNotExist):  # of this run: the open one is reused
        refund_proposed(alice)
    written = OutgoingMail.objects.get()
    assert (written.key, written.to) == (f"action:{mailed.pk}:proposal", "alice@example.com")
    assert written.subject == "For your confirmation: Refund €10.00"


def test_the_proposals_mail_only_leads_to_the_page(mailed: PendingAction) -> None:
    written = OutgoingMail.objects.get()
    for part in (written.text, written.html):
        assert page_of(mailed) in part
        assert "Nothing has been changed yet" in part
        for private in (mailed.digest, "Alice", "4242", ORDER, "decision", "<form"):
            assert private not in part
    assert written.html.count("href=") == 1


def test_opening_the_link_unsigned_does_nothing(mailed: PendingAction) -> None:
    for method in ("get", "head", "get", "get", "get", "get"):
        assert getattr(Client(), method)(page_of(mailed)).status_code == 302
    mailed.refresh_from_db()
    assert (mailed.state, Refund.objects.count()) == (State.PENDING, 0)


def test_a_receipt_is_mailed_once(mailed: PendingAction, as_alice: Client) -> None:
    confirm(as_alice, mailed)
    confirm(as_alice, mailed)
    receipt = OutgoingMail.objects.get(key__endswith=":receipt")
    for part in (receipt.text, receipt.html):
        assert mailed.reference in part
        assert mailed.summary in part
        assert page_of(mailed) in part


def test_both_mails_leave(mailed: PendingAction, as_alice: Client) -> None:
    confirm(as_alice, mailed)
    assert outbox.send_due() == 2
    assert [isinstance(message, EmailMultiAlternatives) for message in mail.outbox] == [True, True]


def test_what_was_declined_has_no_receipt(mailed: PendingAction, as_alice: Client) -> None:
    as_alice.post(page_of(mailed), {"decision": "reject", "digest": mailed.digest})
    assert [row.key for row in OutgoingMail.objects.all()] == [f"action:{mailed.pk}:proposal"]


def test_mails_are_in_the_conversations_language(address_of_alice: EmailAddress, order: Any, alice: User) -> None:
    action = refund_proposed(alice)
    Conversation.objects.update(language="de")
    confirmed = Client()
    confirmed.force_login(alice)
    confirm(confirmed, action)
    assert "Sie haben dies" in OutgoingMail.objects.get(key__endswith=":receipt").text


def test_an_unconfirmed_address_gets_nothing(proposal: PendingAction, as_alice: Client) -> None:
    confirm(as_alice, proposal)
    assert not OutgoingMail.objects.exists()


def test_the_mails_can_be_switched_off(
    address_of_alice: EmailAddress, order: Any, alice: User, as_alice: Client, settings: Any
) -> None:
    settings.AGENT = {**settings.AGENT, "ACTION_MAILS": False}
    confirm(as_alice, refund_proposed(alice))
    assert not OutgoingMail.objects.exists()


def test_sign_in_by_password_returns_to_the_page(mailed: PendingAction) -> None:
    client: Any = Client()
    to_sign_in = client.get(page_of(mailed))
    answer = client.post(to_sign_in.url, {"login": "alice", "password": PASSWORD}, follow=True)
    assert answer.redirect_chain[-1][0] == page_of(mailed)
    assert "Refund €10.00" in answer.text


def test_sign_in_by_mailed_code_returns_to_the_page(mailed: PendingAction) -> None:
    client: Any = Client()
    client.get(page_of(mailed))
    asked = client.post(f"/accounts/login/code/?next={page_of(mailed)}", {"email": "alice@example.com"})
    code = re.search(r"^[A-Z0-9]{3,4}-?[A-Z0-9]{3,4}$", str(mail.outbox[-1].body), re.MULTILINE)
    assert code is not None, mail.outbox[-1].body
    answer = client.post(asked.url, {"code": code.group()}, follow=True)
    assert answer.redirect_chain[-1][0] == page_of(mailed)
    assert "Refund €10.00" in answer.text


def test_the_sign_in_by_code_is_offered_with_the_way_back(mailed: PendingAction) -> None:
    client: Any = Client()
    page = client.get(client.get(page_of(mailed)).url)
    links = [unescape(link) for link in re.findall(r'(?:href|action)="([^"]*login/code/[^"]*)"', page.text)]
    assert links
    assert all("next=" in link for link in links) or 'name="next"' in page.text


def test_the_wrong_account_sees_nothing_and_can_switch(mailed: PendingAction, as_bob: Any) -> None:
    page = as_bob.get(page_of(mailed))
    assert page.status_code == 404
    without_address = page.text.replace(str(mailed.pk), "")  # a reference without letters is its beginning
    for private in ("Refund", "alice", "Alice", mailed.reference, mailed.digest):
        assert private not in without_address
    assert "You are signed in as b…" in page.text
    back = unescape(re.search(r'name="next" value="([^"]+)"', page.text).group(1))  # type: ignore[union-attr]
    switched = as_bob.post("/accounts/logout/", {"next": back})
    assert switched.url == back
    answer = as_bob.post(switched.url, {"login": "alice", "password": PASSWORD}, follow=True)
    assert "Refund €10.00" in answer.text
