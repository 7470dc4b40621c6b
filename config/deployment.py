"""What `manage.py check --deploy` says of this site, beside Django's own checks: one sentence each, with what to do."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register

from config.env import is_loopback


@register(Tags.security, deploy=True)
def check_hosts(app_configs: Any = None, **_: Any) -> list[CheckMessage]:
    """Names that this site answers to are listed, or a page elsewhere can give it a name of its own."""
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    hint = "List the names under which customers and health checks reach the site, such as shop.example,127.0.0.1."
    return [Warning("ALLOWED_HOSTS lets every host name in.", hint=hint, id="site.W003")]


@register(Tags.security, deploy=True)
def check_address(app_configs: Any = None, **_: Any) -> list[CheckMessage]:
    """Cookies, redirects and HSTS follow PUBLIC_URL."""
    if settings.PUBLIC_URL.startswith("https://"):
        return []
    hint = "Put a proxy with TLS in front and set PUBLIC_URL to the https address: the rest follows it."
    return [Warning("PUBLIC_URL is not https: passwords and sign-ins travel in clear.", hint=hint, id="site.W004")]


@register(Tags.security, deploy=True)
def check_redis(app_configs: Any = None, **_: Any) -> list[CheckMessage]:
    """Whoever reaches the queue can have the workers do things, and read what customers are told."""
    urls = {
        "REDIS_URL": settings.CACHES["default"].get("LOCATION", ""),
        "CELERY_BROKER_URL": settings.CELERY_BROKER_URL,
    }
    open_to_others = {urls[name]: name for name in reversed(urls) if _is_open(str(urls[name]))}
    hint = "Give Redis a password (requirepass) and write redis://:password@host:6379/0."
    return [
        Warning(f"{name} is on another machine and has no password.", hint=hint, id="site.W005")
        for name in open_to_others.values()
    ]


def _is_open(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("redis", "rediss") and not parts.password and not is_loopback(parts.hostname or "localhost")
