"""An action in words, made from its facts alone: the same on the page, in the chat and in a mail."""

import logging
import re
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from agent.models import PendingAction
from agent.tools import Description, registry
from agent.untrusted import visible_line

logger = logging.getLogger(__name__)

_QUOTES = re.compile(r"[\"'\u2018-\u201f\u00ab\u00bb\u2039\u203a\u300c-\u300f\uff02\uff07]")


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


def program_of(action: PendingAction) -> str:
    """The program that asked, by its own account and fit to stand between quotes; empty where it came from the chat."""
    if action.run is None or action.run.conversation.is_chat:
        return ""
    return visible_line(_QUOTES.sub("", action.run.conversation.client_name)) or "?"


def is_overdue(action: PendingAction) -> bool:
    """Open in the table, but past its time: it can no longer be confirmed."""
    return action.state == PendingAction.State.PENDING and action.expires_at <= timezone.now()


def state_of(action: PendingAction) -> PendingAction.State:
    """The state as it counts: what is past its time has expired, also before anything wrote that down."""
    return PendingAction.State.EXPIRED if is_overdue(action) else PendingAction.State(action.state)


def show(action: PendingAction, *, facts: dict[str, Any] | None = None) -> Shown:
    """The action in words, in the active language: one line each, without what nobody sees or what turns text round.

    A tool that is gone, or that no longer knows these facts, leaves the sentence that was first shown.
    """
    words = _words(action, action.facts if facts is None else facts)
    if words is None:
        words = Description(title=action.summary, sentence=action.summary, lines=())
    return Shown(
        title=visible_line(words.title),
        sentence=visible_line(words.sentence),
        lines=tuple((visible_line(str(label)), visible_line(str(value))) for label, value in words.lines),
        warning=visible_line(words.warning),
        decline=visible_line(words.decline) or _("Don't do this"),
    )


def _words(action: PendingAction, facts: dict[str, Any]) -> Description | None:
    tool = registry.all_tools().get(action.tool)
    if tool is None or tool.describe is None:
        return None
    try:
        return tool.describe(facts)
    except Exception:  # an old row must not take down every list that it stands in
        logger.exception("an action cannot be described", extra={"action": str(action.pk), "tool": action.tool})
        return None
