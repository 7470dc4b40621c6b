"""manage.py load_sample_shop [--beside]"""

from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError

from orders.sample_shop import HELP_ARTICLES, load_sample_shop
from orders.sample_shop.loading import strangers


class Command(BaseCommand):
    help = "Loads a made-up shop with customers and staff whose password is known to everybody. Not for a real shop."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--beside", action="store_true", help="also where other accounts exist already")

    def handle(self, *args: Any, beside: bool, **options: Any) -> None:
        if strangers() and not beside:
            raise CommandError(
                "This database has accounts that are not of the sample shop, and the sample brings an administrator "
                "with a known password. If that is what you want, add --beside. Nothing was loaded."
            )
        logins = load_sample_shop()
        if "load_help" in get_commands():  # whoever answers questions here reads these
            call_command("load_help", HELP_ARTICLES, verbosity=0)
        self.stdout.write(f"{'user name':<12}{'password':<12}{'name':<18}")
        for login in logins:
            self.stdout.write(f"{login.username:<12}{login.password:<12}{login.name:<18}{login.about}")
