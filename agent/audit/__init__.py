"""The record of who did or was shown what, and the proof that nobody has altered it since."""

from agent.audit.anchors import anchor_daily, anchor_now, anchor_soon
from agent.audit.chain import chain_of_account, count, record, record_of_account
from agent.audit.holding import grant, grant_after_migrations, insert_only
from agent.audit.refusals import refused
from agent.audit.verifying import Finding, findings

__all__ = [
    "Finding",
    "anchor_daily",
    "anchor_now",
    "anchor_soon",
    "chain_of_account",
    "count",
    "findings",
    "grant",
    "grant_after_migrations",
    "insert_only",
    "record",
    "record_of_account",
    "refused",
]
