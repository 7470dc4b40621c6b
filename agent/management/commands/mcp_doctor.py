"""Look at a running MCP server as a program does, and say what is wrong with it."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agent.access.challenge import resource
from agent.management.doctor import examine
from agent.management.doctor.findings import Finding, Kind

VARIABLE = "MCP_TOKEN"
HIDDEN = "(the token)"


class Command(BaseCommand):
    help = "Check an MCP server from outside: its metadata, its sign-in, and with a token a list and one read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address", nargs="?", help="of the server; default: PUBLIC_URL with /mcp")
        parser.add_argument("--token", help=f"a customer's; rather put it into {VARIABLE}, where no list shows it")
        parser.add_argument("--seconds", type=float, default=10.0, help="to wait for each answer (default: 10)")

    def handle(self, *args: Any, **options: Any) -> None:
        token = (options["token"] or os.environ.get(VARIABLE, "")).strip()
        address = options["address"] or resource()
        self.stdout.write(self._safe(f"Looking at {address}\n", token))
        findings = []
        for finding in examine(address, token=token, seconds=options["seconds"]):
            findings.append(finding)
            self.stdout.write(self._safe(_line(finding), token))
        faults = sum(finding.kind == Kind.WRONG for finding in findings)
        if faults:
            raise CommandError(f"{faults} of {len(findings)} is wrong." if faults == 1 else f"{faults} are wrong.")
        self.stdout.write("\nNothing is wrong.")

    def _safe(self, line: str, token: str) -> str:
        """A server that repeats what it was sent shows the token to nobody."""
        return line.replace(token, HIDDEN) if token else line


def _line(finding: Finding) -> str:
    advice = f"\n       {finding.advice}" if finding.advice else ""
    return f"{finding.kind.value:<5}  {finding.said}{advice}"
