"""B17: above an amount the customer signs in again first; the decision itself looks, not only the page."""

import re
import time
from typing import Any

import pytest
from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from agent.models import PendingAction
from billing.models import Refund
from tests.conftest import PASSWORD
from tests.pages.conftest import JSON, refund_proposed, signed_in

State = PendingAction.State


@pytest.fixture(autouse=True)
def step_up(settings: Any) -> None:
    settings.AGENT = {**settings.AGENT, "REAUTHENTICATE": {"refund_order": {"EUR": 2000}}}


@pytest.fixture
def action(alice: User, order: Any) -> PendingAction:
    return refund_proposed(alice, amount="30.00")


def page_of(action: PendingAction) -> str:
    return f"/agent/actions/{action.pk}/"


def confirm(client: Client, action: PendingAction, **more: Any) -> Any:
    return client.post(page_of(action), {"decision": "confirm", "digest": action.digest}, **more)


def nothing_happened(action: PendingAction) -> bool:
    action.refresh_from_db()
    return (action.state, action.decided_at, Refund.objects.count()) == (State.PENDING, None, 0)


def sign_in(alice: User) -> Any:
    client: Any = Client()
    client.post("/accounts/login/", {"login": alice.username, "password": PASSWORD})
    return client


def grow_old(client: Client, *, minutes: int) -> None:
    session: Any = client.session
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [
        {**record, "at": time.time() - 60 * minutes} for record in session[AUTHENTICATION_METHODS_SESSION_KEY]
    ]
    session.save()


def test_without_a_fresh_sign_in_nothing_happens(as_alice: Client, action: PendingAction) -> None:
    answer = confirm(as_alice, action)
    assert (answer.status_code, answer.url) == (
        302,
        f"/accounts/reauthenticate/?next={page_of(action).replace('/', '%2F')}",
    )
    assert nothing_happened(action)


def test_the_page_leads_to_the_sign_in_in_the_buttons_place(as_alice: Client, action: PendingAction) -> None:
    page = as_alice.get(page_of(action)).text
    assert "Sign in again to confirm" in page
    assert 'value="confirm"' not in page
    assert 'value="reject"' in page


def test_a_program_is_told_what_to_do(as_alice: Client, action: PendingAction) -> None:
    answer = confirm(as_alice, action, headers=JSON)
    assert answer.status_code == 403
    assert "sign in again" in answer.json()["error"]
    assert answer.json()["sign_in_again"].startswith("/accounts/reauthenticate/?next=")
    assert nothing_happened(action)


def test_the_password_leads_back_and_the_confirmation_counts(as_alice: Any, action: PendingAction) -> None:
    sent = confirm(as_alice, action)
    back = as_alice.post(sent.url, {"password": PASSWORD, "next": page_of(action)})
    assert back.url == page_of(action)
    assert nothing_happened(action)  # signing in is not confirming
    assert 'value="confirm"' in as_alice.get(back.url).text
    assert confirm(as_alice, action).status_code == 302
    assert Refund.objects.get().amount_minor == 3000


def test_a_wrong_password_changes_nothing(as_alice: Any, action: PendingAction) -> None:
    as_alice.post(confirm(as_alice, action).url, {"password": "wrong"})
    assert confirm(as_alice, action).url.startswith("/accounts/reauthenticate/")
    assert nothing_happened(action)


def test_whoever_signed_in_a_moment_ago_is_not_asked_again(alice: User, action: PendingAction) -> None:
    client = sign_in(alice)
    grow_old(client, minutes=4)
    assert confirm(client, action).url == page_of(action)
    assert Refund.objects.count() == 1


def test_a_stale_sign_in_does_not_count(alice: User, action: PendingAction) -> None:
    client = sign_in(alice)
    grow_old(client, minutes=6)
    assert confirm(client, action).url.startswith("/accounts/reauthenticate/")
    assert nothing_happened(action)


def test_another_accounts_sign_in_in_the_session_does_not_count(alice: User, bob: User, action: PendingAction) -> None:
    client = sign_in(bob)
    records = client.session[AUTHENTICATION_METHODS_SESSION_KEY]
    client.force_login(alice)
    session: Any = client.session
    session[AUTHENTICATION_METHODS_SESSION_KEY] = records
    session.save()
    assert confirm(client, action).url.startswith("/accounts/reauthenticate/")
    assert nothing_happened(action)


def test_without_a_password_a_code_is_mailed(alice: User, action: PendingAction) -> None:
    EmailAddress.objects.create(user=alice, email="alice@example.com", verified=True, primary=True)
    alice.set_unusable_password()
    alice.save()
    client: Any = signed_in(alice)
    sent = confirm(client, action)
    asked = client.post(sent.url, {"recipient": "alice@example.com", "email": "alice@example.com"}, follow=True)
    code = re.search(r"^[A-Z0-9]{3,4}-?[A-Z0-9]{3,4}$", str(mail.outbox[-1].body), re.MULTILINE)
    assert code is not None, (mail.outbox[-1].body, asked.redirect_chain)
    back = client.post(asked.redirect_chain[-1][0], {"code": code.group()}, follow=True)
    assert back.redirect_chain[-1][0] == page_of(action)
    assert confirm(client, action).status_code == 302
    assert Refund.objects.count() == 1


def test_an_account_without_any_means_is_told_so(alice: User, action: PendingAction) -> None:
    alice.set_unusable_password()
    alice.save()
    client = signed_in(alice)
    assert "Ask a person in the chat" in client.get(page_of(action)).text
    answer = confirm(client, action)
    assert (answer.status_code, 'value="confirm"' in answer.text) == (403, False)
    assert nothing_happened(action)


def test_up_to_the_amount_nobody_is_asked(as_alice: Client, alice: User, order: Any) -> None:
    action = refund_proposed(alice, amount="20.00")
    assert confirm(as_alice, action).url == page_of(action)
    assert Refund.objects.count() == 1


def test_declining_needs_no_sign_in(as_alice: Client, action: PendingAction) -> None:
    as_alice.post(page_of(action), {"decision": "reject", "digest": action.digest})
    action.refresh_from_db()
    assert action.state == State.REJECTED


def test_both_amounts_ask_one_after_the_other(alice: User, action: PendingAction, settings: Any) -> None:
    settings.AGENT = {**settings.AGENT, "COSIGN": {"refund_order": {"EUR": 2500}}}
    action = refund_proposed(alice, amount="31.00")
    assert confirm(signed_in(alice), action).url.startswith("/accounts/reauthenticate/")
    confirm(sign_in(alice), action)
    action.refresh_from_db()
    assert (action.state, Refund.objects.count()) == (State.AWAITING_STAFF, 0)


def test_the_sign_in_page_speaks_german(as_alice: Client, action: PendingAction) -> None:
    page = as_alice.get(confirm(as_alice, action).url, headers={"Accept-Language": "de"})
    assert page.status_code == 200
    assert 'type="password"' in page.text
