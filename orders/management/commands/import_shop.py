"""manage.py import_shop DIR [--password P]"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from orders.errors import ShopFileError
from orders.shop_files import import_shop


class Command(BaseCommand):
    help = "Reads customers.jsonl, orders.jsonl and products.jsonl. What exists already is left as it is."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument("--password", help="one password for all new customers; without it none can sign in by one")
        parser.add_argument("--currency", default="USD", help="of all amounts in the files (default: %(default)s)")

    def handle(self, *args: Any, folder: Path, password: str | None, currency: str, **options: Any) -> None:
        try:
            new = import_shop(folder, password=password, currency=currency)
        except ShopFileError as error:
            raise CommandError(f"{error}. Nothing was imported.") from None
        self.stdout.write(f"New: {new.customers} customers, {new.orders} orders, {new.products} products.")
