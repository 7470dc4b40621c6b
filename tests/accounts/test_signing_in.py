"""The door: sessions that change with it, one answer for known and unknown accounts, limits that no header moves."""

from typing import Any

import pytest
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.hashers import get_hasher
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from tests.config.test_headers import addresses
from tests.pages.conftest import JSON

PASSWORD = "correct horse battery staple"
LOGIN = "/accounts/login/"


@pytest.fixture(autouse=True)
def no_limits_left_over() -> None:
    cache.clear()


@pytest.fixture
def customer(alice: User) -> User:
    alice.set_password(PASSWORD)
    alice.save()
    return alice


def sign_in(client: Client, user: User, password: str = PASSWORD, *, next: str = "", **more: Any) -> Any:
    return client.post(LOGIN, {"login": user.username, "password": password, "next": next}, **more)


@pytest.mark.django_db
def test_session_changes_at_the_sign_in_and_dies_with_the_sign_out(customer: User) -> None:
    """SECURITY 10."""
    client = Client()
    client.get(LOGIN)
    client.session["planted"] = True
    session = client.session
    session.save()
    client.cookies["sessionid"] = session.session_key
    before = session.session_key
    assert sign_in(client, customer).status_code == 302
    inside = client.session.session_key
    assert inside != before
    client.post("/accounts/logout/")
    thief = Client()
    thief.cookies["sessionid"] = inside
    assert thief.get(reverse("agent:home"), headers=JSON).status_code == 401


@pytest.mark.django_db
def test_a_password_opens_one_door_alone(customer: User) -> None:
    """SECURITY 9: what counts failed passwords and asks for the second factor is not gone round by another form."""
    User.objects.filter(pk=customer.pk).update(is_staff=True, is_superuser=True)
    opened = set()
    for path in addresses():
        client = Client()
        client.post(path, {"login": customer.username, "username": customer.username, "password": PASSWORD})
        if SESSION_KEY in client.session:
            opened.add(path)
    assert opened == {LOGIN}


@pytest.mark.django_db
def test_the_admin_sends_who_is_not_signed_in_to_that_door_and_back(customer: User) -> None:
    User.objects.filter(pk=customer.pk).update(is_staff=True, is_superuser=True)
    client = Client()
    asked = client.get(reverse("admin:index"), follow=True)
    assert asked.redirect_chain[-1][0] == f"{LOGIN}?next=/admin/"
    assert sign_in(client, customer, next="/admin/").url == "/admin/"
    assert client.get(reverse("admin:login")).url == reverse("admin:index")


@pytest.mark.django_db
def test_password_change_ends_all_other_sessions(customer: User) -> None:
    elsewhere, here = Client(), Client()
    sign_in(elsewhere, customer)
    sign_in(here, customer)
    changed = {"oldpassword": PASSWORD, "password1": "another-Horse-17", "password2": "another-Horse-17"}
    assert here.post(reverse("account_change_password"), changed).status_code == 302
    assert elsewhere.get(reverse("agent:home"), headers=JSON).status_code == 401


@pytest.mark.django_db
@pytest.mark.parametrize("known", [True, False])
def test_wrong_password_and_unknown_account_get_one_answer(customer: User, known: bool) -> None:
    """SECURITY 41: the words, the status and the work of checking a password are the same."""
    if not known:
        customer.delete()
    answer = Client().post(LOGIN, {"login": "alice", "password": "wrong"})
    page = answer.content.decode()
    assert (answer.status_code, "does not exist" in page, "unknown" in page.lower()) == (200, False, False)
    assert "The username and/or password you specified are not correct." in page


@pytest.mark.django_db
def test_unknown_account_costs_as_many_hashes_as_a_known_one(customer: User, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = []
    hasher = type(get_hasher())
    real = hasher.encode
    monkeypatch.setattr(hasher, "encode", lambda self, *args, **kwargs: hashed.append(1) or real(self, *args, **kwargs))
    counts = []
    for login in (customer.username, "nobody-of-that-name", customer.email, "nobody@example.com"):
        hashed.clear()
        Client().post(LOGIN, {"login": login, "password": "wrong"})
        counts.append(len(hashed))
    assert counts == [1, 1, 1, 1]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/accounts/password/reset/", "/accounts/login/code/"])
def test_mail_for_an_unknown_address_looks_as_for_a_known_one(customer: User, path: str) -> None:
    seen = []
    for email in (customer.email, "nobody@example.com"):
        cache.clear()
        client = Client()
        answer = client.post(path, {"email": email})
        seen.append((answer.status_code, answer.get("Location")))
    assert seen[0] == seen[1]
    assert seen[0][0] == 302


@pytest.mark.django_db
def test_code_by_mail_signs_in_once(customer: User) -> None:
    client = Client()
    client.post("/accounts/login/code/", {"email": customer.email})
    (sent,) = [letter for letter in mail.outbox if customer.email in letter.to]
    code = next(line.strip() for line in sent.body.splitlines() if line.strip() and " " not in line.strip())
    assert client.post("/accounts/login/code/confirm/", {"code": code}).status_code == 302
    assert client.get(reverse("agent:home")).status_code == 200
    again = Client()
    again.post("/accounts/login/code/confirm/", {"code": code})
    assert again.get(reverse("agent:home"), headers=JSON).status_code == 401


@pytest.mark.django_db
def test_sixth_wrong_password_is_refused_and_so_is_the_right_one_then(customer: User) -> None:
    """SECURITY 39: five in five minutes for an account, wherever they come from and whatever they say of it."""
    for number in range(5):
        sign_in(Client(REMOTE_ADDR=f"203.0.113.{number}"), customer, "wrong")
    late = sign_in(Client(REMOTE_ADDR="203.0.113.77"), customer)
    assert "_auth_user_id" not in late.client.session
    assert "Too many failed login attempts" in late.content.decode()


@pytest.mark.django_db
def test_no_header_moves_the_limit_of_an_address(customer: User) -> None:
    """SECURITY 39: what a client says of its own address is not believed."""
    answers = []
    for number in range(12):
        headers = {"X-Forwarded-For": f"198.51.100.{number}", "X-Real-IP": f"198.51.100.{number}"}
        answers.append(Client().post(LOGIN, {"login": f"user{number}", "password": "x"}, headers=headers))
    limited = [answer for answer in answers if "Too many failed login attempts" in answer.content.decode()]
    assert limited


@pytest.mark.django_db
def test_too_many_requests_say_when_to_come_back(customer: User, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login": "1/m/ip"}
    sign_in(Client(), customer)
    late = sign_in(Client(), customer)
    assert (late.status_code, late["Retry-After"]) == (429, "60")


@pytest.mark.django_db
def test_nobody_signs_up_here() -> None:
    form = {"username": "mallory", "email": "m@example.com", "password1": "a-long-password-17"}
    answer = Client().post("/accounts/signup/", form)
    assert (answer.status_code, User.objects.filter(username="mallory").exists()) == (200, False)
