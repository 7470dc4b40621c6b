"""`python -m config.cases DIR`: import the folder's shop into a database of its own, and play its cases there.

Without DATABASE_URL, or where it names SQLite, that database is one in memory. Where it names a PostgreSQL, a new
database is created on the same server and dropped at the end. The one that DATABASE_URL names is never touched.
"""

import argparse
import os
import re
import secrets
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

# Nothing of a running shop: its queue, its model, its limits and its payment provider are not for cases.
FOREIGN = re.compile("(REDIS|CELERY|AGENT|ANTHROPIC|OPENAI|STRIPE|EMAIL)_.*|DEBUG")


def main(arguments: list[str]) -> int:
    """Returns the exit status: 0 where all passed, 1 where one failed, 2 where the folder cannot be played."""
    parser = argparse.ArgumentParser(prog="python -m config.cases", description="Plays recorded customer cases.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="shop files with tasks.jsonl or replays.jsonl")
    folder = parser.parse_args(arguments).folder
    prepare(os.environ)
    try:
        django.setup()
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return play(folder)


def prepare(environ: MutableMapping[str, str]) -> None:
    """The settings of a replay: everything in this process, and a key for as long as it runs."""
    for name in filter(FOREIGN.fullmatch, list(environ)):
        del environ[name]
    if environ.get("DATABASE_URL", "").partition(":")[0] not in ("postgres", "postgresql"):
        environ["DATABASE_URL"] = "sqlite://:memory:"
    own = {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "AGENT_PROVIDER": "demo",
        "PUBLIC_URL": "http://127.0.0.1:8000",
        "ALLOWED_HOSTS": "127.0.0.1",
        "LOG_FORMAT": "text",
        "LOG_LEVEL": "ERROR",
        "STATIC_FROM_SOURCE": "1",
        "SHOP_CURRENCY": "USD",
    }
    environ.update(own)


def play(folder: Path) -> int:
    """With Django set up."""
    # These have models or read the settings: they can be imported only now.
    from django.db import OperationalError

    from agent.tools import registry
    from config.cases.calls import check_names
    from config.cases.folder import CaseFileError, read_cases
    from config.cases.replay import replay
    from orders.errors import ShopFileError
    from orders.shop_files import import_shop

    if registry.broken_modules():
        sys.stderr.write(f"These tool modules cannot be loaded: {', '.join(registry.broken_modules())}\n")
        return 2
    try:
        cases = read_cases(folder)
        check_names(cases)
        with database():
            import_shop(folder)
            say(f"{len(cases)} cases to play ...")
            return 0 if replay(cases, say=say) else 1
    except (CaseFileError, ShopFileError) as error:
        sys.stderr.write(f"{error}\n")
    except OperationalError as error:
        sys.stderr.write(f"No database could be made for the cases: {error}\n")
    except KeyboardInterrupt:
        sys.stderr.write("Ended before all cases were played.\n")
    return 2


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@contextmanager
def database() -> Iterator[None]:
    """A database with all tables and no rows, there for as long as it is needed."""
    from django.db import connection  # reads the settings

    if connection.vendor != "sqlite":
        settings.DATABASES["default"]["TEST"]["NAME"] = f"countersign_cases_{os.getpid()}_{secrets.token_hex(4)}"
    own = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(own, verbosity=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
