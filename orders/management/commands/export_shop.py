"""manage.py export_shop DIR"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from orders.shop_files import export_shop


class Command(BaseCommand):
    help = "Writes customers.jsonl, orders.jsonl and products.jsonl, as import_shop reads them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        try:
            written = export_shop(folder)
        except OSError as error:
            raise CommandError(f"{folder} cannot be written ({error.strerror}).") from None
        self.stdout.write(", ".join(f"{count} {name}" for name, count in written.items()))
