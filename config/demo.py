"""`python -m config.demo`: a shop to try, from nothing: its own database, sample customers, a model that needs no key.

What the environment sets (DATABASE_URL, REDIS_URL, a model's key) is used instead.
"""

import os
import secrets
import sys
import tempfile
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from config import env as environment
from config import serve

# In cents: what a refund, the refunds of an order, and those of a customer in 30 days may be in the sample shop, and
# above what a member of staff has to approve one too.
REFUND_LIMITS = {
    "REFUND_LIMIT_MINOR": "50000",
    "REFUND_LIMIT_ORDER_MINOR": "50000",
    "REFUND_LIMIT_CUSTOMER_MINOR": "80000",
    "REFUND_LIMIT_CUSTOMER_COUNT": "10",
    "REFUND_COSIGN_MINOR": "20000",
}


def main() -> int:
    """Set everything up, print where to go, serve until Ctrl-C. Returns the exit status."""
    with demo_environment(os.environ):
        serve.end_by_exception()
        try:
            env = environment.read()
            serve.check_free(env.host, env.port)
            say("Setting up the sample shop ...\n")
            say(introduction(env, logins=prepare()))
            return serve.serve(env, access_log=False)
        except KeyboardInterrupt:
            return 0
        except (ImproperlyConfigured, CommandError) as error:
            sys.stderr.write(f"{error}\n")
            return 1


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


@contextmanager
def demo_environment(environ: MutableMapping[str, str]) -> Iterator[None]:
    """Fill in what a demonstration needs and nobody set. Its own database goes when it ends."""
    environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    defaults = {"LOG_FORMAT": "text", "LOG_LEVEL": "WARNING", "STATIC_FROM_SOURCE": "1", "EMAIL_URL": "console://"}
    for name, value in {**defaults, **REFUND_LIMITS, "SECRET_KEY": secrets.token_urlsafe(50)}.items():
        environ[name] = environ.get(name) or value
    with tempfile.TemporaryDirectory(prefix="countersign-demo-", ignore_cleanup_errors=True) as folder:
        if not environ.get("DATABASE_URL"):
            environ["DATABASE_URL"] = f"sqlite:///{Path(folder) / 'demo.sqlite3'}"
        yield


def prepare() -> str:
    """Tables and the sample shop; returns its table of logins. Safe to repeat on a database that stays."""
    django.setup()
    call_command("migrate", verbosity=0, interactive=False)
    logins = StringIO()
    call_command("load_sample_shop", stdout=logins)
    return logins.getvalue()


def introduction(env: environment.Environment, *, logins: str) -> str:
    """What one needs to know to begin."""
    model = "a demonstration: it follows its examples, understands little and costs nothing"
    if env.agent_provider != "demo":
        model = f"{env.agent_model} ({env.agent_provider})"
    lines = [
        f"Address  {env.public_url}/",
        f"Model    {model}",
        "",
        *logins.splitlines(),
        "",
        "Ctrl-C ends it.",
    ]
    if not env.embedded:
        lines.append("A broker is set, so answers need a worker: start `make worker` with the same environment.")
    return "\n" + "".join(f"  {line}".rstrip() + "\n" for line in lines)


if __name__ == "__main__":
    serve.leave(main())
