"""What the other applications say of their part: settings.AGENT["PERSONAL_DATA"] names one module of each.

A module has `KEPT`, the models and fields that stay when their person goes, each with its reason; `erase(user)`, which
takes everything else of its application away and returns how many rows of each model it changed or deleted; and
`open_matters(user)`, sentences on what has to come to its end first.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from agent.conf import setting

# Of the applications that bring no module of their own.
KEPT: dict[str, str] = {
    "admin.LogEntry": "who changed what in the admin; the words on it are removed",
    "admin.LogEntry.object_id": "the number of the row",
    "agent.AuditAnchor": "digests alone: the proof that the audit is whole",
    "agent.AuditEntry": "the audit: keyed digests and numbers of rows, no words and no names",
    "agent.Duty": "names of recurring work",
    "agent.HelpArticle": "the shop's own texts",
    "auth.Group": "names of roles",
    "auth.Permission": "names of rights",
    "auth.User": "the number that orders and books hang on; name, address and sign-in are removed",
    "contenttypes.ContentType": "names of tables",
    "django_eventstream.Event": "not used here: what is shown live are rows of the agent",
    "django_eventstream.EventCounter": "not used here",
    "waffle.Flag": "switches of the site",
    "waffle.Sample": "switches of the site",
    "waffle.Switch": "switches of the site",
}


class Part(Protocol):
    """One application's module."""

    KEPT: Mapping[str, str]

    def erase(self, user: Any) -> Mapping[str, int]: ...

    def open_matters(self, user: Any) -> list[str]: ...


def parts() -> list[Part]:
    """The modules, in the order of the setting. Raises ImportError."""
    return [import_module(name) for name in setting("PERSONAL_DATA")]


def kept() -> dict[str, str]:
    """Every model ("app.Model") and field ("app.Model.field") that stays, with the reason."""
    reasons = dict(KEPT)
    for part in parts():
        reasons |= part.KEPT
    return reasons
