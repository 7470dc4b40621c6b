"""What the site rests on: the database, the queue, the mail."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.retry import Retry

from config.env.reader import Reader

MEMORY = "memory://localhost/"  # with a host: kombu warns of one that is left out
DATABASES = {"sqlite", "postgres", "postgresql"}
# RUNTIME facts: a deferred SQLite transaction that turns into a write fails at once with "database is locked".
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}

# To make a connection takes ten times as long as to borrow one. After a failed attempt the pool tries again for five
# seconds and gives up, so that whoever asks next tries at once; who waits for one is told after `timeout` seconds.
POOL = {"min_size": 1, "timeout": 10, "reconnect_timeout": 5}

# Nobody waits for a Redis that does not answer: what it was told is in the rows too, or may be lost. One that was
# started anew is met at the second try, at once; of itself redis-py would wait for seconds.
REDIS_PATIENCE: dict[str, Any] = {
    "socket_connect_timeout": 1,
    "socket_timeout": 1,
    "retry": Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,)),
}


def read(reader: Reader) -> dict[str, Any]:
    redis_url, broker = _broker(reader)
    return {
        "database": _database(reader),
        "database_role": _database_role(reader),
        "redis_url": redis_url,
        "celery_broker_url": broker,
        "email": _email(reader),
    }


def _database(reader: Reader) -> dict[str, Any]:
    """One database for DATABASE_URL; without it, SQLite in the folder where the user's programs keep their state."""
    url = reader.text("DATABASE_URL") or f"sqlite:///{_state_folder(reader) / 'countersign.sqlite3'}"
    try:
        database: dict[str, Any] = dict(dj_database_url.parse(url))
    except (ValueError, dj_database_url.UnknownSchemeError):
        database = {"ENGINE": "", "NAME": ""}
    if urlsplit(url.split(":memory:")[0]).scheme not in DATABASES or not database["NAME"]:
        reader.problems.append(
            "DATABASE_URL names no database: write postgresql://user:password@host:5432/name "
            "or sqlite:////folder/file.sqlite3."
        )
    # Under ASGI a kept connection belongs to a thread that may never come back.
    database["CONN_MAX_AGE"] = 0
    size = reader.number("DATABASE_POOL", 16, low=0, high=1000)
    if database["ENGINE"].endswith("sqlite3"):
        database["OPTIONS"] = SQLITE_OPTIONS | database.get("OPTIONS", {})
    elif database["ENGINE"]:
        database["ENGINE"] = "config.postgresql"
        pool = {"pool": {**POOL, "max_size": size}} if size else {}
        database["OPTIONS"] = pool | database.get("OPTIONS", {})
    return database


def _database_role(reader: Reader) -> str:
    role = reader.text("DATABASE_ROLE")
    if role and not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", role):
        reader.problems.append("DATABASE_ROLE is no plain name of a role: write small letters, digits and _ only.")
    return role


def _state_folder(reader: Reader) -> Path:
    """The folder of the default database, made when it is missing."""
    folder = Path(reader.text("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "countersign"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        reader.problems.append(
            f"DATABASE_URL is not set and {folder} cannot be made ({error.strerror}): set DATABASE_URL."
        )
    return folder


def _broker(reader: Reader) -> tuple[str, str]:
    """REDIS_URL and the broker. A worker elsewhere needs Redis to reach the browsers, whatever the broker is."""
    redis = reader.url("REDIS_URL", {"redis", "rediss"})
    broker = reader.text("CELERY_BROKER_URL", redis or MEMORY)
    if "://" not in broker:
        reader.problems.append("CELERY_BROKER_URL is no URL: write one like redis://127.0.0.1:6379/0.")
    elif not redis and broker.startswith(("redis://", "rediss://")):
        redis = broker
    elif not redis and not broker.startswith("memory:"):
        reader.problems.append(
            "CELERY_BROKER_URL is set and REDIS_URL is not: set it, live progress travels through Redis."
        )
    if redis and not re.fullmatch(r"/?[0-9]*", urlsplit(redis).path):
        reader.problems.append("REDIS_URL ends in no database number: write redis://host:6379/0.")
    return redis, broker


def _email(reader: Reader) -> dict[str, Any]:
    """Django's mail settings. Without EMAIL_URL no mail leaves, and sign-in by an e-mailed code is off."""
    parts = urlsplit(reader.url("EMAIL_URL", {"smtp", "smtps", "smtp+tls", "console"}))
    if parts.scheme in ("", "console"):
        kind = "console" if parts.scheme else "dummy"
        return {"EMAIL_BACKEND": f"django.core.mail.backends.{kind}.EmailBackend"}
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname or "localhost",
        "EMAIL_PORT": parts.port or {"smtp": 25, "smtps": 465, "smtp+tls": 587}.get(parts.scheme, 25),
        "EMAIL_HOST_USER": parts.username or "",
        "EMAIL_HOST_PASSWORD": parts.password or "",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_TIMEOUT": 10,
    }


def redis_arguments(url: str) -> dict[str, Any]:
    """The keyword arguments of redis.Redis for a URL that `read` has passed."""
    parts = urlsplit(url)
    return {
        "host": parts.hostname or "127.0.0.1",
        "port": parts.port or 6379,
        "db": int(parts.path.strip("/") or 0),
        "username": unquote(parts.username) if parts.username else None,
        "password": unquote(parts.password) if parts.password else None,
        "ssl": parts.scheme == "rediss",
        **REDIS_PATIENCE,
    }
