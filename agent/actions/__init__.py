"""The gate: propose, show, decide, execute, settle, expire. The only place from which a gated write is carried out.

The model proposes; the row holds what would be done. Its customer sees exactly that, and the confirmation
executes exactly that, once: the digest binds tool, arguments and facts, and the plan is made again under lock.
What a payment provider has to do is sent after that commit, and is done only when the provider says so.
"""

from agent.actions.cosigning import cosign
from agent.actions.deciding import CONFIRM, REJECT, Decision, decide
from agent.actions.expiring import expire_overdue, is_overdue
from agent.actions.proposing import plan, propose, renew
from agent.actions.settling import reconcile, reconcile_soon
from agent.actions.showing import Shown, address, describe_action, show
from agent.actions.telling import record_proposal

__all__ = [
    "CONFIRM",
    "REJECT",
    "Decision",
    "Shown",
    "address",
    "cosign",
    "decide",
    "describe_action",
    "expire_overdue",
    "is_overdue",
    "plan",
    "propose",
    "reconcile",
    "reconcile_soon",
    "record_proposal",
    "renew",
    "show",
]
