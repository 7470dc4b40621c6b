"""The environment: defaults that work, nonsense that is refused in a sentence."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.exceptions import ImproperlyConfigured

from config import env

ROOT = Path(__file__).resolve().parents[2]
KEY = "0123456789-abcdefghijklmnopqrstuvwxyz"
ENOUGH = {"SECRET_KEY": KEY, "DATABASE_URL": "sqlite:////tmp/nowhere.sqlite3"}


def read(**changes: str) -> env.Environment:
    return env.read({**ENOUGH, **changes})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEBUG", "perhaps"),
        ("SECRET_KEY", ""),
        ("SECRET_KEY", "short"),
        ("SECRET_KEY", "change-me-to-something-long"),
        ("SECRET_KEY", "<a long random text here>"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "http"),
        ("PORT", "8000\n8001"),
        ("PORT", "٨٠٠٠"),
        ("PUBLIC_URL", "shop.example"),
        ("PUBLIC_URL", "https://shop.example/agent"),
        ("PUBLIC_URL", "https://"),
        ("PUBLIC_URL", "https://shop.example:port"),
        ("PUBLIC_URL", "javascript:alert(1)"),
        ("ALLOWED_HOSTS", "https://shop.example"),
        ("ALLOWED_HOSTS", "*.shop.example"),
        ("DATABASE_URL", "postgres"),
        ("DATABASE_URL", "mysql://root@127.0.0.1/shop"),
        ("DATABASE_URL", "postgresql://root@127.0.0.1:5432/"),
        ("DATABASE_URL", "postgresql://root@127.0.0.1:port/shop"),
        ("DATABASE_POOL", "many"),
        ("REDIS_URL", "localhost:6379"),
        ("REDIS_URL", "redis://127.0.0.1:6379/first"),
        ("CELERY_BROKER_URL", "rabbit"),
        ("CELERY_BROKER_URL", "amqp://127.0.0.1"),
        ("EMAIL_URL", "mail.example"),
        ("TIME_ZONE", "Middle/Earth"),
        ("SHOP_CURRENCY", "Euro"),
        ("REFUND_LIMIT_MINOR", "500.00"),
        ("REFUND_LIMIT_CUSTOMER_COUNT", "0"),
        ("STAFF_EMAIL", "the team"),
        ("LOG_FORMAT", "xml"),
        ("ANTHROPIC_BASE_URL", "127.0.0.1:9000"),
        ("OPENAI_BASE_URL", "ftp://127.0.0.1"),
        ("AGENT_PROVIDER", "Anthropic"),
        ("AGENT_PROVIDER", "anthropic"),
        ("AGENT_PROVIDER", "openai"),
        ("AGENT_MAX_STEPS", "0"),
        ("AGENT_MAX_STEPS", "1.5"),
        ("AGENT_LEASE_SECONDS", "-20"),
        ("AGENT_RUN_SECONDS", "two minutes"),
        ("AGENT_CONFIRM_MINUTES", "1e9"),
        ("AGENT_READ_HOSTS", "https://shop.example"),
        ("AGENT_READ_HOSTS", "shop.example, 127.0.0.1"),
        ("AGENT_READ_HOSTS", "*.shop.example"),
        ("AGENT_READ_HOSTS", "localhost"),
        ("MCP_CLIENTS", "everybody"),
    ],
)
def test_nonsense_is_refused_with_a_sentence_that_names_it(name: str, value: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        read(**{name: value})
    assert any(name in line and line.endswith((".", "`.")) for line in str(refusal.value).splitlines()[1:])


def test_refunds_have_one_limit_until_the_shop_sets_more() -> None:
    assert [limit for limit in read().refund_limits.values() if limit] == [50_000]
    assert set(read(REFUND_LIMIT_MINOR="none").refund_limits.values()) == {None}
    assert read(REFUND_LIMIT_CUSTOMER_COUNT="3").refund_limits["REFUND_LIMIT_CUSTOMER_COUNT"] == 3


def test_everything_wrong_is_named_at_once() -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        read(PORT="none", DEBUG="maybe", REDIS_URL="here")
    assert [line.split()[1] for line in str(refusal.value).splitlines()[1:]] == ["DEBUG", "PORT", "REDIS_URL"]


@pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL", "EMAIL_URL"])
def test_a_refusal_never_repeats_a_password(name: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        read(**{name: "nothing://user:hunter2@127.0.0.1:port/name", "PORT": "none"})
    assert "hunter2" not in str(refusal.value)


def test_nothing_but_a_key_is_enough(tmp_path: Path) -> None:
    found = env.read({"SECRET_KEY": KEY, "XDG_STATE_HOME": str(tmp_path)})
    assert (found.debug, found.embedded, found.agent_provider, found.port, found.public_url, found.https) == (
        False, True, "demo", 8000, "http://127.0.0.1:8000", False,
    )  # fmt: skip
    assert found.database["NAME"] == str(tmp_path / "countersign" / "countersign.sqlite3")


def test_an_empty_variable_is_an_absent_one() -> None:
    empty = dict.fromkeys(["DEBUG", "PORT", "REDIS_URL", "CELERY_BROKER_URL", "PUBLIC_URL", "AGENT_PROVIDER"], "")
    assert read(**empty) == read()


@pytest.mark.parametrize(
    ("changes", "provider", "model"),
    [
        ({}, "demo", "demo"),
        ({"ANTHROPIC_API_KEY": "key"}, "anthropic", "claude-sonnet-5-5"),
        ({"ANTHROPIC_API_KEY": "key", "AGENT_PROVIDER": "demo"}, "demo", "demo"),
        ({"OPENAI_API_KEY": "key"}, "demo", "demo"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "AGENT_PROVIDER": "openai", "AGENT_MODEL": "x"}, "openai", "x"),
    ],
)
def test_provider_follows_the_keys(changes: dict[str, str], provider: str, model: str) -> None:
    found = read(**changes)
    assert (found.agent_provider, found.agent_model) == (provider, model)


@pytest.mark.parametrize(
    ("changes", "api"),
    [
        ({}, "responses"),
        ({"OPENAI_BASE_URL": "https://api.openai.com/v1"}, "responses"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}, "chat"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1", "OPENAI_API": "responses"}, "responses"),
        ({"OPENAI_API": "chat"}, "chat"),
    ],
)
def test_openai_api_follows_the_address(changes: dict[str, str], api: str) -> None:
    assert read(**changes).openai_api == api


@pytest.mark.parametrize(
    ("changes", "provider", "model"),
    [
        ({}, "", ""),
        ({"AGENT_FALLBACK_PROVIDER": "none", "AGENT_FALLBACK_MODEL": "x"}, "", ""),
        ({"AGENT_FALLBACK_PROVIDER": "anthropic", "ANTHROPIC_API_KEY": "key"}, "anthropic", "claude-sonnet-5-5"),
        (
            {"AGENT_FALLBACK_PROVIDER": "openai", "OPENAI_API_KEY": "key", "AGENT_FALLBACK_MODEL": "x"},
            "openai",
            "x",
        ),
    ],
)
def test_fallback_is_named_with_its_model(changes: dict[str, str], provider: str, model: str) -> None:
    found = read(**changes)
    assert (found.agent_fallback_provider, found.agent_fallback_model) == (provider, model)


def test_fallback_without_key_and_model_stops_the_start() -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        read(AGENT_FALLBACK_PROVIDER="openai")
    assert "AGENT_FALLBACK_PROVIDER is openai: set OPENAI_API_KEY" in str(refusal.value)
    assert "set AGENT_FALLBACK_MODEL" in str(refusal.value)


@pytest.mark.parametrize(
    ("changes", "embedded", "redis", "broker"),
    [
        ({}, True, "", env.MEMORY),
        ({"REDIS_URL": "redis://h/1"}, False, "redis://h/1", "redis://h/1"),
        ({"CELERY_BROKER_URL": "redis://h/2"}, False, "redis://h/2", "redis://h/2"),
        ({"REDIS_URL": "redis://h/1", "CELERY_BROKER_URL": "amqp://b"}, False, "redis://h/1", "amqp://b"),
        ({"REDIS_URL": "redis://h/1", "CELERY_BROKER_URL": "memory://"}, True, "redis://h/1", "memory://"),
    ],
)
def test_broker_defaults_to_redis(changes: dict[str, str], embedded: bool, redis: str, broker: str) -> None:
    found = read(**changes)
    assert (found.embedded, found.redis_url, found.celery_broker_url) == (embedded, redis, broker)


def test_redis_arguments_keep_what_the_url_says() -> None:
    found = env.redis_arguments("rediss://app:p%40ss@redis.example:6380/3")
    assert {name: found[name] for name in ("host", "port", "db", "username", "password", "ssl")} == {
        "host": "redis.example", "port": 6380, "db": 3, "username": "app", "password": "p@ss", "ssl": True,
    }  # fmt: skip


def test_publishing_does_not_wait_for_a_redis_that_is_away() -> None:
    client = redis.Redis(**env.redis_arguments("redis://127.0.0.1:1/0"))
    begun = time.monotonic()
    with pytest.raises(redis.ConnectionError):
        client.publish("a channel", "a word")
    assert time.monotonic() - begun < 0.5


def test_sqlite_begins_its_transactions_as_writers() -> None:
    assert read().database["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_hosts_are_those_of_the_public_address_and_this_machine() -> None:
    assert read(PUBLIC_URL="https://shop.example").allowed_hosts == ["shop.example", "localhost", "127.0.0.1", "[::1]"]


def run(*command: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    base: dict[str, Any] = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=base | environ, capture_output=True, text=True, timeout=60
    )


def test_collectstatic_needs_neither_key_nor_database() -> None:
    done = run("manage.py", "collectstatic", "--noinput", "--dry-run", environ={})
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", [("manage.py", "check"), ("-m", "config.serve")])
def test_start_without_a_key_ends_in_a_sentence(command: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*command, environ={"XDG_STATE_HOME": str(tmp_path)})
    assert done.returncode == 1
    assert "SECRET_KEY is not set: set it to" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [["import_shop", "tests"], ["chat", "anna", "Hello"], ["show_tools"]])
def test_command_before_migrate_ends_in_a_sentence(tmp_path: Path, command: list[str]) -> None:
    database = f"sqlite:///{tmp_path / 'empty.sqlite3'}"
    process = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env={"SECRET_KEY": KEY, "DATABASE_URL": database},
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in process.stderr + process.stdout
