"""What holds for every address of the site, the libraries' and the admin's too: walked over the URLconf."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import URLPattern, URLResolver, get_resolver, path, reverse

from agent.models import PendingAction
from config.urls import urlpatterns as real
from tests.pages.conftest import JSON, signed_in

pytestmark = pytest.mark.django_db

ABSENT = "00000000-0000-0000-0000-000000000007"
# Kept by whoever likes: descriptions of the authorization server, the same for everybody, and the admin's own script.
PUBLIC = re.compile(r"/\.well-known/")
# Asked by programs that have no cookie of ours: each takes what proves its caller in the body, and nothing else.
OF_PROGRAMS = {"/oauth/token", "/oauth/revoke", "/oauth/register"}


def _written(resolver: URLResolver, before: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        written = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _written(pattern, written)
        elif isinstance(pattern, URLPattern):
            yield written


def _filled(written: str) -> str:
    """An address that the pattern takes, whose row is not there."""
    text = re.sub(r"\\[AZ]|[$^]|\\(?=[.-])", "", written)
    text = text.replace("<uuid:pk>", ABSENT).replace("<slug:slug>", "none").replace("(?P<uidb36>[0-9A-Za-z]+)", "3")
    return "/" + quote(re.sub(r"<[^>]+>|\([^)]*\)", "1", re.sub(r"\(\?P<\w+>[^()]*\)", "1", text)))


EVERY = sorted({_filled(written) for written in _written(get_resolver())})
ROOMS = {
    room: [each for each in EVERY if each.split("/")[1] == room] for room in {each.split("/")[1] for each in EVERY}
}
EACH_ROOM = pytest.mark.parametrize("room", sorted(ROOMS))


@pytest.fixture
def superuser(db: None) -> User:
    return User.objects.create_superuser("root", "root@example.com", "correct horse battery")


@pytest.fixture
def everybody(superuser: User, alice: User) -> list[Client]:
    """Who is signed out, a customer, and who may see everything."""
    return [Client(raise_request_exception=False), signed_in(alice), signed_in(superuser)]


def rows() -> dict[str, list[Any]]:
    """Everything that somebody could have changed; not what notes that somebody came, or was shown something."""
    notes = {"Session", "AuditEntry", "ActionTrace", "AuditAnchor"}
    models = [model for model in apps.get_models() if model.__name__ not in notes]
    return {model._meta.label: list(model._base_manager.order_by("pk").values()) for model in models}


def safe(answer: Any) -> bool:
    """Framed by nobody, and its address told to no other site."""
    policy = answer.headers.get("Content-Security-Policy", "")
    told = (answer.headers.get("X-Frame-Options"), answer.headers.get("Referrer-Policy"))
    return told == ("DENY", "same-origin") and "frame-ancestors 'none'" in policy


def kept(answer: Any) -> bool:
    return "no-store" not in {part.strip() for part in answer.headers["Cache-Control"].split(",")}


def test_walk_meets_the_libraries_too() -> None:
    some = {
        "account_login",
        "account_email",
        "mfa_index",
        "agent:home",
        "admin:index",
        "admin:agent_agentrun_changelist",
    }
    assert {reverse(name) for name in some} <= set(EVERY)
    assert f"/agent/actions/{ABSENT}/" in EVERY
    assert len(EVERY) > 100


@EACH_ROOM
def test_answer_is_kept_and_framed_by_nobody(room: str, everybody: list[Client]) -> None:
    """SECURITY 5 and 12: whatever the status, whoever asks, and by whatever method."""
    wrong = []
    for address in ROOMS[room]:
        for client in everybody:
            for method in (client.get, client.post, client.head):
                answer = method(address)
                may_be_kept = bool(PUBLIC.match(address) and answer.status_code == 200)
                if not safe(answer) or kept(answer) != may_be_kept:
                    wrong.append((address, method.__name__, answer.status_code))
    assert wrong == []


@EACH_ROOM
def test_looking_changes_nothing(room: str, everybody: list[Client]) -> None:
    """SECURITY 11: GET and HEAD, also of a browser that fetches ahead, and with what a form would send."""
    for client in everybody:
        client.get(reverse("account_email"))  # where the account's own address becomes a row of the sign-in
    before = rows()
    asked = {
        "decision": "confirm",
        "q": "Hello",
        "action": "send_again",
        "action_remove": "1",
        "email": "x@example.com",
    }
    for address in ROOMS[room]:
        for client in everybody:
            client.get(address, asked, headers={"Sec-Purpose": "prefetch"})
            client.get(address, asked)
            client.head(address, asked)
    assert rows() == before


STRANGE = [{}, {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Referer": "https://evil.example/form"}]


@EACH_ROOM
def test_form_of_another_site_is_refused(room: str, alice: User, superuser: User) -> None:
    """SECURITY 11: without the token, and with it from another or a hidden origin."""
    clients = [signed_in(person, enforce_csrf_checks=True) for person in (alice, superuser)]
    tokens = [client.get(reverse("account_email")).cookies["csrftoken"].value for client in clients]
    before, taken = rows(), []
    for address in ROOMS[room]:
        for client, token in zip(clients, tokens, strict=True):
            for headers in STRANGE:
                form = {"csrfmiddlewaretoken": token if headers else "", "decision": "confirm", "q": "Hello"}
                is_secure = "Referer" in headers  # a referrer is asked for over https alone
                status = client.post(address, form, headers=headers, secure=is_secure).status_code
                if status not in ((400, 401, 405, 429) if address in OF_PROGRAMS else (403,)):
                    taken.append((address, headers, status))
    assert (taken, rows() == before) == ([], True)


def test_form_of_this_site_is_taken(alice: User, proposal: PendingAction) -> None:
    """What is above proves something: with its token and from here the same form counts."""
    client = signed_in(alice, enforce_csrf_checks=True)
    address = reverse("agent:action", args=[proposal.pk])
    token = client.get(address).cookies["csrftoken"].value
    form = {"csrfmiddlewaretoken": token, "decision": "confirm", "digest": proposal.digest}
    assert client.post(address, form, headers={"Origin": "http://testserver"}).status_code == 302
    proposal.refresh_from_db()
    assert proposal.state == PendingAction.State.EXECUTED


@pytest.mark.parametrize("who", ["root", "staff", "bob"])
def test_nobody_confirms_in_the_customers_place(
    who: str, superuser: User, staff: User, bob: User, proposal: Any
) -> None:
    """SECURITY 9: the page is the customer's, whatever rights somebody has; there is no signing in as another."""
    client = signed_in(User.objects.get(username=who))
    before = rows()
    for decision in ("confirm", "reject", "renew"):
        form = {"decision": decision, "digest": proposal.digest}
        assert client.post(reverse("agent:action", args=[proposal.pk]), form).status_code == 404
    assert rows() == before
    assert [address for address in EVERY if re.search("hijack|impersonat|login.?as|/su/", address)] == []


def test_what_is_confirmed_has_a_page_of_its_own(as_alice: Client, proposal: PendingAction) -> None:
    """SECURITY 18: no other page of the customer's has the button; there is no way to confirm several."""
    address = reverse("agent:action", args=[proposal.pk])
    pages = [reverse("agent:conversation", args=[proposal.run.conversation_id]), reverse("agent:history"), address]
    having = [page for page in pages if re.search(r'value="confirm"', as_alice.get(page).text)]
    assert (having, as_alice.get(address).text.count('value="confirm"')) == ([address], 1)


def test_session_that_ended_confirms_nothing(as_alice: Client, proposal: PendingAction) -> None:
    """SECURITY 10: neither its form, kept open, nor its cookie, kept by somebody else, after the sign-out."""
    cookie = as_alice.cookies["sessionid"].value
    as_alice.post(reverse("account_logout"))
    thief = Client()
    thief.cookies["sessionid"] = cookie
    before = rows()
    for client in (as_alice, thief):
        form = {"decision": "confirm", "digest": proposal.digest}
        answer = client.post(reverse("agent:action", args=[proposal.pk]), form)
        assert (answer.status_code, answer.url.split("?")[0]) == (302, reverse("account_login"))
        assert client.post(reverse("agent:action", args=[proposal.pk]), form, headers=JSON).status_code == 401
    assert rows() == before


def test_look_of_staff_leaves_a_line(superuser: User, proposal: Any, caplog: pytest.LogCaptureFixture) -> None:
    """SECURITY 9: who looked at which row, under /staff/, in the stream and in the admin, in whatever table."""
    type(proposal).objects.filter(pk=proposal.pk).update(
        state="awaiting_staff", decided_at=proposal.created_at, decided_by=proposal.user
    )
    client, run = signed_in(superuser), proposal.run
    pages = {
        reverse("staff:run", args=[run.pk]): f"run:{run.pk}",
        reverse("staff:action", args=[proposal.pk]): f"action:{proposal.pk}",
        reverse("agent:events", args=[run.conversation_id]): f"conversation:{run.conversation_id}",
    }
    for model in admin.site._registry:
        row = model._default_manager.first()
        name = f"{model._meta.app_label}_{model._meta.model_name}_change"
        pages |= {reverse(f"admin:{name}", args=[row.pk]): f"{name}:{row.pk}"} if row else {}
    told = {}
    for page in pages:
        caplog.clear()
        with caplog.at_level("INFO"):
            assert client.get(page).status_code == 200
        told[page] = [(line.looked_at, line.reviewer) for line in caplog.records if line.msg == "staff looked at a row"]
    assert len(pages) > 10
    assert told == {page: [(looked_at, superuser.pk)] for page, looked_at in pages.items()}


# Errors -------------------------------------------------------------------------------------------------------------

SECRET = "SELECT password FROM auth_user -- canary"


def broken(request: HttpRequest) -> HttpResponse:
    error = SuspiciousOperation if "bad" in request.GET else RuntimeError
    raise error(SECRET)


urlpatterns = [path("broken/", broken), *real]


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize(("address", "status"), [("/broken/", 500), ("/broken/?bad=1", 400)])
def test_page_of_a_fault_is_plain(address: str, status: int, alice: User) -> None:
    """SECURITY 44: neither the error, nor a line of code, nor a path, nor a setting; and it is safe like any other."""
    answer = signed_in(alice, raise_request_exception=False).get(address)
    assert (answer.status_code, settings.DEBUG) == (status, False)
    assert [
        told
        for told in ("canary", "Traceback", "RuntimeError", __name__, ".py", settings.SECRET_KEY)
        if told in answer.text
    ] == []
    assert (safe(answer), kept(answer)) == (True, False)
