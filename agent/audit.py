"""Who did or was shown what: one row a fact, chained within its conversation.

The payload itself is not kept here, only a digest under a key of the server's: erasing what a row stands for
leaves the chain whole, and the digest of a guessed payload proves nothing to somebody who has only the table.
"""

import hashlib
import hmac
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from agent.models import AuditEntry
from agent.tools import schema


def record(conversation_id: UUID, *, actor: str, kind: str, subject: str, payload: Any) -> AuditEntry:
    """Add to the chain. Call it in the transaction of what it tells, after `events.append`.

    `events.append` locks the conversation's row, which is what keeps two writers from taking the same number.
    """
    last = AuditEntry.objects.filter(conversation_id=conversation_id).order_by("-sequence").first()
    entry = AuditEntry(
        conversation_id=conversation_id,
        sequence=last.sequence + 1 if last else 1,
        actor=actor,
        kind=kind,
        subject=subject,
        payload_digest=_keyed(schema.digest(payload)),
        previous=last.digest if last else "",
        at=timezone.now(),
    )
    entry.digest = chained(entry)
    entry.save(force_insert=True)
    return entry


def chained(entry: AuditEntry) -> str:
    """What the entry's digest must be, from its own fields and its predecessor's digest."""
    parts = (entry.sequence, entry.actor, entry.kind, entry.subject, entry.payload_digest, entry.previous)
    return _keyed(schema.digest(str(entry.conversation_id), *parts, entry.at.isoformat()))


def _keyed(text: str) -> str:
    key = hashlib.sha256(b"countersign.audit" + settings.SECRET_KEY.encode()).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
