"""Print the tools as one of the formats that models and clients read, or say how they differ from a kept list."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agent import exports


class Command(BaseCommand):
    help = "Print the registered tools as JSON, or compare them with a file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--format", choices=exports.FORMATS, default="json", help="whose format (default: json)")
        parser.add_argument(
            "--check", metavar="FILE", help="fail where the tools are not as in this file (format json)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check"]:
            self._check(Path(options["check"]))
            return
        shown = exports.exported(options["format"])
        self.stdout.write(json.dumps(shown, indent=2, ensure_ascii=False, default=str))

    def _check(self, file: Path) -> None:
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
            told = exports.drift(kept)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise CommandError(f"{file} holds no list of tools: {error}") from None
        if told:
            lines = "\n".join(told)
            raise CommandError(f"The tools are not as in {file}:\n{lines}\nWhere that is meant, write it anew.")
        self.stdout.write(f"The {len(kept)} tools are as in {file}.")
