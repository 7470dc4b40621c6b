"""manage.py export_person USERNAME_OR_EMAIL --to FILE"""

import json
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agent import personal_data
from agent.management.people import person


class Command(BaseCommand):
    help = "Writes everything that is kept of a person as JSON, into a new file that only you can read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("who", metavar="USERNAME_OR_EMAIL")
        parser.add_argument("--to", type=Path, required=True, metavar="FILE")

    def handle(self, *args: Any, who: str, to: Path, **options: Any) -> None:
        rows = personal_data.export(person(who))
        try:
            with os.fdopen(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                json.dump(rows, file, ensure_ascii=False, indent=2, default=str)
        except OSError as error:
            raise CommandError(f"{to} cannot be written ({error.strerror}).") from None
        self.stdout.write(f"{sum(map(len, rows.values()))} rows of {len(rows)} kinds are in {to}.")
