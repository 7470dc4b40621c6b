"""Settings that must not go live are refused at start, or told by `manage.py check --deploy` (SECURITY 46, 56, 57)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEY = "k3-" + "0123456789abcdefghij" * 3
SOUND = {
    "SECRET_KEY": KEY,
    "PUBLIC_URL": "https://shop.example",
    "DATABASE_URL": "sqlite://:memory:",
    "REDIS_URL": "redis://:s3cret-of-redis@redis.shop.internal:6379/0",
}


def manage(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """A real process in an environment of its own."""
    environ = {"PATH": os.environ["PATH"], **SOUND, **changes}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60
    )


def test_sound_settings_pass_every_check_of_a_deployment() -> None:
    """SECURITY 56."""
    done = manage("check", "--deploy", "--fail-level", "WARNING")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no issues" in done.stdout


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY is not set: set it to a long random text"),
        ({"SECRET_KEY": "tooshort"}, "SECRET_KEY is a placeholder or too short: set it"),
        ({"SECRET_KEY": "django-insecure-" + KEY}, "SECRET_KEY is a placeholder or too short: set it"),
        ({"DEBUG": "1"}, "DEBUG is for development alone, it shows settings to strangers: set DEBUG to 0"),
        ({"DEBUG": "1", "PUBLIC_URL": "http://shop.example"}, "DEBUG is for development alone"),
        ({"FORWARDED_ALLOW_IPS": "foo"}, "FORWARDED_ALLOW_IPS has 'foo': list the addresses or networks"),
        ({"FORWARDED_ALLOW_IPS": "*"}, "FORWARDED_ALLOW_IPS has '*': list the addresses or networks"),
        ({"FORWARDED_ALLOW_IPS": "127.0.0.1, proxy"}, "FORWARDED_ALLOW_IPS has 'proxy': list"),
        ({"ALLOWED_HOSTS": "*.shop.example"}, "ALLOWED_HOSTS has '*.shop.example': list host names"),
    ],
)
def test_what_must_never_run_is_refused_at_start(changes: dict[str, str], sentence: str) -> None:
    """SECURITY 46, 56: by every command, with a sentence that says what to do and repeats no key."""
    done = manage("check", **changes)
    assert (done.returncode, sentence in done.stderr) == (1, True)
    assert "Traceback" not in done.stderr
    assert KEY not in done.stderr
    assert "s3cret-of-redis" not in done.stderr


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"ALLOWED_HOSTS": "*"}, "(site.W003) ALLOWED_HOSTS lets every host name in.\n\tHINT: List the names"),
        ({"PUBLIC_URL": "http://shop.example"}, "(site.W004) PUBLIC_URL is not https: passwords and sign-ins travel"),
        ({"REDIS_URL": "redis://redis.shop.internal:6379/0"}, "(site.W005) REDIS_URL is on another machine"),
        ({"CELERY_BROKER_URL": "redis://10.0.0.9/1"}, "(site.W005) CELERY_BROKER_URL is on another machine"),
        ({"SECRET_KEY": KEY[:30]}, "(security.W009) Your SECRET_KEY has less than 50 characters"),
        ({"DEBUG": "1", "PUBLIC_URL": "http://127.0.0.1:8000"}, "(security.W018) You should not have DEBUG set"),
    ],
)
def test_what_is_risky_is_told_before_it_goes_live(changes: dict[str, str], sentence: str) -> None:
    """SECURITY 46, 56, 57."""
    done = manage("check", "--deploy", "--fail-level", "WARNING", **changes)
    assert (done.returncode, sentence in done.stderr) == (1, True)
    assert "s3cret-of-redis" not in done.stderr


@pytest.mark.parametrize("url", ["redis://127.0.0.1:6379/0", "redis://localhost/0", "redis://[::1]:6379/0"])
def test_redis_of_this_machine_may_have_no_password(url: str) -> None:
    assert manage("check", "--deploy", "--fail-level", "WARNING", REDIS_URL=url).returncode == 0


def test_one_redis_without_a_password_is_told_once() -> None:
    done = manage("check", "--deploy", REDIS_URL="redis://redis.shop.internal:6379/0")
    assert done.stderr.count("site.W005") == 1


def test_proxies_are_addresses_and_networks() -> None:
    assert manage("check", FORWARDED_ALLOW_IPS="127.0.0.1, 10.0.0.0/24, ::1").returncode == 0
