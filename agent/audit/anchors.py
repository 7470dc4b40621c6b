"""Once a day the ends of the chains are written down: whoever cuts one off later is found.

An anchor is also a line in the log, so that a copy of it exists where the database cannot reach.
"""

import logging
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from agent.audit import keys
from agent.models import AuditAnchor, AuditEntry
from agent.rounds import Round
from agent.tools import schema

logger = logging.getLogger(__name__)

LATE = timedelta(hours=1)  # a row may be committed that long after it was made; a head told twice harms nobody


def anchor_daily() -> bool:
    """The day's anchor, unless somebody has made it. Safe anywhere, often."""
    if not _is_due():
        return False
    try:
        anchor_now()
    except IntegrityError:  # another process inserted the day first
        return False
    return True


def _is_due() -> bool:
    return not AuditAnchor.objects.filter(day=timezone.now().date()).exists()


anchoring = Round("anchor", is_due=_is_due, work=anchor_daily)


def anchor_soon() -> None:
    """The keeper's duty. Beside it: to look at every chain that grew may take longer than a lease lasts."""
    anchoring.call()


@transaction.atomic
def anchor_now(now: datetime | None = None) -> AuditAnchor:
    """Add the day's anchor. Raises IntegrityError where the day has one."""
    now = now or timezone.now()
    last = AuditAnchor.objects.order_by("-number").first()
    anchor = AuditAnchor(
        number=last.number + 1 if last else 1,
        day=now.date(),
        heads=_heads(since=last.at - LATE if last else None),
        previous=last.digest if last else "",
        at=now,
    )
    anchor.digest = keys.signed(sealed(anchor))
    anchor.save(force_insert=True)
    logger.info("the audit is anchored", extra={"number": anchor.number, "digest": anchor.digest})
    return anchor


def sealed(anchor: AuditAnchor) -> str:
    """What the anchor's digest is made of."""
    return schema.digest(anchor.number, anchor.day.isoformat(), anchor.heads, anchor.previous, anchor.at.isoformat())


def _heads(*, since: datetime | None) -> dict[str, list[int | str]]:
    """The last row of each chain that grew since then."""
    rows = AuditEntry.objects.filter(at__gte=since) if since else AuditEntry.objects.all()
    newest = AuditEntry.objects.filter(conversation_id=OuterRef("conversation_id")).order_by("-sequence")
    heads = rows.order_by().values("conversation_id").distinct().annotate(head=Subquery(newest.values("pk")[:1]))
    last = AuditEntry.objects.filter(pk__in=heads.values("head")).order_by("conversation_id")
    return {str(entry.conversation_id): [entry.sequence, entry.digest] for entry in last.iterator()}
