"""manage.py load_help DIR"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agent.knowledge import HelpFileError, load_folder


class Command(BaseCommand):
    help = "Reads help articles from the Markdown files of a folder. What exists already is left as it is."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")

    def handle(self, *args: Any, folder: Path, verbosity: int, **options: Any) -> None:
        if not folder.is_dir():
            raise CommandError(f"{folder} is no folder.")
        try:
            loaded = load_folder(folder)
        except HelpFileError as error:
            raise CommandError(f"{error} Nothing was loaded.") from None
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be read ({error.strerror}). Nothing was loaded.") from None
        if verbosity:
            self.stdout.write(f"New: {loaded.new} articles; known already: {loaded.known}.")
