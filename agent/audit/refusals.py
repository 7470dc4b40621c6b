"""Who was refused what: a row in the account's own chain, few enough that a flood of refusals fills no table.

A refusal that repeats within the hour is one row, and an account has at most MOST_A_DAY of them in a day; the last one
says that further ones are in the log alone. What is kept is the place and the reason, never what was sent.
"""

import logging
from datetime import timedelta
from typing import Any

from django.core.cache import cache
from django.db import DatabaseError
from django.utils import timezone

from agent.audit.chain import chain_of_account, record_of_account
from agent.models import AuditEntry
from agent.tools import schema

logger = logging.getLogger(__name__)

KIND = "access.refused"
MOST_A_DAY = 20
SAME_SECONDS = 3600
NOBODY = 0  # the account of callers that are not known; no user has this key
FULL = "more: in the log alone"


def refused(user_id: int | None, *, why: str, what: str) -> None:
    """Keep that somebody was refused. `why` is one word, `what` a place of ours; never raises: the refusal stands."""
    who = user_id or NOBODY
    subject = f"{why}: {what}"[:80]
    logger.warning("access was refused", extra={"user": who, "reason": why, "place": what})
    if not cache.add(f"agent:refused:{who}:{schema.digest(subject)}", 1, timeout=SAME_SECONDS):
        return
    try:
        left = MOST_A_DAY - _kept_today(who)
        if left > 0:
            actor = f"user:{who}" if who else "nobody"
            told: dict[str, Any] = {"why": why, "what": what}
            record_of_account(who, actor=actor, kind=KIND, subject=subject if left > 1 else FULL, payload=told)
    except DatabaseError as error:
        logger.warning("a refusal could not be kept", extra={"error": repr(error)})


def _kept_today(user_id: int) -> int:
    since = timezone.now() - timedelta(days=1)
    newest = AuditEntry.objects.filter(conversation_id=chain_of_account(user_id)).order_by("-sequence")
    times = newest.filter(kind=KIND).values_list("at", flat=True)[:MOST_A_DAY]
    return sum(at > since for at in times)
