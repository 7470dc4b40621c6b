"""The environment, read once: what is not set has a default, what makes no sense stops the start with a sentence."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config.env import agent, services, shop, site
from config.env.reader import Reader
from config.env.services import MEMORY, REDIS_PATIENCE, redis_arguments
from config.env.site import is_loopback

__all__ = ["MEMORY", "REDIS_PATIENCE", "Environment", "is_loopback", "read", "redis_arguments"]


@dataclass(frozen=True)
class Environment:
    """The settings that come from outside, checked. The names are those of the variables in small letters."""

    debug: bool
    secret_key: str
    secret_key_fallbacks: list[str]
    audit_keys: list[str]
    host: str
    port: int
    public_url: str
    allowed_hosts: list[str]
    forwarded_allow_ips: str
    database: dict[str, Any]
    database_role: str
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
    refund_reauthenticate_minor: int | None
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
    agent_read_hosts: list[str]
    mcp_clients: str
    staff_email: str
    staff_second_factor: bool
    answer_hours: str
    retention_automatic: bool

    @property
    def embedded(self) -> bool:
        """No broker outside: the web process brings its own worker."""
        return self.celery_broker_url.startswith("memory:")

    @property
    def https(self) -> bool:
        return self.public_url.startswith("https://")


def read(environ: Mapping[str, str] = os.environ) -> Environment:
    """The whole environment. Raises ImproperlyConfigured that names everything wrong at once."""
    reader = Reader(environ)
    found = {name: value for part in (site, services, shop, agent) for name, value in part.read(reader).items()}
    if reader.problems:
        raise ImproperlyConfigured("The environment needs mending:\n- " + "\n- ".join(reader.problems))
    return Environment(**found)
