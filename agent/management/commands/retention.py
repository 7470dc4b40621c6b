"""manage.py retention"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from agent import personal_data
from agent.conf import setting
from agent.models import LegalHold


class Command(BaseCommand):
    help = "Tells how many rows of each class are past their period; with --apply it removes them, in batches."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--apply", action="store_true", help="remove them; may be cut off and repeated")

    def handle(self, *args: Any, apply: bool, **options: Any) -> None:
        counts = personal_data.apply() if apply else personal_data.overdue()
        for name, data in personal_data.CLASSES.items():
            days = setting("RETENTION").get(name)
            period = "kept" if days is None else f"{days} days"
            self.stdout.write(f"{name:<9} {counts.get(name, 0):>8}  {period:<9}  {data.what}")
        self.stdout.write(
            f"pages              {setting('PAGE_SECONDS')} s      pages from outside, kept by the cache alone"
        )
        self.stdout.write("audit              kept       keyed digests, no words and no names")
        held = LegalHold.objects.filter(lifted_at=None).count()
        self.stdout.write(f"{held} customers under a legal hold keep everything.")
        self.stdout.write("Removed." if apply else "Nothing was removed: repeat it with --apply.")
