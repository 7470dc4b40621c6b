"""An action in words, made from its facts alone: the same on the page, in the chat and in a mail."""

import logging
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from agent.models import PendingAction
from agent.tools import Description, registry

logger = logging.getLogger(__name__)


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
    """The action in words, in the active language.

    A tool that is gone, or that no longer knows these facts, leaves the sentence that was first shown.
    """
    words = _words(action, action.facts if facts is None else facts)
    if words is None:
        return Shown(title=action.summary, sentence=action.summary, lines=(), warning="", decline=_("Don't do this"))
    lines = tuple((str(label), str(value)) for label, value in words.lines)
    return Shown(words.title, words.sentence, lines, words.warning, words.decline or _("Don't do this"))


def _words(action: PendingAction, facts: dict[str, Any]) -> Description | None:
    tool = registry.all_tools().get(action.tool)
    if tool is None or tool.describe is None:
        return None
    try:
        return tool.describe(facts)
    except Exception:  # an old row must not take down every list that it stands in
        logger.exception("an action cannot be described", extra={"action": str(action.pk), "tool": action.tool})
        return None
