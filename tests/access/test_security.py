"""SECURITY 48 and 49: every kind of token that is not one for this MCP server, and none of them anywhere else."""

import time
from collections.abc import Callable
from datetime import timedelta

import jwt
import pytest
from allauth.idp.oidc.models import Token
from cryptography.hazmat.primitives.asymmetric import rsa
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agent import chat_urls
from agent.access import TokenRefused, bearer_token, personal, verify
from agent.models import AgentRun, PendingAction
from tests.access.program import ISSUER, RESOURCE, Program

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _signed(**changes: object) -> str:
    claims = {"iss": ISSUER, "aud": RESOURCE, "sub": "1", "exp": int(time.time()) + 600, "scope": "read", **changes}
    return jwt.encode(claims, KEY, algorithm="RS256", headers={"kid": "1"})


def _row(token: str) -> Token:
    return Token.objects.by_value(token).get()


def _changed(**changes: object) -> Callable[[dict[str, str]], str]:
    def change(tokens: dict[str, str]) -> str:
        Token.objects.filter(pk=_row(tokens["access_token"]).pk).update(**changes)
        return tokens["access_token"]

    return change


KINDS: dict[str, tuple[Callable[[dict[str, str]], str], str]] = {
    "of nobody": (lambda _: "x" * 86, "unknown"),
    "empty": (lambda _: "", "unknown"),
    "cut short": (lambda tokens: tokens["access_token"][:-1], "unknown"),
    "its stored hash": (lambda tokens: _row(tokens["access_token"]).hash, "unknown"),
    "expired": (_changed(expires_at=timezone.now() - timedelta(seconds=1)), "expired"),
    "without an end": (_changed(expires_at=None), "expired"),
    "for another audience": (_changed(data={"resources": ["https://elsewhere.example/mcp"]}), "foreign_audience"),
    "for two audiences": (_changed(data={"resources": [RESOURCE, "https://elsewhere.example/"]}), "foreign_audience"),
    "for no audience": (_changed(data={}), "foreign_audience"),
    "of no customer": (_changed(user=None), "unknown"),
    "of no program": (_changed(client=None), "unknown"),
    "a refresh token": (lambda tokens: tokens["refresh_token"], "no_access_token"),
    "an authorization code": (_changed(type=Token.Type.AUTHORIZATION_CODE), "no_access_token"),
    "an ID token": (lambda _: _signed(aud="client", nonce="n"), "signed"),
    "signed by somebody else": (lambda _: _signed(), "signed"),
    "signed by another issuer": (lambda _: _signed(iss="https://elsewhere.example"), "signed"),
    "signed by nobody": (lambda _: jwt.encode({"sub": "1", "aud": RESOURCE}, None, algorithm="none"), "signed"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_48_token_that_is_not_for_this_server_is_refused(as_alice: Client, kind: str) -> None:
    """SECURITY 48."""
    make, code = KINDS[kind]
    token = make(Program().tokens(as_alice))
    with pytest.raises(TokenRefused) as caught:
        verify(token)
    assert caught.value.code == code


def test_48_token_of_a_deactivated_customer_is_refused(alice: User, as_alice: Client) -> None:
    """SECURITY 48."""
    token = Program().tokens(as_alice)["access_token"]
    User.objects.filter(pk=alice.pk).update(is_active=False)
    with pytest.raises(TokenRefused) as caught:
        verify(token)
    assert caught.value.code == "inactive_user"


def test_48_token_without_scopes_has_none(as_alice: Client) -> None:
    """SECURITY 48: the server then answers insufficient_scope."""
    token = _changed(scopes="")(Program().tokens(as_alice))
    assert verify(token).scopes == frozenset()


def test_48_session_cookie_is_no_token(as_alice: Client) -> None:
    """SECURITY 48."""
    with pytest.raises(TokenRefused):
        verify(as_alice.session.session_key)
    with pytest.raises(TokenRefused):
        bearer_token("")


@pytest.fixture(params=["granted", "personal"])
def token(request: pytest.FixtureRequest, alice: User, as_alice: Client) -> str:
    if request.param == "personal":
        return personal.make_token(alice, name="Own", scopes=["read", "propose"], days=7)[1]
    return Program().tokens(as_alice)["access_token"]


PAGES = [pattern for pattern in chat_urls.urlpatterns if "<" not in str(pattern.pattern)]


@pytest.mark.parametrize("name", [f"agent:{pattern.name}" for pattern in PAGES])
@pytest.mark.parametrize("method", ["get", "post"])
def test_49_token_opens_no_page_of_the_site(token: str, name: str, method: str) -> None:
    """SECURITY 49: a token is for the MCP server alone."""
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    answer = getattr(Client(), method)(reverse(name), {"q": "Hello"} if method == "post" else {}, headers=headers)
    assert answer.status_code in (401, 405)
    assert not AgentRun.objects.exists()


def test_49_token_confirms_nothing(token: str, proposal: PendingAction) -> None:
    """SECURITY 49, 53."""
    address = reverse("agent:action", args=[proposal.pk])
    form = {"decision": "confirm", "digest": proposal.digest}
    for headers in (
        {"Authorization": f"Bearer {token}"},
        {"Authorization": f"Bearer {token}", "Accept": "application/json"},
    ):
        assert Client().post(address, form, headers=headers).status_code in (302, 401)
    assert Client().post(f"{address}?access_token={token}", form).status_code == 302
    proposal.refresh_from_db()
    assert proposal.state == PendingAction.State.PENDING


def test_49_token_grants_no_other(token: str) -> None:
    """SECURITY 49: it neither lets a program in nor makes a token."""
    headers = {"Authorization": f"Bearer {token}"}
    before = Token.objects.count()
    assert Client().post(Program().address(), {"decision": "allow"}, headers=headers).status_code == 302
    assert Client().post("/agent/programs/token/", {"name": "x"}, headers=headers).status_code == 302
    assert Token.objects.count() == before


def test_nobody_writes_tokens_in_the_admin() -> None:
    assert not admin.site.is_registered(Token)
