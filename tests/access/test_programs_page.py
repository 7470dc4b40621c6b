"""The page about programs: a token is made after a second proof, shown once, and revoked."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from agent.access import TokenRefused, personal, verify
from agent.models import PersonalToken
from tests.access.conftest import proved, signed_in

NEW = {"name": "My laptop", "scopes": "read propose", "days": "30"}
SHOWN = re.compile(r"csgn_[0-9A-Za-z]{38}")


def _page(browser: Client, **more: str) -> str:
    return browser.get(reverse("agent:programs"), **more).text


def test_token_is_made_only_after_the_password(as_alice: Client) -> None:
    asked = as_alice.post(reverse("agent:token_new"), NEW)
    assert not PersonalToken.objects.exists()
    made = proved(as_alice, asked)
    token = SHOWN.search(made.text)
    assert token
    assert verify(token.group()).client_name == "My laptop"


def test_token_is_not_made_with_a_wrong_password(as_alice: Client) -> None:
    asked = as_alice.post(reverse("agent:token_new"), NEW)
    assert SHOWN.search(as_alice.post(asked.url, {"password": "wrong"}).text) is None
    assert not PersonalToken.objects.exists()


def test_token_is_shown_once_and_kept_by_nothing(known_alice: Client) -> None:
    made = known_alice.post(reverse("agent:token_new"), NEW)
    token = SHOWN.search(made.text).group()
    assert "no-store" in made["Cache-Control"]
    listed = _page(known_alice)
    assert token not in listed
    assert token[:9] in listed
    assert token not in str(dict(known_alice.session))


def test_page_says_what_each_token_may_and_when_it_was_used(known_alice: Client) -> None:
    token = SHOWN.search(known_alice.post(reverse("agent:token_new"), NEW).text).group()
    assert "Not used yet" in _page(known_alice)
    verify(token)
    assert "Not used yet" not in _page(known_alice)
    assert "May look up and propose" in _page(known_alice)


def test_page_without_tokens_says_what_they_are_for(as_alice: Client) -> None:
    assert "You have no tokens." in _page(as_alice)
    assert "Keine Schlüssel" in _page(as_alice, headers={"Accept-Language": "de"})


def test_revoked_token_leaves_the_page_and_opens_nothing(alice: User, as_alice: Client) -> None:
    row, token = personal.make_token(alice, name="Old", scopes=["read"], days=7)
    assert as_alice.post(reverse("agent:programs"), {"revoke": row.pk}).status_code == 302
    assert "Old" not in _page(as_alice)
    with pytest.raises(TokenRefused):
        verify(token)


def test_stranger_sees_and_revokes_nothing(alice: User, bob: User) -> None:
    row, token = personal.make_token(alice, name="Hers", scopes=["read"], days=7)
    stranger = signed_in(bob)
    assert "Hers" not in _page(stranger)
    stranger.post(reverse("agent:programs"), {"revoke": row.pk})
    assert verify(token).user == alice


@pytest.mark.parametrize("number", ["", "x", "-1", "1 OR 1", "9" * 30, "\0"])
def test_number_that_is_none_changes_nothing(alice: User, as_alice: Client, number: str) -> None:
    _row, token = personal.make_token(alice, name="Hers", scopes=["read"], days=7)
    assert as_alice.post(reverse("agent:programs"), {"revoke": number}).status_code == 400
    assert verify(token)


@pytest.mark.parametrize(
    "change", [{"name": ""}, {"scopes": "confirm"}, {"scopes": ""}, {"days": "0"}, {"days": "x"}], ids=str
)
def test_form_with_a_mistake_says_so_and_keeps_the_rest(known_alice: Client, change: dict[str, str]) -> None:
    answer = known_alice.post(reverse("agent:token_new"), {**NEW, **change})
    assert answer.status_code == 400
    assert "There is a problem" in answer.text
    assert f'value="{change.get("name", NEW["name"])}"' in answer.text
    assert not PersonalToken.objects.exists()


def test_one_too_many_is_refused_in_words(known_alice: Client, settings) -> None:
    settings.AGENT = {**settings.AGENT, "TOKENS_A_CUSTOMER": 1}
    known_alice.post(reverse("agent:token_new"), NEW)
    answer = known_alice.post(reverse("agent:token_new"), NEW)
    assert answer.status_code == 409
    assert "Revoke one first." in answer.text
    assert PersonalToken.objects.count() == 1


def test_name_is_text_and_no_markup(alice: User, as_alice: Client) -> None:
    personal.make_token(alice, name="<b onclick=x>", scopes=["read"], days=7)
    assert "<b onclick" not in _page(as_alice)
    assert "&lt;b onclick=x&gt;" in _page(as_alice)


def test_name_holds_nothing_that_cannot_be_seen(alice: User) -> None:
    row, _token = personal.make_token(alice, name="my\0 own\u202e \ud800script", scopes=["read"], days=7)
    assert row.name == "my own script"
