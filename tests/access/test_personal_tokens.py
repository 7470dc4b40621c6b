"""Tokens that customers make: what they open, when they stop, and what is stored of them."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agent import access
from agent.access import TokenRefused, bearer_token, personal, verify
from agent.errors import BadQuestion, Refusal
from agent.models import PersonalToken

ALL = ["read", "propose"]


def _made(user: User, **about: object) -> tuple[PersonalToken, str]:
    return personal.make_token(user, **{"name": "Laptop", "scopes": ALL, "days": 30, **about})


def _refused(token: str) -> str:
    with pytest.raises(TokenRefused) as caught:
        verify(token)
    return caught.value.code


def test_token_names_its_customer_program_and_scopes(alice: User) -> None:
    row, token = _made(alice, name="  My   laptop ", scopes=["read"])
    caller = verify(token)
    assert caller == access.Caller(alice, f"personal:{row.pk}", "My laptop", frozenset({"read"}), str(alice.pk))


def test_token_is_not_stored(alice: User) -> None:
    _row, token = _made(alice)
    stored = " ".join(str(value) for value in PersonalToken.objects.values_list()[0])
    assert token not in stored
    assert token[len(personal.PREFIX) + 4 :] not in stored


def test_token_can_be_recognised_without_being_known(alice: User) -> None:
    row, token = _made(alice)
    assert personal.SHAPE.fullmatch(token)
    assert token.startswith(row.hint)
    assert row.hint.startswith("csgn_")


@pytest.mark.parametrize(
    "change", [lambda token: token[:-1] + "!", lambda token: token[:-1], lambda token: token + "\n"]
)
def test_misspelt_token_is_refused_without_a_query(alice: User, change, django_assert_num_queries) -> None:
    _row, token = _made(alice)
    with django_assert_num_queries(0):
        assert _refused(change(token)) == "unknown"


@pytest.mark.parametrize("nobody", ["", "csgn_", "x" * 10_000, "csgn_" + "0" * 38, "\0", "ü"])
def test_token_of_nobody_is_refused(db: None, nobody: str) -> None:
    assert _refused(nobody) == "unknown"


def test_expired_token_is_refused(alice: User) -> None:
    row, token = _made(alice)
    PersonalToken.objects.filter(pk=row.pk).update(expires_at=timezone.now())
    assert _refused(token) == "expired"
    row.refresh_from_db()
    assert row.last_used_on is None


def test_revoked_token_is_refused(alice: User) -> None:
    row, token = _made(alice)
    personal.revoke_token(alice, pk=row.pk)
    assert _refused(token) == "revoked"


def test_token_of_a_deactivated_customer_is_refused(alice: User) -> None:
    row, token = _made(alice)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert _refused(token) == "inactive_user"
    row.refresh_from_db()
    assert row.last_used_on is None


def test_stranger_revokes_nothing(alice: User, bob: User) -> None:
    row, token = _made(alice)
    personal.revoke_token(bob, pk=row.pk)
    assert verify(token).user == alice


def test_last_use_is_a_day_and_written_once(alice: User, django_assert_num_queries) -> None:
    row, token = _made(alice)
    verify(token)
    row.refresh_from_db()
    assert row.last_used_on == timezone.localdate()
    with django_assert_num_queries(1) as queries:
        verify(token)
    assert isinstance(queries, CaptureQueriesContext)


def test_one_token_too_many_is_refused(alice: User, bob: User, settings) -> None:
    settings.AGENT = {**settings.AGENT, "TOKENS_A_CUSTOMER": 2}
    first, _token = _made(alice)
    _made(alice)
    with pytest.raises(Refusal):
        _made(alice)
    assert PersonalToken.objects.count() == 2
    _made(bob)
    PersonalToken.objects.filter(pk=first.pk).update(expires_at=timezone.now() - timedelta(days=1))
    _made(alice)  # an expired one takes no place


@pytest.mark.parametrize(
    "about",
    [
        {"name": " "},
        {"name": "x" * 61},
        {"scopes": []},
        {"scopes": ["confirm"]},
        {"scopes": ["read", "admin"]},
        {"days": 0},
        {"days": 36500},
    ],
    ids=str,
)
def test_token_that_cannot_be_is_not_made(alice: User, about: dict[str, object]) -> None:
    with pytest.raises(BadQuestion):
        _made(alice, **about)
    assert not PersonalToken.objects.exists()


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic YTpi", "csgn_abc", "Token csgn_abc"])
def test_only_a_bearer_header_holds_a_token(header: str) -> None:
    with pytest.raises(TokenRefused) as caught:
        bearer_token(header)
    assert caught.value.code == "missing"


def test_bearer_header_is_read_in_any_case() -> None:
    assert bearer_token("bearer  abc ") == "abc"
