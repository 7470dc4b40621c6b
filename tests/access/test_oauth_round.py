"""Registration, consent, code, token, refresh, revocation: what a program gets, and what it is refused."""

from datetime import timedelta

import pytest
from allauth.idp.oidc.models import Client as Known
from allauth.idp.oidc.models import Token
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from waffle.testutils import override_switch

from agent.access import Caller, TokenRefused, verify
from tests.access.conftest import signed_in
from tests.access.program import CALLBACK, ISSUER, RESOURCE, VERIFIER, Program, hidden, told


def _code(token: str) -> str:
    with pytest.raises(TokenRefused) as caught:
        verify(token)
    return caught.value.code


def test_program_gets_a_token_for_its_customer_alone(alice: User, as_alice: Client) -> None:
    program = Program()
    tokens = program.tokens(as_alice)
    assert (tokens["token_type"], tokens["expires_in"], tokens["scope"]) == ("Bearer", 900, "read propose")
    caller = verify(tokens["access_token"])
    assert caller == Caller(alice, program.client_id, "Probe", frozenset({"read", "propose"}), str(alice.pk))


def test_answer_names_its_issuer_and_repeats_the_state(as_alice: Client) -> None:
    answer = Program().let_in(as_alice)
    assert (answer["iss"], answer["state"]) == (ISSUER, "s-1")


def test_no_token_is_stored_as_it_is(as_alice: Client) -> None:
    tokens = Program().tokens(as_alice)
    stored = str(list(Token.objects.values()))
    assert tokens["access_token"] not in stored
    assert tokens["refresh_token"] not in stored


def test_no_token_is_an_id_token(as_alice: Client) -> None:
    tokens = Program().tokens(as_alice, scope="propose")
    assert "id_token" not in tokens
    assert "." not in tokens["access_token"]


# The consent --------------------------------------------------------------------------------------------------------


def test_page_names_the_program_its_place_and_what_it_may(as_alice: Client) -> None:
    page = as_alice.get(Program(callback="https://app.example/back").address())
    assert page.status_code == 200
    for words in (
        "Connect Probe?",
        "app.example",
        "only you can confirm",
        "Look things up",
        "Prepare changes",
        "Alice",
    ):
        assert words in page.text
    assert "form-action 'self' https://app.example" in page["Content-Security-Policy"]
    assert "no-store" in page["Cache-Control"]
    assert not Token.objects.exists()


def test_page_speaks_german(as_alice: Client) -> None:
    page = as_alice.get(Program().address(), headers={"Accept-Language": "de"})
    assert "Probe verbinden?" in page.text
    assert "bestätigen können nur Sie" in page.text


def test_customer_can_leave_out_proposals(as_alice: Client) -> None:
    program = Program()
    tokens = program.tokens(as_alice, scope="")
    assert tokens["scope"] == "read"
    assert verify(tokens["access_token"]).scopes == {"read"}
    assert program.refresh(tokens["refresh_token"], scope="read propose").json()["error"] == "invalid_scope"


def test_program_that_asks_only_to_read_cannot_propose(as_alice: Client) -> None:
    program = Program()
    code = told(as_alice.post(program.address(scope="read"), {"decision": "allow", "scope": "propose"}))["code"]
    assert program.redeem(code).json()["scope"] == "read"


def test_program_that_asks_only_to_propose_gets_that(as_alice: Client) -> None:
    program = Program()
    asked = program.address(scope="propose")
    assert hidden(as_alice.get(asked).text) == ["propose"]
    answer = as_alice.post(asked, {"decision": "allow", "scope": "propose"})
    assert program.redeem(told(answer)["code"]).json()["scope"] == "propose"


@pytest.mark.parametrize("scope", [None, "", "openid read propose offline_access"])
def test_scopes_that_there_are_not_are_left_out(as_alice: Client, scope: str | None) -> None:
    program = Program()
    answer = as_alice.post(program.address(scope=scope), {"decision": "allow", "scope": "propose"})
    assert program.redeem(told(answer)["code"]).json()["scope"] == "read propose"


def test_denied_program_is_told_so_and_gets_nothing(as_alice: Client) -> None:
    answer = as_alice.post(Program().address(), {"decision": "deny"})
    assert told(answer) == {"error": "access_denied", "state": "s-1", "iss": ISSUER}
    assert not Token.objects.exists()


def test_form_without_a_decision_grants_nothing(as_alice: Client) -> None:
    assert as_alice.post(Program().address()).status_code == 400
    assert not Token.objects.exists()


def test_consent_needs_its_form(alice: User) -> None:
    browser = signed_in(alice, enforce_csrf_checks=True)
    assert browser.post(Program().address(), {"decision": "allow"}).status_code == 403
    assert not Token.objects.exists()


@pytest.mark.parametrize(
    "extra", [{"prompt": "none"}, {"prompt": "none", "scope": "openid"}, {"response_mode": "form_post"}]
)
def test_no_parameter_takes_the_place_of_the_consent(as_alice: Client, extra: dict[str, str]) -> None:
    program = Program()
    program.tokens(as_alice)
    before = Token.objects.count()
    answer = as_alice.get(program.address(**{"scope": "read", **extra}))
    assert answer.status_code == 200 or told(answer)["error"] == "invalid_scope"
    assert Token.objects.count() == before


def test_signed_out_customer_signs_in_and_comes_back(client: Client, alice: User) -> None:
    address = Program().address()
    sign_in = client.get(address)
    assert sign_in.url.startswith("/accounts/login/?next=/oauth/authorize")
    assert client.post(sign_in.url, {"login": "alice", "password": "correct horse battery"}).url == address


# Requests that get none ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"client_id": "nobody"}, {"client_id": None}, {"client_id": "a\0b"}, {"client_id": "https://"},
        {"redirect_uri": None}, {"redirect_uri": "https://evil.example/"}, {"redirect_uri": CALLBACK + "/more"},
        {"redirect_uri": "http://127.0.0.1.evil.example:33418/callback"}, {"redirect_uri": "javascript:alert(1)"},
        {"state": "\0"},
    ],
    ids=str,
)  # fmt: skip
def test_request_whose_origin_is_doubtful_is_answered_on_a_page(
    as_alice: Client, change: dict[str, str | None]
) -> None:
    answer = as_alice.get(Program().address(**change))
    assert answer.status_code == 400
    assert "Location" not in answer


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "id_token"}, "unsupported_response_type"),
        ({"response_type": None}, "invalid_request"),
        ({"scope": "openid"}, "invalid_scope"),
        ({"scope": "confirm"}, "invalid_scope"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"resource": RESOURCE + "/more"}, "invalid_target"),
        ({"resource": RESOURCE + "?x=1"}, "invalid_target"),
        ({"resource": "nonsense"}, "invalid_target"),
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_request_that_is_wrong_is_sent_back_with_its_error(
    as_alice: Client, method: str, change: dict[str, str | None], error: str
) -> None:
    answer = getattr(as_alice, method)(Program().address(**change), {"decision": "allow"} if method == "post" else {})
    assert answer["Location"].startswith(CALLBACK)
    assert told(answer)["error"] in (error, "unauthorized_client")
    assert told(answer)["iss"] == ISSUER
    assert not Token.objects.exists()


def test_request_that_says_a_thing_twice_is_refused(as_alice: Client) -> None:
    program = Program()
    assert as_alice.get(program.address() + "&client_id=" + program.client_id).status_code == 400


def test_request_without_a_resource_is_for_the_only_one(as_alice: Client) -> None:
    program = Program()
    code = program.let_in(as_alice, resource=None)["code"]
    assert verify(program.redeem(code, resource=None).json()["access_token"])


# The exchange -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"code_verifier": "w" * 64}, {"code_verifier": None}, {"redirect_uri": "http://127.0.0.1:1/callback"},
        {"redirect_uri": None}, {"client_id": "nobody"}, {"code": "x"}, {"code": None}, {"code": "a\0b"},
        {"client_id": "a\0b"}, {"resource": "https://elsewhere.example/mcp"}, {"resource": "nonsense"},
        {"grant_type": "password"}, {"grant_type": "client_credentials"}, {"grant_type": None},
    ],
    ids=str,
)  # fmt: skip
def test_code_is_redeemed_only_as_it_was_asked_for(as_alice: Client, change: dict[str, str | None]) -> None:
    program = Program()
    code = program.let_in(as_alice)["code"]
    answer = program.redeem(**{"code": code, **change})
    assert answer.status_code in (400, 401)
    assert answer.json()["error"]
    assert "no-store" in answer["Cache-Control"]
    assert not Token.objects.filter(type=Token.Type.ACCESS_TOKEN).exists()


@pytest.mark.parametrize(
    ("grant_type", "error"),
    [
        ("password", "unsupported_grant_type"), ("client_credentials", "unsupported_grant_type"),
        ("urn:ietf:params:oauth:grant-type:device_code", "unsupported_grant_type"), ("", "invalid_request"),
        (None, "invalid_request"),
    ],
)  # fmt: skip
def test_grant_that_is_not_given_here_is_called_so(as_alice: Client, grant_type: str | None, error: str) -> None:
    program = Program()
    code = program.let_in(as_alice)["code"]
    answer = program.redeem(code, grant_type=grant_type, username="alice", password="x")
    assert (answer.status_code, answer.json()["error"]) == (400, error)


def test_code_of_one_program_is_no_others(as_alice: Client) -> None:
    code = Program().let_in(as_alice)["code"]
    assert Program().redeem(code).json()["error"] == "invalid_grant"


@pytest.mark.django_db(transaction=True)
def test_code_that_comes_twice_ends_what_it_brought(as_alice: Client) -> None:
    program = Program()
    code = program.let_in(as_alice)["code"]
    first = program.redeem(code).json()
    assert program.redeem(code).status_code == 400
    assert _code(first["access_token"]) == "unknown"


def test_code_ends_after_a_minute(as_alice: Client) -> None:
    program = Program()
    code = program.let_in(as_alice)["code"]
    Token.objects.update(expires_at=timezone.now())
    assert program.redeem(code).json()["error"] == "invalid_grant"


def test_parameters_in_the_address_are_not_taken(as_alice: Client) -> None:
    program = Program()
    code = program.let_in(as_alice)["code"]
    answer = program.post(
        {"redirect_uri": CALLBACK, "code_verifier": VERIFIER},
        path=f"/oauth/token?grant_type=authorization_code&code={code}",
    )
    assert answer.status_code == 400


def test_refresh_token_is_good_once_and_the_next_one_goes_on(as_alice: Client) -> None:
    program = Program()
    first = program.tokens(as_alice)
    second = program.refresh(first["refresh_token"]).json()
    assert second["refresh_token"] != first["refresh_token"]
    assert verify(second["access_token"])
    assert program.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
    assert program.refresh(second["refresh_token"]).status_code == 200  # one that was sent twice in haste ends nothing


def test_refresh_token_that_comes_back_later_ends_all_that_came_of_it(as_alice: Client) -> None:
    program = Program()
    first = program.tokens(as_alice)
    second = program.refresh(first["refresh_token"]).json()
    for row in Token.objects.filter(data__has_key="spent_at"):
        row.data["spent_at"] -= 120
        row.save()
    assert program.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
    assert _code(second["access_token"]) == "unknown"
    assert program.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"


def test_refresh_token_of_one_program_is_no_others(as_alice: Client) -> None:
    tokens = Program().tokens(as_alice)
    assert Program().refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_refresh_for_another_resource_is_refused(as_alice: Client) -> None:
    program = Program()
    tokens = program.tokens(as_alice)
    answer = program.refresh(tokens["refresh_token"], resource="https://elsewhere.example/mcp")
    assert answer.json()["error"] == "invalid_target"
    assert program.refresh(tokens["refresh_token"]).status_code == 200


def test_refresh_for_a_deactivated_customer_is_refused(alice: User, as_alice: Client) -> None:
    program = Program()
    tokens = program.tokens(as_alice)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert program.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_what_ended_a_while_ago_is_removed(as_alice: Client) -> None:
    program = Program()
    program.tokens(as_alice)
    Token.objects.update(expires_at=timezone.now() - timedelta(days=2))
    program.tokens(as_alice)
    assert not Token.objects.filter(expires_at__lt=timezone.now() - timedelta(days=1)).exists()


def test_program_gives_its_tokens_back(as_alice: Client) -> None:
    program = Program()
    tokens = program.tokens(as_alice)
    stranger = Program().post({"token": tokens["refresh_token"]}, path="/oauth/revoke")
    assert stranger.status_code == 200
    assert verify(tokens["access_token"])
    assert program.post({"token": tokens["refresh_token"]}, path="/oauth/revoke").status_code == 200
    assert _code(tokens["access_token"]) == "unknown"
    assert program.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


# Connected apps -----------------------------------------------------------------------------------------------------


def test_customer_sees_and_ends_what_is_connected(as_alice: Client, as_bob: Client) -> None:
    program = Program(callback="https://app.example/back")
    tokens = program.tokens(as_alice)
    page = as_alice.get("/agent/programs/").text
    assert "Probe" in page
    assert "app.example" in page
    assert "Probe" not in as_bob.get("/agent/programs/").text
    as_bob.post("/agent/programs/", {"disconnect": program.client_id})
    assert verify(tokens["access_token"])
    as_alice.post("/agent/programs/", {"disconnect": program.client_id})
    assert _code(tokens["access_token"]) == "unknown"
    assert program.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert "No app is connected." in as_alice.get("/agent/programs/").text


def test_code_on_its_way_ends_with_the_connection(as_alice: Client) -> None:
    program = Program()
    code = program.let_in(as_alice)["code"]
    as_alice.post("/agent/programs/", {"disconnect": program.client_id})
    assert program.redeem(code).json()["error"] == "invalid_grant"


def test_program_that_comes_again_is_recognised_and_asked_again(as_alice: Client) -> None:
    program = Program()
    assert "You let it in already" not in as_alice.get(program.address()).text
    program.tokens(as_alice, scope="")
    page = as_alice.get(program.address()).text
    assert "You let it in already" in page
    assert 'value="propose" checked' not in page


def test_deleted_customer_leaves_no_token(alice: User, as_alice: Client) -> None:
    Program().tokens(as_alice)
    alice.delete()
    assert not Token.objects.exists()


def test_nothing_is_granted_while_programs_are_switched_off(as_alice: Client) -> None:
    program = Program()
    with override_switch("agent.programs", active=False):
        for answer in (as_alice.get(program.address()), as_alice.post(program.address(), {"decision": "allow"})):
            assert (answer.status_code, "switched that off" in answer.text) == (400, True)
    assert Token.objects.count() == 0


def test_program_that_the_shop_removes_is_out(as_alice: Client) -> None:
    program = Program()
    tokens = program.tokens(as_alice)
    Known.objects.get(pk=program.client_id).delete()
    assert _code(tokens["access_token"]) == "unknown"
