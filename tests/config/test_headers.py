"""What a served site answers, page by page: the headers, the cookies, the limits and the errors (SECURITY 12, 44, 56).

Everything is asked of a real server that believes to stand behind a proxy with TLS.
"""

import http.client
import json
import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from django.urls import URLPattern, get_resolver

from tests.conftest import PASSWORD
from tests.serving import Site, cookie_of, site

pytestmark = pytest.mark.django_db(transaction=True)

BEHIND_TLS = {"Host": "shop.example", "X-Forwarded-Proto": "https"}
EXACT = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "strict-transport-security": "max-age=31536000",
}
FILLED = {r"<uuid:pk>": str(uuid.UUID(int=7)), r"<slug:slug>": "returns", r"<id>": "1", r"<path:object_id>": "1"}
FILLED |= {r"<path:content_type_id>": "1", r"^(?P<app_label>": "agent/", r"(?P<url>.*)$": "nowhere"}
FILLED |= {
    r"^confirm-email/(?P<key>": "confirm-email/abc/",
    r"^password/reset/key/(?P<uidb36>": "password/reset/key/a-b/",
}


@pytest.fixture(scope="module")
def served(django_db_setup: None) -> Iterator[Site]:
    about = {"PUBLIC_URL": "https://shop.example", "ALLOWED_HOSTS": "shop.example,127.0.0.1"}
    # A line for each of hundreds of refusals would fill the pipe, which nobody reads while the server runs.
    with site(STAFF_SECOND_FACTOR="0", LOG_LEVEL="ERROR", **about) as running:
        yield running


class Answer:
    """A status, headers by their small names, and as much of the body as was read."""

    def __init__(self, got: http.client.HTTPResponse, *, most: int | None) -> None:
        self.status = got.status
        self.headers: dict[str, str] = {}
        self.twice = set()
        for name, value in got.getheaders():
            if name.lower() in self.headers and name.lower() != "set-cookie":
                self.twice.add(name.lower())
            self.headers[name.lower()] = value
        self.cookies = got.msg.get_all("Set-Cookie") or []
        self.body = got.read(most) if most else got.read()


def ask(
    served: Site, path: str, *, method: str = "GET", body: Any = None, most: int | None = None, **headers: str
) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(method, path, body=body, headers={**BEHIND_TLS, **named})
        return Answer(connection.getresponse(), most=most)
    finally:
        connection.close()


def faults(answer: Answer) -> set[str]:
    """The headers that are missing, doubled or weaker than they have to be."""
    found = {name for name, value in EXACT.items() if answer.headers.get(name) != value} | answer.twice
    policy = answer.headers.get("content-security-policy", "")
    directives = dict(part.strip().partition(" ")[::2] for part in policy.split(";"))
    if "unsafe" in policy or directives.get("default-src") != "'none'" or directives.get("frame-ancestors") != "'none'":
        found.add("content-security-policy")
    if "camera=()" not in answer.headers.get("permissions-policy", ""):
        found.add("permissions-policy")
    if "server" in answer.headers or "x-powered-by" in answer.headers:
        found.add("names its software")
    return found


def addresses() -> list[str]:
    """Every address of the URLconf, with something in the place of what it takes."""

    def walk(patterns: Any, before: str) -> Iterator[str]:
        for pattern in patterns:
            route = str(pattern.pattern)
            for name, value in FILLED.items():
                route = value if "(?P" in name and route.startswith(name) else route.replace(name, value)
            if isinstance(pattern, URLPattern):
                yield f"/{before}{route}"
            else:
                yield from walk(pattern.url_patterns, before + route)

    return list(dict.fromkeys(walk(get_resolver().url_patterns, "")))


def test_the_walk_fills_in_every_address() -> None:
    assert [path for path in addresses() if re.search(r"[<>()?^$]", path)] == []
    assert len(addresses()) > 100


@pytest.mark.parametrize("who", ["nobody", "customer", "superuser"])
def test_every_address_carries_every_header(who: str, served: Site, alice: User) -> None:
    """SECURITY 12, 56: pages, redirects, 403, 404 and 405 alike."""
    person = {"customer": alice, "superuser": User(username="root", is_staff=True, is_superuser=True)}.get(who)
    if person and person.pk is None:
        person.save()
    cookie = {"Cookie": cookie_of(person)} if person else {}
    found, statuses = {}, set()
    for path in addresses():
        if path.endswith("/logout/"):
            continue
        answer = ask(served, path, **cookie)
        statuses.add(answer.status)
        if faults(answer):
            found[path] = (answer.status, faults(answer))
    assert found == {}
    assert statuses >= {"nobody": {200, 302, 404, 405}, "customer": {200, 302, 403, 404, 405}}.get(who, {200, 404})


def test_answers_that_are_no_pages_carry_every_header(served: Site, alice: User, answered: Any) -> None:
    """SECURITY 12, 56: streams, files, refusals before any view, and everything of /mcp."""
    cookie = cookie_of(alice)
    events = f"/agent/conversations/{answered.conversation_id}/events/"
    found = {
        "stream": ask(served, events, most=64, Cookie=cookie),
        "download": ask(served, "/agent/history/download/", Cookie=cookie),
        "file": ask(served, "/static/css/base.css"),
        "no file": ask(served, "/static/css/none.css"),
        "foreign host": ask(served, "/agent/", Host="evil.example"),
        "no token of the form": ask(served, "/agent/start/", method="POST", body="q=x", Cookie=cookie),
        "mcp without token": ask(served, "/mcp", method="POST", body="{}"),
        "mcp by get": ask(served, "/mcp"),
        "mcp from a page elsewhere": ask(served, "/mcp", method="POST", body="{}", Origin="https://evil.example"),
        "mcp at a foreign host": ask(served, "/mcp", method="POST", body="{}", Host="evil.example"),
    }
    statuses = {name: answer.status for name, answer in found.items()}
    assert statuses == {
        "stream": 200, "download": 200, "file": 200, "no file": 404, "foreign host": 400, "no token of the form": 403,
        "mcp without token": 401, "mcp by get": 405, "mcp from a page elsewhere": 403, "mcp at a foreign host": 421,
    }  # fmt: skip
    assert {name: faults(answer) for name, answer in found.items() if faults(answer)} == {}


def test_plain_http_is_led_to_https_with_no_promise_in_clear(served: Site) -> None:
    """SECURITY 56: the redirect has the other headers; HSTS counts over TLS alone."""
    answer = ask(served, "/agent/", X_Forwarded_Proto="http")
    assert (answer.status, answer.headers["location"]) == (301, "https://shop.example/agent/")
    assert faults(answer) == {"strict-transport-security"}


def test_cookies_are_for_this_site_over_tls_alone(served: Site, alice: User) -> None:
    """SECURITY 56: the cookie of the form, and the one of the session after a real sign-in."""
    hasher = PBKDF2PasswordHasher()  # the served site knows no weak one
    User.objects.update(password=hasher.encode(PASSWORD, "some-salt", iterations=hasher.iterations))
    page = ask(served, "/accounts/login/")
    token = re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', page.body)[1].decode()  # type: ignore[index]
    form = f"csrfmiddlewaretoken={token}&login=alice&password={PASSWORD.replace(' ', '+')}"
    headers = {
        "Cookie": "; ".join(cookie.partition(";")[0] for cookie in page.cookies),
        "Referer": "https://shop.example/accounts/login/",
    }
    headers |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://shop.example"}
    done = ask(served, "/accounts/login/", method="POST", body=form, **headers)
    assert (done.status, done.headers.get("location")) == (302, "/agent/")
    cookies = {cookie.partition("=")[0]: cookie for cookie in page.cookies + done.cookies}
    assert {"csrftoken", "sessionid"} <= cookies.keys()
    for cookie in cookies.values():
        assert {"Secure", "SameSite=Lax"} <= set(cookie.split("; "))
    assert "HttpOnly" in cookies["sessionid"].split("; ")


FORM, FILE = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
A_FILE = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nx\r\n--b--\r\n'
TOO_LARGE = [
    ("/agent/start/", FORM, "q=" + "x" * 300_000, 400),
    ("/agent/start/", FORM, "&".join(f"f{number}=1" for number in range(300)), 400),
    ("/agent/start/", FILE, A_FILE, 400),
    ("/oauth/token", FORM, "code=" + "x" * 300_000, 400),
    ("/mcp", "application/json", '{"a": "' + "x" * 300_000 + '"}', 413),
]


@pytest.mark.parametrize(("path", "content_type", "body", "status"), TOO_LARGE)
def test_what_is_too_large_is_refused_in_words(
    path: str, content_type: str, body: str, status: int, served: Site, alice: User
) -> None:
    """SECURITY 38, 44: a form, its fields, a file, and a program's request."""
    from tests.mcp.conftest import token_of

    token = "t" * 32
    headers = {"Cookie": f"{cookie_of(alice)}; csrftoken={token}", "X-CSRFToken": token, "Content-Type": content_type}
    headers |= {"Origin": "https://shop.example", "Authorization": f"Bearer {token_of(alice)}"}
    answer = ask(served, path, method="POST", body=body, **headers)
    assert (answer.status, faults(answer)) == (status, set())
    assert re.search(rb"[a-z]{2,} [a-z]{2,}", answer.body)
    assert b"Traceback" not in answer.body


SECRETS = ["Traceback", "SECRET_KEY", "DATABASE_URL", "site-packages", "/config/", "SELECT ", "sqlite", "psycopg"]


@pytest.mark.parametrize(
    "path", ["/agent/%00", "/nowhere/", "/staff/runs/", "/admin/agent/agentrun/", "/agent/?before=%FF"]
)
def test_no_error_tells_what_is_inside(path: str, served: Site, alice: User) -> None:
    """SECURITY 44."""
    answer = ask(served, path, Cookie=cookie_of(alice))
    assert [word for word in SECRETS if word.encode() in answer.body] == []
    assert json.dumps(answer.headers).find(served.url) == -1
