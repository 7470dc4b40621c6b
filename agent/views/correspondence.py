"""The chat page's material: the entries of a conversation, each run with its steps folded into it."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from agent import live, selectors
from agent.conf import setting
from agent.models import AgentRun, Conversation
from agent.views import shapes

LISTED = 20  # conversations in the rail
RUN_ID = slice(len("step-"), len("step-") + 36)  # where a step's key names its run


@dataclass
class Block:
    """One `<li>` of the log. A run's block also holds its steps, unfolded while it works."""

    key: str
    kind: str
    html: SafeString
    open: bool = False
    steps: list["Block"] = field(default_factory=list)


def page_of(user: Any, conversation: Conversation | None = None, **more: Any) -> dict[str, Any]:
    """The context of the chat page; without a conversation that of a new one."""
    context = {
        "conversation": conversation,
        "conversations": list(selectors.conversations_of(user)[:LISTED]),
        "suggestions": suggestions() if conversation is None else [],
        "demonstration": (conversation.provider if conversation else setting("PROVIDER")) == "demo",
        **more,
    }
    if conversation is None:
        return context
    open_run = selectors.open_run_of(conversation)
    return context | {
        "open_run": open_run,
        "entries": blocks_of(conversation),
        "last_event": conversation.last_event,
        "events_url": shapes.events_url(conversation, after=conversation.last_event),
    }


def blocks_of(conversation: Conversation) -> list[Block]:
    """The conversation up to its last event as the row that was read has it; the stream goes on from there."""
    at_work = {str(pk) for pk in conversation.runs.filter(state__in=AgentRun.OPEN).values_list("pk", flat=True)}
    blocks: list[Block] = []
    runs: dict[str, Block] = {}
    for entry in live.transcript(conversation, upto=conversation.last_event):
        # The html comes from our own templates, which escaped whatever is not ours.
        block = Block(entry.key, entry.kind, mark_safe(entry.html))  # noqa: S308
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
