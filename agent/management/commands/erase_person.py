"""manage.py erase_person USERNAME_OR_EMAIL"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agent import personal_data
from agent.errors import CannotErase
from agent.management.people import person


class Command(BaseCommand):
    help = "Tells what would go and what would stay, and why; with --apply it forgets the person."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("who", metavar="USERNAME_OR_EMAIL")
        parser.add_argument("--apply", action="store_true", help="do it; it cannot be undone")

    def handle(self, *args: Any, who: str, apply: bool, **options: Any) -> None:
        try:
            receipt = personal_data.erase(person(who), apply=apply)
        except CannotErase as error:
            raise CommandError(f"Nothing was erased. {error}") from None
        self.stdout.write(f"Account {receipt.account}")
        self.stdout.write("Erased:" if apply else "Would be erased:")
        for label, count in receipt.erased.items():
            self.stdout.write(f"  {count:>6}  {label}")
        self.stdout.write("Stays:" if apply else "Would stay:")
        for label, (count, reason) in receipt.kept.items():
            self.stdout.write(f"  {count:>6}  {label}: {reason}")
        if not apply:
            self.stdout.write("Nothing was erased: repeat it with --apply.")
