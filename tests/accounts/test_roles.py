"""Every address of the staff and of the admin, for every role (SECURITY 9)."""

from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from agent import live, staff_urls
from tests.pages.conftest import JSON, signed_in

NOBODY = "staff without a role"
CUSTOMER = "customer"
WHO = [*settings.AGENT["ROLES"], NOBODY, CUSTOMER]
REVIEWS = {"viewer", "reviewer", "approver", "auditor", "admin"}
# Who sees what. An address that is missing here fails the test below: somebody has to say who may see it.
SEES = {"runs": REVIEWS, "run": REVIEWS, "style": REVIEWS, "actions": {"approver"}, "action": {"approver"}}
LISTS = {
    "agent.agentrun": REVIEWS,
    "agent.agentstep": {"auditor", "admin"},
    "agent.pendingaction": {"auditor", "admin"},
    "agent.handoff": {"reviewer", "auditor", "admin"},
    "agent.auditentry": {"auditor", "admin"},
    "agent.outgoingmail": {"reviewer", "auditor"},
    "agent.helparticle": {"reviewer"},
    "waffle.switch": {"admin"},
    "auth.user": {"admin"},
    "auth.group": {"admin"},
}  # all others: superusers alone


@pytest.fixture
def visitor(bob: User, request: pytest.FixtureRequest) -> User:
    if request.param != CUSTOMER:
        bob.is_staff = True
        bob.save()
    if request.param in settings.AGENT["ROLES"]:
        bob.groups.add(Group.objects.get(name=request.param))
    return bob


def address(pattern: Any, rows: dict[str, Any]) -> str:
    takes_id = "<uuid:pk>" in str(pattern.pattern)
    return reverse(f"staff:{pattern.name}", args=[rows[pattern.name]] if takes_id else [])


@pytest.mark.django_db
def test_every_address_of_the_staff_says_who_may_see_it() -> None:
    assert {pattern.name for pattern in staff_urls.urlpatterns} == SEES.keys()


@pytest.mark.django_db
@pytest.mark.parametrize("visitor", WHO, indirect=True, ids=WHO)
@pytest.mark.parametrize("pattern", staff_urls.urlpatterns, ids=lambda pattern: pattern.name)
def test_role_sees_its_pages_and_no_others(
    pattern: Any, visitor: User, request: Any, answered: Any, proposal: Any
) -> None:
    role = request.node.callspec.params["visitor"]
    type(proposal).objects.filter(pk=proposal.pk).update(
        state="awaiting_staff", decided_at=proposal.created_at, decided_by=proposal.user
    )
    answer = signed_in(visitor).get(address(pattern, {"run": answered.pk, "action": proposal.pk}))
    assert answer.status_code == (200 if role in SEES[pattern.name] else 403)


@pytest.mark.django_db
@pytest.mark.parametrize("visitor", WHO, indirect=True, ids=WHO)
def test_role_sees_its_lists_in_the_admin_and_no_others(visitor: User, request: Any) -> None:
    role = request.node.callspec.params["visitor"]
    client = signed_in(visitor)
    seen = {
        model._meta.label_lower
        for model in admin.site._registry
        if client.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")).status_code == 200
    }
    assert seen == {label for label, roles in LISTS.items() if role in roles}


@pytest.mark.django_db
@pytest.mark.parametrize("visitor", [*settings.AGENT["ROLES"], NOBODY], indirect=True)
def test_no_role_makes_accounts_or_gives_roles(visitor: User) -> None:
    client = signed_in(visitor)
    before = list(User.objects.values().order_by("pk"))
    form = {"username": "mallory", "password1": "a-long-password-17", "password2": "a-long-password-17"}
    assert client.post(reverse("admin:auth_user_add"), form).status_code in (302, 403)
    own = client.post(reverse("admin:auth_user_change", args=[visitor.pk]), {"is_superuser": "on"})
    assert own.status_code in (302, 403)
    assert list(User.objects.values().order_by("pk")) == before


@pytest.fixture
def wanted(settings: Any) -> None:
    settings.AGENT = {**settings.AGENT, "STAFF_SECOND_FACTOR": True}


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["staff:runs", "staff:style"])
def test_without_a_second_factor_staff_see_nothing_of_customers(
    name: str, staff: User, answered: Any, wanted: None
) -> None:
    client = signed_in(staff)
    answer = client.get(reverse(name))
    assert (answer.status_code, answer.url) == (302, reverse("mfa_index"))
    assert client.get(reverse(name), headers=JSON).status_code == 403
    assert client.get(reverse("admin:agent_agentrun_changelist")).status_code == 302
    assert "second factor" in client.get(reverse("mfa_index")).content.decode()
    assert not live.may_read(staff, answered.conversation_id)


@pytest.mark.django_db
def test_with_a_second_factor_staff_see_the_review_again(staff: User, answered: Any, wanted: None) -> None:
    TOTP.activate(staff, generate_totp_secret())
    assert signed_in(staff).get(reverse("staff:runs")).status_code == 200
    assert live.may_read(staff, answered.conversation_id)


@pytest.mark.django_db
def test_a_customer_needs_no_second_factor(alice: User, answered: Any, wanted: None, client: Client) -> None:
    assert signed_in(alice).get(reverse("agent:home")).status_code == 200
    assert live.may_read(alice, answered.conversation_id)


@pytest.mark.django_db
def test_a_role_that_the_shop_changed_stays_as_it_is() -> None:
    from agent.roles import make_roles

    group = Group.objects.get(name="viewer")
    group.permissions.clear()
    make_roles()
    assert list(group.permissions.all()) == []
