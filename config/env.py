"""The environment, read once: what is not set has a default, what makes no sense stops the start with a sentence."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from zoneinfo import available_timezones

import dj_database_url
from babel.numbers import is_currency
from django.core.exceptions import ImproperlyConfigured
from redis.backoff import NoBackoff
from redis.retry import Retry

ON, OFF = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}
MEMORY = "memory://localhost/"  # with a host: kombu warns of one that is left out
PLACEHOLDER = re.compile(r"change.?(me|this)|replace.?(me|this)|placeholder|your.?secret|django-insecure|^<.*>$", re.I)
DATABASES = {"sqlite", "postgres", "postgresql"}
# RUNTIME facts: a deferred SQLite transaction that turns into a write fails at once with "database is locked".
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}

# What refunds may be beside what was paid, in minor units: one, those of an order, those of a customer in 30 days
# (sum and number). A shop that sets none has the first alone.
REFUND_LIMITS: dict[str, int | None] = {
    "REFUND_LIMIT_MINOR": 50_000,
    "REFUND_LIMIT_ORDER_MINOR": None,
    "REFUND_LIMIT_CUSTOMER_MINOR": None,
    "REFUND_LIMIT_CUSTOMER_COUNT": None,
}


@dataclass(frozen=True)
class Environment:
    """The settings that come from outside, checked. The names are those of the variables in small letters."""

    debug: bool
    secret_key: str
    host: str
    port: int
    public_url: str
    allowed_hosts: list[str]
    forwarded_allow_ips: str
    database: dict[str, Any]
    redis_url: str
    celery_broker_url: str
    email: dict[str, Any]
    time_zone: str
    static_from_source: bool
    log_format: str
    log_level: str
    shop_name: str
    shop_currency: str
    refund_limits: dict[str, int | None]
    refund_cosign_minor: int | None
    stripe_api_key: str
    stripe_base_url: str
    anthropic_api_key: str
    anthropic_base_url: str
    openai_api_key: str
    openai_base_url: str
    openai_api: str
    agent_provider: str
    agent_model: str
    agent_fallback_provider: str
    agent_fallback_model: str
    agent_max_steps: int
    agent_lease_seconds: int
    agent_run_seconds: int
    agent_confirm_minutes: int

    @property
    def embedded(self) -> bool:
        """No broker outside: the web process brings its own worker."""
        return self.celery_broker_url.startswith("memory:")

    @property
    def https(self) -> bool:
        return self.public_url.startswith("https://")


class Reader:
    """Reads variables and collects what is wrong with them; an empty variable is an absent one."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.problems: list[str] = []

    def text(self, name: str, default: str = "") -> str:
        return self.environ.get(name, "").strip() or default

    def flag(self, name: str) -> bool:
        value = self.text(name, "0").lower()
        if value not in ON | OFF:
            self.problems.append(f"{name} is {value!r}: write 1 or 0.")
        return value in ON

    def number(self, name: str, default: int, *, low: int = 1, high: int) -> int:
        value = self.text(name, str(default))
        if not re.fullmatch(r"[0-9]{1,9}", value) or not low <= int(value) <= high:
            self.problems.append(f"{name} is {value!r}: write a whole number from {low} to {high}.")
            return default
        return int(value)

    def limit(self, name: str, default: int | None) -> int | None:
        """A whole number from 1 on, or none: no limit."""
        if self.text(name).lower() == "none" or (default is None and not self.text(name)):
            return None
        return self.number(name, default or 0, high=999_999_999)

    def choice(self, name: str, options: set[str], *, default: str) -> str:
        value = self.text(name, default)
        if value not in options:
            self.problems.append(f"{name} is {value!r}: write one of {', '.join(sorted(options))}.")
        return value

    def url(self, name: str, schemes: set[str], *, default: str = "") -> str:
        """A URL of one of the schemes, or the default. The value itself is never repeated: it may hold a password."""
        value = self.text(name, default)
        if not value or (_scheme(value) in schemes and _well_formed(value)):
            return value
        starts = " or ".join(f"{scheme}://" for scheme in sorted(schemes))
        self.problems.append(f"{name} is no URL that starts with {starts}.")
        return default


def read(environ: Mapping[str, str] = os.environ) -> Environment:
    """The whole environment. Raises ImproperlyConfigured that names everything wrong at once."""
    reader = Reader(environ)
    debug = reader.flag("DEBUG")
    port = reader.number("PORT", 8000, high=65535)
    public_url = _public_url(reader, port=port)
    redis_url, broker = _broker(reader)
    environment = Environment(
        debug=debug,
        secret_key=_secret_key(reader, debug=debug),
        host=reader.text("HOST", "127.0.0.1"),
        port=port,
        public_url=public_url,
        allowed_hosts=_allowed_hosts(reader, public_url=public_url),
        forwarded_allow_ips=reader.text("FORWARDED_ALLOW_IPS"),
        database=_database(reader),
        redis_url=redis_url,
        celery_broker_url=broker,
        email=_email(reader),
        time_zone=_time_zone(reader),
        static_from_source=debug or reader.flag("STATIC_FROM_SOURCE"),
        log_format=reader.choice("LOG_FORMAT", {"json", "text"}, default="text" if debug else "json"),
        log_level=reader.choice("LOG_LEVEL", {"DEBUG", "INFO", "WARNING", "ERROR"}, default="INFO"),
        shop_name=reader.text("SHOP_NAME", "Countersign"),
        shop_currency=_currency(reader),
        stripe_api_key=_stripe_key(reader),
        stripe_base_url=reader.url("STRIPE_BASE_URL", {"http", "https"}),
        refund_limits={name: reader.limit(name, default) for name, default in REFUND_LIMITS.items()},
        refund_cosign_minor=reader.limit("REFUND_COSIGN_MINOR", None),
        **_agent(reader),
    )
    if reader.problems:
        raise ImproperlyConfigured("The environment needs mending:\n- " + "\n- ".join(reader.problems))
    return environment


def _agent(reader: Reader) -> dict[str, Any]:
    """The model's service and the limits of a run."""
    keys = {name: reader.text(name.upper()) for name in ("anthropic_api_key", "openai_api_key")}
    urls = {name: reader.url(name.upper(), {"http", "https"}) for name in ("anthropic_base_url", "openai_base_url")}
    default = "anthropic" if keys["anthropic_api_key"] else "demo"
    provider = reader.choice("AGENT_PROVIDER", {"anthropic", "openai", "demo"}, default=default)
    fallback = reader.choice("AGENT_FALLBACK_PROVIDER", {"anthropic", "openai", "none"}, default="none")
    has_fallback = fallback != "none"
    # Responses is OpenAI's own; chat completions is what every compatible server speaks.
    own = urlsplit(urls["openai_base_url"]).hostname in (None, "api.openai.com")
    return {
        **keys,
        **urls,
        "openai_api": reader.choice("OPENAI_API", {"responses", "chat"}, default="responses" if own else "chat"),
        "agent_provider": provider,
        "agent_model": _model(reader, "AGENT", provider, known=keys | urls),
        "agent_fallback_provider": fallback if has_fallback else "",
        "agent_fallback_model": _model(reader, "AGENT_FALLBACK", fallback, known=keys | urls) if has_fallback else "",
        "agent_max_steps": reader.number("AGENT_MAX_STEPS", 16, high=100),
        "agent_lease_seconds": reader.number("AGENT_LEASE_SECONDS", 20, high=600),
        "agent_run_seconds": reader.number("AGENT_RUN_SECONDS", 120, high=3600),
        "agent_confirm_minutes": reader.number("AGENT_CONFIRM_MINUTES", 15, high=10_080),
    }


def _model(reader: Reader, prefix: str, provider: str, *, known: dict[str, str]) -> str:
    """The model of a provider; what that provider needs beside is complained of where it is missing."""
    usual = {"anthropic": "claude-sonnet-5-5", "demo": "demo"}
    model = reader.text(f"{prefix}_MODEL", usual.get(provider, ""))
    if provider == "anthropic" and not known["anthropic_api_key"]:
        reader.problems.append(f"{prefix}_PROVIDER is anthropic, which needs a key: set ANTHROPIC_API_KEY.")
    if provider == "openai" and not (known["openai_api_key"] or known["openai_base_url"]):
        reader.problems.append(
            f"{prefix}_PROVIDER is openai: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of yours."
        )
    if provider == "openai" and not model:
        reader.problems.append(f"{prefix}_PROVIDER is openai: set {prefix}_MODEL to the name of the model.")
    return model


def _scheme(url: str) -> str:
    return url.partition("://")[0] if "://" in url else ""


def _stripe_key(reader: Reader) -> str:
    """The key, where the package that it is for is installed too."""
    key = reader.text("STRIPE_API_KEY")
    if key and find_spec("stripe") is None:
        reader.problems.append(
            "STRIPE_API_KEY is set, but Stripe's package is missing: install it with `pip install 'stripe>=16,<17'`."
        )
    return key


def _well_formed(url: str) -> bool:
    """A port, where there is one, is a number."""
    try:
        return urlsplit(url).port != 0
    except ValueError:
        return False


def _secret_key(reader: Reader, *, debug: bool) -> str:
    key = reader.text("SECRET_KEY", "a-key-for-development-alone" if debug else "")
    if not debug and (len(key) < 16 or PLACEHOLDER.search(key)):
        state = "a placeholder or too short" if key else "not set"
        reader.problems.append(
            f"SECRET_KEY is {state}: set it to a long random text, such as the output of "
            "`python -c 'import secrets; print(secrets.token_urlsafe(50))'`."
        )
    return key


def _public_url(reader: Reader, *, port: int) -> str:
    """Where customers reach the shop: scheme and host, without a slash at the end."""
    default = f"http://127.0.0.1:{port}"
    url = reader.url("PUBLIC_URL", {"http", "https"}, default=default).rstrip("/")
    parts = urlsplit(url)
    if not parts.hostname or parts.path or parts.query or parts.fragment or parts.username:
        reader.problems.append(
            "PUBLIC_URL holds more or less than scheme and host: write it like https://shop.example."
        )
    return url


def _allowed_hosts(reader: Reader, *, public_url: str) -> list[str]:
    """The hosts that are listed, else the one of PUBLIC_URL and this machine's own names."""
    listed = [host.strip() for host in reader.text("ALLOWED_HOSTS").split(",") if host.strip()]
    for host in listed:
        if "/" in host or " " in host or ("*" in host and host != "*"):
            reader.problems.append(f"ALLOWED_HOSTS has {host!r}: list host names with commas, without scheme or path.")
    own = urlsplit(public_url).hostname or "localhost"
    return listed or list(dict.fromkeys([own, "localhost", "127.0.0.1", "[::1]"]))


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
    if database["ENGINE"].endswith("sqlite3"):
        database["OPTIONS"] = SQLITE_OPTIONS | database.get("OPTIONS", {})
    return database


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


def _time_zone(reader: Reader) -> str:
    zone = reader.text("TIME_ZONE", "UTC")
    if zone not in available_timezones():
        reader.problems.append(f"TIME_ZONE is {zone!r}: write one like Europe/Berlin.")
    return zone


def _currency(reader: Reader) -> str:
    currency = reader.text("SHOP_CURRENCY", "EUR")
    if not is_currency(currency):
        reader.problems.append(f"SHOP_CURRENCY is {currency!r}: write a code like EUR.")
    return currency


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
        # A publish waits for no dead server: the row is stored, the page reads it from there.
        "socket_connect_timeout": 1,
        "socket_timeout": 2,
        "retry": Retry(NoBackoff(), 1),  # at once, for a Redis that was started anew; by itself redis-py waits seconds
    }
