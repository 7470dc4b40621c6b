"""The chat page's material: the entries of a conversation, each run with its steps folded into it."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from agent import live, selectors
from agent.conf import setting
from agent.models import AgentRun, Conversation
from agent.views import shapes

LISTED = 20  # conversations in the rail
MESSAGES = 50  # shown at once; so many more with each "Show earlier"
MOST_MESSAGES = 2000
RUN_ID = slice(len("step-"), len("step-") + 36)  # where a step's key names its run


@dataclass
class Block:
    """One `<li>` of the log: an element, or the day on which the next ones began.

    A run's block also holds its steps, unfolded while it works.
    """

    key: str
    kind: str
    html: SafeString | str = ""
    day: date | None = None
    open: bool = False
    steps: list["Block"] = field(default_factory=list)


def page_of(
    user: Any, conversation: Conversation | None = None, *, messages: int = MESSAGES, **more: Any
) -> dict[str, Any]:
    """The context of the chat page with the last so many messages; without a conversation that of a new one."""
    context = {
        "conversation": conversation,
        "conversations": list(selectors.titles_of(user)[:LISTED]),
        "suggestions": suggestions() if conversation is None else [],
        "demonstration": (conversation.provider if conversation else setting("PROVIDER")) == "demo",
        **more,
    }
    if conversation is None:
        return context
    since, has_earlier = live.beginning_of(conversation, messages=messages)
    blocks = blocks_of(conversation, since=since)
    return context | {
        "open_run": selectors.open_run_of(conversation),
        "entries": with_days(blocks),
        "first_shown": blocks[0].key if blocks else "",
        "more_messages": messages + MESSAGES if has_earlier else 0,
        "messages_at_once": MESSAGES,
        "last_event": conversation.last_event,
        "events_url": shapes.events_url(conversation, after=conversation.last_event),
    }


def how_many(asked: str) -> int:
    """The number of messages that a page's address asks for; what is no such number asks for the usual."""
    return min(max(int(asked), MESSAGES), MOST_MESSAGES) if asked.isascii() and asked.isdigit() else MESSAGES


def with_days(blocks: list[Block]) -> list[Block]:
    """The day in front of the first element of each, but for a conversation that is of today alone."""
    dated: list[Block] = []
    before = timezone.localdate()
    for block in blocks:
        if block.day and block.day != before:
            before = block.day
            dated.append(Block(f"day-{before.isoformat()}", "day", day=before))
        dated.append(block)
    return dated


def blocks_of(conversation: Conversation, *, since: int = 0) -> list[Block]:
    """The conversation up to its last event as the row that was read has it; the stream goes on from there."""
    at_work = {str(pk) for pk in conversation.runs.filter(state__in=AgentRun.OPEN).values_list("pk", flat=True)}
    blocks: list[Block] = []
    runs: dict[str, Block] = {}
    for entry in live.transcript(conversation, since=since, upto=conversation.last_event):
        # The html comes from our own templates, which escaped whatever is not ours.
        day = timezone.localtime(entry.began).date()
        block = Block(entry.key, entry.kind, mark_safe(entry.html), day)  # noqa: S308
        if entry.kind == "step" and entry.key[RUN_ID] in runs:
            runs[entry.key[RUN_ID]].steps.append(block)
            continue
        if entry.kind == "run":
            run_id = entry.key.removeprefix("run-")
            runs[run_id] = block
            block.open = run_id in at_work
        blocks.append(block)
    return blocks


def suggestions() -> list[dict[str, str]]:
    """What a customer may begin with; the words go into the field, nothing is sent unread."""
    return [
        {"title": _("Track an order"), "text": _("Show me my orders.")},
        {"title": _("Cancel an order"), "text": _("I want to cancel order ")},
        {"title": _("Get money back"), "text": _("I want a refund for order ")},
        {"title": _("Ask about a product"), "text": _("What do you sell?")},
    ]
