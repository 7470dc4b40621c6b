"""Every kind of token that is not good here, at the served door: the status, the challenge, and no row of a call."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.idp.oidc.models import Token
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agent.access.challenge import resource
from agent.models import AgentStep, PersonalToken
from tests.access.conftest import as_alice as as_alice
from tests.access.program import Program
from tests.mcp.conftest import message, post, token_of
from tests.pages.conftest import signed_in as signed_in
from tests.serving import Site

pytestmark = pytest.mark.django_db(transaction=True)

READ = message("tools/call", name="list_orders", arguments={})
WRITE = message("tools/call", name="refund_order", arguments={"order_number": "DZ-10001", "amount": "1.00"})
Tokens = dict[str, Any]


@pytest.fixture
def granted(served: Site, as_alice: Client, settings: Any) -> Tokens:
    """What came of Alice's grant to a program, made for the server as it is reached here."""
    settings.PUBLIC_URL = served.url
    program = Program()
    answer = program.redeem(program.let_in(as_alice, resource=None)["code"], resource=None)
    return dict(answer.json())


def changed(**changes: Any) -> Callable[[Tokens], str]:
    def change(tokens: Tokens) -> str:
        row = Token.objects.by_value(tokens["access_token"]).get()
        Token.objects.filter(pk=row.pk).update(**changes)
        return str(tokens["access_token"])

    return change


def personal(user: User, **changes: Any) -> str:
    token = token_of(user)
    PersonalToken.objects.update(**changes)
    return token


def unauthorised(served: Site, token: str | None, **more: Any) -> tuple[int, bool, bool]:
    """The status, whether it says invalid_token, and whether it says where to learn more."""
    answer = post(served, READ, token, **more)
    header = answer.headers["www-authenticate"]
    where = f'resource_metadata="{served.url}/.well-known/oauth-protected-resource/mcp"'
    return answer.status, 'error="invalid_token"' in header, header.startswith("Bearer ") and where in header


REFUSED: dict[str, Callable[[Tokens], str]] = {
    "expired": changed(expires_at=timezone.now() - timedelta(seconds=1)),
    "for another audience": changed(data={"resources": ["https://elsewhere.example/mcp"]}),
    "for this and another": lambda tokens: changed(data={"resources": [resource(), "https://elsewhere.example/"]})(
        tokens
    ),
    "for no audience": changed(data={}),
    "a refresh token": lambda tokens: str(tokens["refresh_token"]),
    "cut short": lambda tokens: str(tokens["access_token"])[:-1],
}


def test_granted_token_is_good_as_it_is(served: Site, granted: Tokens) -> None:
    assert post(served, READ, granted["access_token"]).status == 200


@pytest.mark.parametrize("kind", REFUSED)
def test_granted_token_that_is_not_good_is_invalid(served: Site, granted: Tokens, kind: str) -> None:
    assert unauthorised(served, REFUSED[kind](granted)) == (401, True, True)
    assert AgentStep.objects.count() == 0


def test_token_of_a_shop_at_another_address_is_invalid(served: Site, as_alice: Client) -> None:
    assert unauthorised(served, Program().tokens(as_alice)["access_token"]) == (401, True, True)


@pytest.mark.parametrize("change", ["expires_at", "revoked_at"])
def test_personal_token_that_ended_is_invalid(served: Site, alice: User, change: str) -> None:
    assert unauthorised(served, personal(alice, **{change: timezone.now()})) == (401, True, True)
    assert AgentStep.objects.count() == 0


@pytest.mark.parametrize("name", ["access_token", "token", "Authorization"])
def test_token_in_the_address_is_refused_alone_and_beside_the_header(served: Site, granted: Tokens, name: str) -> None:
    token = granted["access_token"]
    assert unauthorised(served, None, query=f"?{name}={token}") == (401, True, True)
    assert unauthorised(served, token, query=f"?{name}={token}") == (401, True, True)
    assert AgentStep.objects.count() == 0


def test_token_without_a_scope_is_told_which_it_lacks(served: Site, granted: Tokens) -> None:
    answer = post(served, READ, changed(scopes="")(granted))
    assert answer.status == 403
    assert 'error="insufficient_scope", scope="read"' in answer.headers["www-authenticate"]
    assert AgentStep.objects.filter(outcome="ok").count() == 0


def test_token_that_reads_is_told_what_a_write_needs(served: Site, granted: Tokens) -> None:
    answer = post(served, WRITE, changed(scopes="read")(granted))
    assert answer.status == 403
    assert 'error="insufficient_scope", scope="propose"' in answer.headers["www-authenticate"]
