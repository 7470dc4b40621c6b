"""An action in words, made from its facts alone: the same on the page, in the chat and in a mail."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from agent.models import PendingAction
from agent.tools import Description, registry


@dataclass(frozen=True)
class Shown:
    """What a page, a card or a mail says of an action."""

    title: str
    sentence: str
    lines: tuple[tuple[str, str], ...]
    warning: str
    decline: str


def address(action: PendingAction) -> str:
    """The absolute address of the confirmation page. It is no credential: only the owner, signed in, sees it."""
    return settings.PUBLIC_URL.rstrip("/") + reverse("agent:action", args=[action.pk])


def describe_action(action: PendingAction) -> str:
    """One human sentence from the stored facts, in the active language."""
    return show(action).sentence


def show(action: PendingAction, *, facts: dict[str, Any] | None = None) -> Shown:
    """The action in words, in the active language. A tool that is gone leaves the sentence that was first shown."""
    tool = registry.all_tools().get(action.tool)
    if tool is None or tool.describe is None:
        return Shown(title=action.summary, sentence=action.summary, lines=(), warning="", decline=_("Don't do this"))
    words: Description = tool.describe(action.facts if facts is None else facts)
    lines = tuple((str(label), str(value)) for label, value in words.lines)
    return Shown(words.title, words.sentence, lines, words.warning, words.decline or _("Don't do this"))
