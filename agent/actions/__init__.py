"""The gate: propose, show, decide, execute, settle, expire. The only place from which a gated write is carried out.

The model proposes; the row holds what would be done. Its customer sees exactly that, and the confirmation
executes exactly that, once: the digest binds tool, arguments and facts, and the plan is made again under lock.
What a payment provider has to do is sent after that commit, and is done only when the provider says so.
"""

from agent.actions.closing import decline_open, unsettled_of
from agent.actions.cosigning import cosign
from agent.actions.deciding import CONFIRM, REJECT, Decision, asks_for_sign_in, decide
from agent.actions.expiring import expire_overdue, extend, longest_time, may_extend
from agent.actions.planning import plan
from agent.actions.proposing import propose, renew
from agent.actions.settling import reconcile, reconcile_soon
from agent.actions.showing import Shown, address, describe_action, is_overdue, program_of, show, state_of
from agent.actions.sources import Doubt, doubts
from agent.actions.telling import record_proposal
from agent.actions.witnessing import Witness, note_shown, reader

__all__ = [
    "CONFIRM",
    "REJECT",
    "Decision",
    "Doubt",
    "Shown",
    "Witness",
    "address",
    "asks_for_sign_in",
    "cosign",
    "decide",
    "decline_open",
    "describe_action",
    "doubts",
    "expire_overdue",
    "extend",
    "is_overdue",
    "longest_time",
    "may_extend",
    "note_shown",
    "plan",
    "program_of",
    "propose",
    "reader",
    "reconcile",
    "reconcile_soon",
    "record_proposal",
    "renew",
    "show",
    "state_of",
    "unsettled_of",
]
