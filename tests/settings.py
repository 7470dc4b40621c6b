"""The site's settings for tests: nothing from outside but the database, and no two runs in each other's way."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

# What the tests of Redis use; everything else runs on a queue and a cache of its own process.
os.environ.setdefault("TEST_REDIS_URL", os.environ.get("REDIS_URL", ""))
OWN = {
    "SECRET_KEY": "for-tests-alone-0123456789-abcdefghijklmnopqrstuvwxyz",
    "AGENT_PROVIDER": "demo",
    "EMAIL_URL": "console://",
    "LOG_LEVEL": "WARNING",
    "STATIC_FROM_SOURCE": "1",
    "DATABASE_POOL": "0",  # tests make and drop databases; the processes that they start have their pool
}
FOREIGN = {
    "SECRET_KEY_FALLBACKS", "RETENTION_AUTOMATIC", "AUDIT_KEY", "AUDIT_KEY_FALLBACKS", "DATABASE_ROLE",
    "DEBUG", "HOST", "PORT", "PUBLIC_URL", "ALLOWED_HOSTS", "FORWARDED_ALLOW_IPS", "REDIS_URL", "CELERY_BROKER_URL",
    "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API",
    "STRIPE_API_KEY", "STRIPE_BASE_URL", "AGENT_MODEL",
    "AGENT_FALLBACK_PROVIDER", "AGENT_FALLBACK_MODEL", "AGENT_MAX_STEPS", "AGENT_LEASE_SECONDS", "AGENT_RUN_SECONDS",
    "STAFF_EMAIL", "ANSWER_HOURS", "STAFF_SECOND_FACTOR", "TIME_ZONE", "SHOP_NAME", "SHOP_CURRENCY",
    "AGENT_CONFIRM_MINUTES", "AGENT_READ_HOSTS", "MCP_CLIENTS",
    "WEB_CONCURRENCY",
    "REFUND_LIMIT_MINOR", "REFUND_LIMIT_ORDER_MINOR", "REFUND_LIMIT_CUSTOMER_MINOR", "REFUND_LIMIT_CUSTOMER_COUNT",
}  # fmt: skip
for name in FOREIGN:
    os.environ.pop(name, None)
os.environ.update(OWN)

_folder = Path(tempfile.mkdtemp(prefix="countersign-tests-"))
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
if not os.environ.get("DATABASE_URL"):
    os.environ["DATABASE_URL"] = f"sqlite:///{_folder / 'unused.sqlite3'}"

from config.settings import *  # noqa: E402, F403
from config.settings import AGENT, DATABASES  # noqa: E402

# Threads need a file, and two test runs on one server need two names.
_sqlite = DATABASES["default"]["ENGINE"].endswith("sqlite3")
DATABASES["default"]["TEST"] = {"NAME": str(_folder / "test.sqlite3") if _sqlite else f"test_countersign_{os.getpid()}"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AGENT["DEMO_WORD_DELAY"] = 0
