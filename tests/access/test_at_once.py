"""An exchange of tokens, and in the same moment the end of what they came of."""

import threading
from collections.abc import Callable

import pytest
from allauth.idp.oidc import views as allauth_views
from allauth.idp.oidc.models import Token
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.utils import timezone

from agent.access import connections, exchanging
from tests.access.program import Program
from tests.two_at_once import in_thread, need_postgresql, until_somebody_waits

pytestmark = pytest.mark.django_db(transaction=True)
Beside = Callable[[Callable[[], object]], threading.Thread]


@pytest.fixture
def beside(db: None, monkeypatch: pytest.MonkeyPatch) -> Beside:
    """Have something begin when an exchange has made its tokens and not committed them, and wait for its locks."""
    need_postgresql()
    exchanged = allauth_views.token

    def start(work: Callable[[], object]) -> threading.Thread:
        thread = in_thread(work, [])

        def exchanged_slowly(request: HttpRequest) -> HttpResponse:
            answer = exchanged(request)
            monkeypatch.setattr(allauth_views, "token", exchanged)
            thread.start()
            until_somebody_waits()
            return answer

        monkeypatch.setattr(allauth_views, "token", exchanged_slowly)
        return thread

    return start


def test_disconnected_program_keeps_nothing_of_an_exchange_under_way(
    beside: Beside, alice: User, as_alice: Client
) -> None:
    program = Program()
    tokens = program.tokens(as_alice)
    Token.objects.exclude(type=Token.Type.REFRESH_TOKEN).delete()  # as it is after a day
    thread = beside(lambda: connections.disconnect(alice, client_id=program.client_id))
    assert program.refresh(tokens["refresh_token"]).status_code == 200
    thread.join(timeout=20)
    assert list(Token.objects.all()) == []


def test_stolen_grant_ends_also_where_it_is_being_renewed(beside: Beside, as_alice: Client) -> None:
    program = Program()
    first = program.tokens(as_alice)["refresh_token"]
    second = program.refresh(first).json()["refresh_token"]
    spent = Token.objects.by_value(first).get()
    long_ago = timezone.now() - 2 * exchanging._GRACE
    Token.objects.filter(pk=spent.pk).update(data={**spent.data, "spent_at": long_ago.timestamp()})
    Token.objects.filter(type=Token.Type.ACCESS_TOKEN).delete()
    thread = beside(lambda: exchanging._end_grant_of_stolen(Token.objects.get(pk=spent.pk)))
    assert program.refresh(second).status_code == 200
    thread.join(timeout=20)
    assert not Token.objects.valid().filter(type__in=[Token.Type.ACCESS_TOKEN, Token.Type.REFRESH_TOKEN]).exists()


def test_refresh_token_that_two_bring_at_once_is_good_once(beside: Beside, as_alice: Client) -> None:
    program = Program()
    token = program.tokens(as_alice)["refresh_token"]
    second: list[HttpResponse] = []
    thread = beside(lambda: second.append(program.post({"grant_type": "refresh_token", "refresh_token": token})))
    assert program.refresh(token).status_code == 200
    thread.join(timeout=20)
    assert [answer.status_code for answer in second] == [400]
