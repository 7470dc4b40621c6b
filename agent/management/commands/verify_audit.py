"""manage.py verify_audit"""

from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agent import audit
from agent.models import AuditAnchor, AuditEntry

SHOWN = 20


class Command(BaseCommand):
    help = "Verifies the audit: names the first broken or missing row of each chain, and exits with 1 if there is one."

    def handle(self, *args: Any, **options: Any) -> None:
        found = list(islice(audit.findings(), SHOWN + 1))
        for finding in found[:SHOWN]:
            self.stdout.write(str(finding))
        if found:
            more = "more than " if len(found) > SHOWN else ""
            raise CommandError(f"The audit is broken in {more}{min(len(found), SHOWN)} places.")
        last = AuditAnchor.objects.order_by("-number").first()
        anchored = f"last anchor: {last}, {last.digest}" if last else "not anchored yet"
        self.stdout.write(f"The audit is whole: {AuditEntry.objects.count()} rows; {anchored}.")
