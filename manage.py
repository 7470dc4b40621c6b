#!/usr/bin/env python
"""Django's commands for this project."""

import os
import re
import secrets
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db.utils import OperationalError, ProgrammingError

TABLE_MISSING = re.compile("no such (table|column)|(relation|column) .* does not exist")
# They read files alone, so an image can be built without a key and without a database.
NEED_NOTHING = {"collectstatic", "compilemessages", "makemessages", "makemigrations"}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:2] and sys.argv[1] in NEED_NOTHING:
        os.environ["SECRET_KEY"] = os.environ.get("SECRET_KEY") or secrets.token_urlsafe(50)
        os.environ["DATABASE_URL"] = os.environ.get("DATABASE_URL") or "sqlite://:memory:"
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except (OperationalError, ProgrammingError) as error:
        if not TABLE_MISSING.search(str(error)):
            raise
        sys.exit("The database does not have all tables yet. Run `python manage.py migrate` first.")


if __name__ == "__main__":
    main()
