"""One row a fact, chained within its conversation, or within its account where there is no conversation.

The payload itself is not kept, only a digest under a key of the server's: erasing what a row stands for leaves the
chain whole, and the digest of a guessed payload proves nothing to somebody who has only the table.
"""

import uuid
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from agent.audit import keys
from agent.models import AuditEntry
from agent.tools import schema

ACCOUNTS = uuid.uuid5(uuid.NAMESPACE_URL, "countersign:accounts")
TRIES = 5


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
        payload_digest=keys.signed(schema.digest(payload)),
        previous=last.digest if last else "",
        at=timezone.now(),
    )
    entry.digest = keys.signed(sealed(entry))
    entry.save(force_insert=True)
    return entry


def record_of_account(user_id: int, *, actor: str, kind: str, subject: str, payload: Any) -> AuditEntry:
    """Add to the account's own chain, for what belongs to no conversation. Nothing has to be locked before."""
    for left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                chain = chain_of_account(user_id)
                return record(chain, actor=actor, kind=kind, subject=subject, payload=payload)
        except IntegrityError:  # another writer took the number at this moment
            if not left:
                raise
    raise AssertionError("unreachable")


def chain_of_account(user_id: int) -> UUID:
    """The name of an account's chain: no conversation has it, and it is still found when the account is erased."""
    return uuid.uuid5(ACCOUNTS, str(user_id))


def sealed(entry: AuditEntry) -> str:
    """What the entry's digest is made of: its own fields and its predecessor's digest."""
    parts = (entry.sequence, entry.actor, entry.kind, entry.subject, entry.payload_digest, entry.previous)
    return schema.digest(str(entry.conversation_id), *parts, entry.at.isoformat())


def count(chains: Iterable[UUID]) -> int:
    """How many rows the chains have together."""
    return AuditEntry.objects.filter(conversation_id__in=list(chains)).count()
