"""What the settings promise: safe where the shop is public, the same everywhere else."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from config.logs import logging_settings

ROOT = Path(__file__).resolve().parents[2]
QUESTION = """
import json
from django.conf import settings as s
print(json.dumps([s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_SSL_REDIRECT, s.SECURE_HSTS_SECONDS > 0]))
"""


def python(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    base = {"PATH": os.environ["PATH"], "SECRET_KEY": "0123456789" * 5 + "-abcdef", "DATABASE_URL": "sqlite://:memory:"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**base, "DJANGO_SETTINGS_MODULE": "config.settings", **environ},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(("url", "secure"), [("https://shop.example", True), ("http://shop.example", False)])
def test_cookies_and_transport_are_strict_exactly_under_https(url: str, secure: bool) -> None:
    assert json.loads(python("-c", QUESTION, PUBLIC_URL=url).stdout) == [secure] * 4


def test_deployment_check_is_clean_under_https() -> None:
    done = python("manage.py", "check", "--deploy", "--tag", "security", PUBLIC_URL="https://shop.example")
    assert (done.returncode, "no issues" in done.stdout) == (0, True)


def test_policy_allows_this_site_alone(client: Client) -> None:
    policy = dict(part.split(" ", 1) for part in client.get("/healthz")["Content-Security-Policy"].split("; "))
    assert policy.pop("default-src") == policy.pop("frame-ancestors") == policy.pop("base-uri") == "'none'"
    assert set(policy.values()) == {"'self'"}


def test_headers_keep_addresses_to_this_site(client: Client) -> None:
    answer = client.get("/healthz")
    assert (answer["X-Frame-Options"], answer["X-Content-Type-Options"], answer["Referrer-Policy"]) == (
        "DENY", "nosniff", "same-origin",
    )  # fmt: skip


def test_queue_takes_json_and_acknowledges_early() -> None:
    """SECURITY 57: nothing that could be code is read from the queue."""
    from config import celery_app

    conf = celery_app.conf
    assert (conf.accept_content, conf.task_serializer, conf.task_acks_late) == (["json"], "json", False)
    assert (conf.worker_prefetch_multiplier, conf.task_ignore_result) == (1, True)


def test_sign_in_limits_are_those_of_the_contract() -> None:
    assert settings.ACCOUNT_RATE_LIMITS == {"login": "600/m/ip", "login_failed": "10/m/ip,5/5m/key"}


def test_sign_in_takes_name_or_address(client: Client, alice: Any) -> None:
    for login in ("alice", "alice@example.com"):
        answer = client.post("/accounts/login/", {"login": login, "password": "correct horse battery"})
        assert (answer.status_code, answer["Location"]) == (302, "/agent/")
        client.logout()


def test_sixth_failure_of_an_account_is_refused_whatever_the_password(client: Client, alice: Any) -> None:
    for _ in range(5):
        client.post("/accounts/login/", {"login": "alice", "password": "wrong"})
    answer = client.post("/accounts/login/", {"login": "alice", "password": "correct horse battery"})
    assert answer.status_code != 302
    assert "_auth_user_id" not in client.session


def test_eleventh_failure_of_an_address_is_refused_whoever_it_says_to_be(client: Client, alice: Any) -> None:
    for number in range(10):
        forged = {"X-Forwarded-For": f"192.0.2.{number}"}
        client.post("/accounts/login/", {"login": f"nobody{number}", "password": "wrong"}, headers=forged)
    client.post("/accounts/login/", {"login": "alice", "password": "correct horse battery"})
    assert "_auth_user_id" not in client.session


@pytest.mark.django_db
def test_nobody_signs_up(client: Client) -> None:
    form = {"username": "mallory", "email": "m@example.com", "password1": "correct horse battery"}
    client.post("/accounts/signup/", form)
    assert not User.objects.exists()


def test_log_record_is_one_json_line_whatever_it_holds() -> None:
    nasty = 'a\r\n{"event": "forged"}\x1b[31m\u2028'
    done = python(
        "-c",
        "import django, logging; django.setup(); "
        f"logging.getLogger('agent').warning('said %s', {nasty!r}, extra={{'channel': {nasty!r}}})",
    )
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    assert (json.loads(lines[0])["event"], json.loads(lines[0])["channel"]) == (f"said {nasty}", nasty)


def test_requests_that_are_made_leave_no_line_with_their_address() -> None:
    done = python("-c", "import django, logging; django.setup(); logging.getLogger('httpx2').info('GET http://x/?k=v')")
    assert done.stderr == ""


def test_log_form_text_is_for_reading() -> None:
    found = logging_settings(form="text", level="INFO")["formatters"]["line"]["processors"][-1]
    assert type(found).__name__ == "ConsoleRenderer"
