"""Everything of a person as JSON: every row that leads to their account, whatever application it is of."""

from collections.abc import Iterator
from typing import Any

from django.db import models

from agent.models import OutgoingMail
from agent.personal_data import sign_ins
from agent.personal_data.reach import Rows, pieces, rows_of

# What lets somebody in is no information about its person.
SECRET = frozenset({"password", "token_hash", "session_key", "key", "secret", "token", "hash"})
SECRET_FIELDS = frozenset({"mfa.Authenticator.data"})
# The shop's own, frozen on a row of theirs.
NOT_THEIRS = frozenset({"agent.Conversation.system_prompt", "agent.Conversation.tools"})


def export(user: Any) -> dict[str, list[dict[str, Any]]]:
    """By model ("orders.Order"), each row with its fields. Mails that belong to no conversation are among them."""
    theirs: Rows = rows_of(user)
    mails = OutgoingMail.objects.filter(to__in=sign_ins.addresses(user)).values_list("pk", flat=True)
    theirs.setdefault(OutgoingMail, set()).update(mails)
    found = {model._meta.label: list(_rows(model, keys)) for model, keys in theirs.items()}
    return {label: rows for label, rows in sorted(found.items()) if rows}


def _rows(model: type[models.Model], keys: set[Any]) -> Iterator[dict[str, Any]]:
    names = [field.attname for field in model._meta.concrete_fields if not is_withheld(field)]
    for some in pieces(keys):
        yield from model._base_manager.filter(pk__in=some).order_by("pk").values(*names)


def is_withheld(field: Any) -> bool:
    """Whether the column stays out of an export."""
    label = f"{field.model._meta.label}.{field.name}"
    return field.name in SECRET or label in SECRET_FIELDS | NOT_THEIRS
