"""Is the record as it was written? Every row's digest, every chain without a gap, every anchored end still there."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from agent.audit import anchors, chain, keys
from agent.audit.holding import insert_only
from agent.models import AuditAnchor, AuditEntry

Head = tuple[int, str, int]  # sequence, digest, the number of its anchor


@dataclass(frozen=True)
class Finding:
    """The first thing wrong in a chain: `where` names the row, `what` says what is wrong with it."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def findings() -> Iterator[Finding]:
    """What is wrong, the first of each chain; nothing where the record is whole. Reads every row once."""
    for table in (AuditEntry, AuditAnchor):
        if not insert_only(table):
            yield Finding(table._meta.db_table, "rows can be changed: its triggers are gone; run the migrations")
    heads: dict[str, Head] = {}
    yield from _anchors(heads)
    rows = AuditEntry.objects.order_by("conversation_id", "sequence").iterator()
    for conversation_id, entries in groupby(rows, key=lambda entry: str(entry.conversation_id)):
        found = _first(conversation_id, entries, head=heads.pop(conversation_id, None))
        if found:
            yield found
    for conversation_id, (sequence, _digest, number) in sorted(heads.items()):
        where = _place(conversation_id, 1)
        yield Finding(where, f"missing, with its whole chain of {sequence} as anchor {number} has it")


def _anchors(heads: dict[str, Head]) -> Iterator[Finding]:
    """The chain of anchors. Fills in the newest head of each chain that they name."""
    previous = ""
    for number, anchor in enumerate(AuditAnchor.objects.order_by("number").iterator(), start=1):
        if anchor.number != number:
            yield Finding(f"anchor {number}", "missing")
            return
        if anchor.previous != previous:
            yield Finding(f"anchor {number}", "does not follow the one before it")
            return
        if not keys.is_signed(anchor.digest, anchors.sealed(anchor)):
            yield Finding(f"anchor {number}", "changed since it was written, or not written by this site")
            return
        heads |= {name: (sequence, digest, number) for name, (sequence, digest) in anchor.heads.items()}
        previous = anchor.digest


def _first(conversation_id: str, entries: Iterator[AuditEntry], *, head: Head | None) -> Finding | None:
    """The first thing wrong in one chain. Reads it to its end: the caller's iterator goes on behind it."""
    found: Finding | None = None
    previous, sequence, anchored = "", 0, ""
    for sequence, entry in enumerate(entries, start=1):
        found = found or _wrong(entry, sequence=sequence, previous=previous)
        previous = entry.digest
        if head and entry.sequence == head[0]:
            anchored = entry.digest
    if found or head is None or anchored == head[1]:
        return found
    if sequence < head[0]:
        return Finding(_place(conversation_id, sequence + 1), f"missing: anchor {head[2]} has row {head[0]}")
    return Finding(_place(conversation_id, head[0]), f"another row than anchor {head[2]} has")


def _wrong(entry: AuditEntry, *, sequence: int, previous: str) -> Finding | None:
    if entry.sequence != sequence:
        return Finding(_place(str(entry.conversation_id), sequence), "missing")
    where = f"{_place(str(entry.conversation_id), sequence)} (id {entry.pk})"
    if not keys.is_signed(entry.digest, chain.sealed(entry)):
        return Finding(where, "changed since it was written, or not written by this site")
    if entry.previous != previous:
        return Finding(where, "does not follow the row before it")
    return None


def _place(conversation_id: str, sequence: int) -> str:
    return f"conversation {conversation_id}, row {sequence}"
