"""Django's settings. What differs from place to place comes from the environment (`config.env`), nothing else does."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF

from config import env as environment
from config.logs import logging_settings
from config.prices import PRICES
from config.prompt import system_prompt
from config.roles import ROLES

BASE_DIR = Path(__file__).resolve().parent.parent
env = environment.read()

# --- The site -------------------------------------------------------------------------------------------------------

DEBUG = env.debug
SECRET_KEY, SECRET_KEY_FALLBACKS = env.secret_key, env.secret_key_fallbacks
PUBLIC_URL = env.public_url
ALLOWED_HOSTS = env.allowed_hosts
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
# Streams and the worker inside need ASGI: whoever starts the site as WSGI, runserver too, is told so.
WSGI_APPLICATION = "config.checks.wsgi_refused"

INSTALLED_APPS = [
    "config.apps.SiteConfig",
    "config.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.idp.oidc",
    "waffle",
    "csp",
    "django_eventstream",
    "agent",
    "orders",
    "billing",
]

MIDDLEWARE = [
    "config.checks.asgi_only",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.caching.nothing_is_kept",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.accounts.say_when_to_come_back",
    "waffle.middleware.WaffleMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {"default": env.database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# No page waits for a Redis that does not answer.
REDIS_CACHE_OPTIONS = environment.REDIS_PATIENCE
if env.redis_url:
    CACHES = {
        "default": {
            "BACKEND": "config.cache.RedisOrMemory",
            "LOCATION": env.redis_url,
            "TIMEOUT": 60,  # also how long a switch that was moved while Redis was away may still be seen as it was
            "OPTIONS": REDIS_CACHE_OPTIONS,
        }
    }
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = env.time_zone
USE_TZ = True

# Collected files carry their hash in the name; where none are collected (the demo, tests) they are served as they lie.
_folder = BASE_DIR / "staticfiles"
_collected = "collectstatic" in sys.argv or ((_folder / "staticfiles.json").is_file() and not env.static_from_source)
_storage = "whitenoise.storage.CompressedManifestStaticFilesStorage"
STATIC_URL = "/static/"
STATIC_ROOT = _folder if _collected else None
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = not _collected
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": _storage if _collected else "django.contrib.staticfiles.storage.StaticFilesStorage",
    },
}

# No page takes a file; the longest question is far below this.
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
DATA_UPLOAD_MAX_NUMBER_FILES = 0

LOGGING = logging_settings(form=env.log_format, level=env.log_level)

# --- Safety ---------------------------------------------------------------------------------------------------------

# Everything comes from this site; nothing inline, nothing framed.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
# The address of a confirmation page is nobody else's business.
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = env.https
SECURE_SSL_REDIRECT = env.https
SECURE_HSTS_SECONDS = int(timedelta(days=365).total_seconds()) if env.https else 0
# TLS ends at a proxy, which says how the customer came. A client that lies about it only skips its own redirect.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.https else None
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # asked from inside, without the proxy
# What the other hosts of the shop's domain speak is not for this application to promise.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# --- Sign-in --------------------------------------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = ["config.sign_in.OneLook"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "agent:home"
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_ADAPTER = "config.accounts.ShopAccounts"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # addresses come verified, with the shop's own customers
ACCOUNT_LOGIN_BY_CODE_ENABLED = not env.email["EMAIL_BACKEND"].endswith("dummy.EmailBackend")
# An account proves itself again, where an amount asks for it, by what it has; codes only where mail leaves.
ACCOUNT_REAUTHENTICATION_METHODS = ("password", "mfa", *(["code"] if ACCOUNT_LOGIN_BY_CODE_ENABLED else []))
ACCOUNT_EMAIL_SUBJECT_PREFIX = f"{env.shop_name}: "
ACCOUNT_RATE_LIMITS = {"login": "600/m/ip", "login_failed": "10/m/ip,5/5m/key"}
# The authorization server of the MCP server: public programs with PKCE, tokens that are hashed and say nothing.
IDP_OIDC_ADAPTER = "agent.access.adapter.McpAuthorization"
IDP_OIDC_AUTH_METHODS = ["none"]
IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN = int(timedelta(minutes=15).total_seconds())
IDP_OIDC_REFRESH_TOKEN_EXPIRES_IN = int(timedelta(days=30).total_seconds())
MFA_ADAPTER = "config.accounts.ShopSecondFactor"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = env.shop_name
globals().update(env.email)

# --- Work in the background -----------------------------------------------------------------------------------------

EMBEDDED = env.embedded
EMBEDDED_THREAD = "embedded-worker"  # its name, by which /readyz finds it
CELERY_BROKER_URL = env.celery_broker_url
# Queue lengths are small and answers are waited for: look often where a broker has to be asked.
REDIS_BROKER_OPTIONS = {"socket_connect_timeout": 1, "socket_timeout": 1, "socket_keepalive": True}
CELERY_BROKER_TRANSPORT_OPTIONS = {"polling_interval": 0.05} if EMBEDDED else REDIS_BROKER_OPTIONS
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker waits for its broker for ever
CELERY_TASK_DEFAULT_QUEUE = "countersign"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_STORE_ERRORS_EVEN_IF_IGNORED = False
# The run's row is the outbox: a task that is lost is sent again by the sweep, a second one finds the lease taken.
CELERY_TASK_ACKS_LATE = False
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_TIMEZONE = TIME_ZONE

EVENTSTREAM_STORAGE_CLASS = "agent.live.EventRows"
EVENTSTREAM_CHANNELMANAGER_CLASS = "agent.live.ConversationChannels"
if env.redis_url:
    EVENTSTREAM_REDIS = environment.redis_arguments(env.redis_url)

# A switch that nobody has touched is on: see `agent.flags`.
WAFFLE_SWITCH_DEFAULT = True

# --- The agent and the shop -----------------------------------------------------------------------------------------

ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL = env.anthropic_api_key, env.anthropic_base_url
OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_API = env.openai_api_key, env.openai_base_url, env.openai_api

AGENT: dict[str, Any] = {
    "TOOL_MODULES": ["orders.tools", "agent.own_tools"],
    "PERSONAL_DATA": ["orders.personal_data", "billing.personal_data"],
    "RETENTION_AUTOMATIC": env.retention_automatic,
    "PROVIDER": env.agent_provider,
    "MODEL": env.agent_model,
    "FALLBACK_PROVIDER": env.agent_fallback_provider,  # takes over while the other is down; empty: none does
    "FALLBACK_MODEL": env.agent_fallback_model,
    "MAX_STEPS": env.agent_max_steps,
    "LEASE_SECONDS": env.agent_lease_seconds,
    "RUN_SECONDS": env.agent_run_seconds,
    "CONFIRM_MINUTES": env.agent_confirm_minutes,
    "READ_PAGE_HOSTS": env.agent_read_hosts,
    "COSIGN": {"refund_order": {env.shop_currency: env.refund_cosign_minor}},
    "REAUTHENTICATE": {"refund_order": {env.shop_currency: env.refund_reauthenticate_minor}},
    "MCP_CLIENTS": env.mcp_clients,
    "SHOP_NAME": env.shop_name,
    "STAFF_EMAIL": env.staff_email,
    "ROLES": ROLES,
    "STAFF_SECOND_FACTOR": env.staff_second_factor,
    **({"ANSWER_HOURS": env.answer_hours} if env.answer_hours else {}),
    "SYSTEM_PROMPT": system_prompt(shop=env.shop_name),
    "PRICES": PRICES,
    "AUDIT_KEYS": env.audit_keys,
    "DATABASE_ROLE": env.database_role,
    "DEMO_WORD_DELAY": 0.03,  # seconds; the demonstration model speaks at a human pace
}

ORDERS: dict[str, Any] = {"NUMBER_PATTERN": r"DZ-[0-9]{1,9}|#W[0-9]{1,9}"}

BILLING: dict[str, Any] = {
    "CURRENCY": env.shop_currency,
    **env.refund_limits,
    "GATEWAYS": {"credit_card": "stripe"} if env.stripe_api_key else {},
    "STRIPE": {"API_KEY": env.stripe_api_key, "API_BASE": env.stripe_base_url},
}
