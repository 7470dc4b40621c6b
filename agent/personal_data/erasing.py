"""A person is forgotten: what was theirs goes, what the law keeps stays without a name, and a receipt says which.

Everything happens in one transaction. A dry run is the same transaction, taken back.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from django.db import models, transaction
from django.db.models import Q

from agent import accounts, actions, audit, events
from agent.errors import CannotErase
from agent.models import AgentRun, Conversation, LegalHold, OutgoingMail, PendingAction
from agent.personal_data import hooks, sign_ins
from agent.personal_data.reach import Rows, owned_by, pieces, rows_of

# Rows that hang on the account and are not deleted with it: their words are removed.
SCRUBBED = (LogEntry,)


@dataclass
class Receipt:
    """What went, and what stays and why. It names nobody: the account is a number."""

    account: int
    erased: dict[str, int] = field(default_factory=dict)  # rows by model, deleted or emptied
    kept: dict[str, tuple[int, str]] = field(default_factory=dict)  # rows by model, and the reason


def erase(user: Any, *, apply: bool) -> Receipt:
    """Erase the person, or only tell what would be. Raises CannotErase, and then nothing has changed.

    Their runs stop, what waits for them is declined, sessions, streams and tokens end with the commit.
    """
    with transaction.atomic():
        user = accounts.locked(user.pk)
        _hold_still(user)
        _refuse_what_is_open(user)
        receipt = _erased(user)
        transaction.set_rollback(not apply)
    return receipt


def _hold_still(user: Any) -> None:
    """Wait for whoever is at work on the person's rows; from here on nobody adds to them.

    In the order in which runs and decisions lock, so that none of them waits for this while this waits for it.
    """
    runs, conversations = AgentRun.objects.filter(user_id=user.pk), Conversation.objects.filter(user_id=user.pk)
    decisions = PendingAction.objects.filter(user_id=user.pk)
    for rows in (runs.filter(state=AgentRun.State.RUNNING), decisions, runs, conversations):
        list(rows.order_by("pk").select_for_update().values_list("pk", flat=True))


def _refuse_what_is_open(user: Any) -> None:
    against = [matter for part in hooks.parts() for matter in part.open_matters(user)]
    holds = LegalHold.objects.filter(user_id=user.pk, lifted_at=None)
    against += [f"There is a legal hold: {hold.reason}." for hold in holds]
    if unsettled := actions.unsettled_of(user):
        against.append(f"{unsettled} confirmed actions are still under way at a payment provider.")
    if against:
        raise CannotErase(" ".join(against))


def _erased(user: Any) -> Receipt:
    conversations = list(Conversation.objects.filter(user_id=user.pk).values_list("pk", flat=True))
    theirs = rows_of(user)
    erased: Counter[str] = Counter()
    erased["admin.LogEntry"] = _scrub_log(theirs)  # while its rows still say whom they are about
    declined = actions.decline_open(user)
    for part in hooks.parts():
        erased.update(part.erase(user))
    erased["agent.OutgoingMail"] += _delete_mails(user)
    erased["sessions.Session"] = sign_ins.end_all(user)
    erased.update(_delete_owned(user))
    erased["auth.User"] = sign_ins.forget(user)
    receipt = Receipt(user.pk, erased={label: count for label, count in sorted(erased.items()) if count})
    receipt.kept = _kept(rows_of(user), chains=[*conversations, audit.chain_of_account(user.pk)])
    record = {"erased": receipt.erased, "kept": receipt.kept, "declined": declined}
    audit.record_of_account(user.pk, actor="host", kind="person.erased", subject=f"user:{user.pk}", payload=record)
    transaction.on_commit(lambda: events.knock(conversations))
    return receipt


def _delete_mails(user: Any) -> int:
    """Those to the person that belong to no conversation; the others go with theirs."""
    mails = OutgoingMail.objects.filter(to__in=sign_ins.addresses(user), conversation=None)
    return mails.delete()[1].get("agent.OutgoingMail", 0)


def _delete_owned(user: Any) -> Counter[str]:
    """Every row that the database would delete with the account, and what hangs on it; nothing is named here."""
    gone: Counter[str] = Counter()
    for model, name in owned_by(get_user_model()):
        key: Any = model._meta.get_field(name)
        if key.remote_field.on_delete is models.CASCADE and model not in SCRUBBED:
            gone.update(model._base_manager.filter(**{name: user}).delete()[1])
    return gone


def _scrub_log(theirs: Rows) -> int:
    """The admin's log: what it says about their rows, or about what they did."""
    count = 0
    for model, keys in theirs.items():
        about = ContentType.objects.get_for_model(model)
        for some in pieces(keys):
            its = Q(content_type=about, object_id__in=[str(key) for key in some])
            who = Q(user__in=some) if model is get_user_model() else Q()
            count += LogEntry.objects.filter(its | who).update(object_repr="", change_message="")
    return count


def _kept(left: Rows, *, chains: list[Any]) -> dict[str, tuple[int, str]]:
    """What is still theirs by its keys, and the audit."""
    reasons = hooks.kept()
    kept = {model._meta.label: (len(keys), _reason(model._meta.label, reasons)) for model, keys in left.items()}
    audited = audit.count(chains)
    return dict(sorted({**kept, "agent.AuditEntry": (audited, reasons["agent.AuditEntry"])}.items()))


def _reason(label: str, reasons: dict[str, str]) -> str:
    of_fields = [f"{name.rpartition('.')[2]}: {why}" for name, why in reasons.items() if name.startswith(f"{label}.")]
    return "; ".join(filter(None, [reasons.get(label, ""), *of_fields])) or "hangs on what stays; holds no words"
