"""A failed authorisation leaves a row, and a flood of them few (SECURITY 45)."""

from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from agent import audit
from agent.access import personal
from agent.audit import refusals
from agent.errors import TokenRefused
from agent.mcp import guard
from agent.models import AuditEntry
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def kept(user: User | None = None) -> list[tuple[str, str]]:
    rows = AuditEntry.objects.filter(conversation_id=audit.chain_of_account(user.pk if user else refusals.NOBODY))
    return list(rows.order_by("sequence").values_list("actor", "subject"))


def test_page_of_staff_refused_to_a_customer_is_kept_once_an_hour(alice: User) -> None:
    client = signed_in(alice)
    for _ in range(3):
        assert client.get(reverse("staff:runs")).status_code == 403
    assert kept(alice) == [(f"user:{alice.pk}", "permission: staff:runs")]
    assert list(audit.findings()) == []


def test_admin_refused_is_kept(alice: User, staff: User) -> None:
    signed_in(alice).get(reverse("admin:index"), follow=True)
    assert signed_in(staff).get(reverse("admin:auth_user_changelist")).status_code == 403
    assert kept(alice) == [(f"user:{alice.pk}", "permission: admin")]
    assert kept(staff) == [(f"user:{staff.pk}", "permission: admin:auth_user_changelist")]


def test_missing_second_factor_is_kept(staff: User, settings: Any) -> None:
    settings.AGENT = {**settings.AGENT, "STAFF_SECOND_FACTOR": True}
    signed_in(staff).get(reverse("staff:runs"))
    assert kept(staff) == [(f"user:{staff.pk}", "second_factor: staff:runs")]


def test_wrong_code_is_kept(client: Client, staff: User) -> None:
    TOTP.activate(staff, generate_totp_secret())
    client.post(reverse("account_login"), {"login": "staff", "password": PASSWORD})
    client.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert kept(staff) == [(f"user:{staff.pk}", "wrong_code: second factor")]


def test_refused_token_is_kept_with_its_owner_where_it_had_one(alice: User) -> None:
    row, token = personal.make_token(alice, name="Desk", scopes=["read"], days=7)
    personal.revoke_token(alice, pk=row.pk)
    for said in (f"Bearer {token}", "Bearer csgn_guessed", ""):
        with pytest.raises(guard.TurnedAway):
            guard._caller(said)
    assert kept(alice) == [(f"user:{alice.pk}", "token: revoked")]
    assert kept() == [("nobody", "token: unknown")]


def test_flood_leaves_few_rows_and_says_so(alice: User) -> None:
    for number in range(5 * refusals.MOST_A_DAY):
        cache.clear()  # also where the cache forgets
        audit.refused(alice.pk, why="permission", what=f"place {number}")
    subjects = [subject for _actor, subject in kept(alice)]
    assert (len(subjects), subjects[-1]) == (refusals.MOST_A_DAY, refusals.FULL)


def test_refusal_says_whose_the_token_was_to_nobody_outside(alice: User) -> None:
    assert str(TokenRefused("expired", user_id=alice.pk)) == str(TokenRefused("expired"))
