"""Who was shown or decided what, from where, in which words: a row of the audit, and the trace that it stands for."""

import ipaddress
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import get_language

from agent import audit
from agent.actions.showing import show, state_of
from agent.audit import keys
from agent.models import ActionTrace, Conversation, PendingAction
from agent.tools.schema import digest as digest_of

SHOWN = "action.shown"


@dataclass(frozen=True)
class Witness:
    """Who acts. A page knows more than the name: where from, and which text stood there in which language."""

    name: str  # user:<pk>, agent or host
    language: str = ""
    text_hash: str = ""
    address: str = ""
    agent: str = ""


HOST, AGENT = Witness("host"), Witness("agent")


def user_named(user: Any) -> str:
    """A user as the audit names them."""
    return f"user:{user.pk}"


def reader(action: PendingAction, *, user: Any, address: str, agent: str) -> Witness:
    """Who has the action before them now, in the active language."""
    words = digest_of(asdict(show(action)))
    return Witness(user_named(user), get_language() or "", words, address, agent[:200])


def note_shown(action: PendingAction, *, by: Witness) -> None:
    """Keep that what waits was shown: once for each digest and text. Decides nothing."""
    if state_of(action) != PendingAction.State.PENDING:
        return
    seen = ActionTrace.objects.filter(action=action, kind=SHOWN, digest=action.digest, text_hash=by.text_hash)
    if seen.exists():
        return
    try:
        with transaction.atomic():
            if action.run is not None:  # the row that keeps the chain's numbers apart
                Conversation.objects.select_for_update().get(pk=action.run.conversation_id)
            record(action, kind=SHOWN, by=by)
    except IntegrityError:  # another window at this moment
        return


def record(action: PendingAction, *, kind: str, by: Witness, conversation_id: UUID | None = None) -> None:
    """The audit's row, in its conversation's chain or its account's; after `events.append`, in its transaction.

    The conversation is that of its run, where no other is named: one that is proposed again is told where it was.
    What came from a page leaves a trace too, with which the row's digest can be made again.
    """
    trace = ActionTrace(
        action=action,
        kind=kind,
        digest=action.digest,
        language=by.language,
        text_hash=by.text_hash,
        network=network(by.address),
        address_digest=keys.signed(by.address) if by.address else "",
        agent=by.agent,
    )
    entry: dict[str, Any] = {
        "actor": by.name,
        "kind": kind,
        "subject": f"action:{action.pk}",
        "payload": payload(action, trace),
    }
    chain = conversation_id or (action.run.conversation_id if action.run else None)
    made = audit.record(chain, **entry) if chain else audit.record_of_account(action.user_id, **entry)
    if by.text_hash:
        trace.entry = made
        trace.save(force_insert=True)


def payload(action: PendingAction, trace: ActionTrace) -> dict[str, Any]:
    """What an entry's digest stands for. The action's digest binds tool, arguments and facts."""
    told = ("digest", "language", "text_hash", "network", "address_digest", "agent")
    came = {} if trace.kind == SHOWN else {"result": action.result, "reason": action.reason}
    return {**{name: getattr(trace, name) for name in told}, **came}


def network(address: str) -> str:
    """As much of an address as tells one place from another: 24 bits of IPv4, 48 of IPv6; empty for none."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    found = getattr(found, "ipv4_mapped", None) or found
    return str(ipaddress.ip_network(f"{found}/{24 if found.version == 4 else 48}", strict=False))
