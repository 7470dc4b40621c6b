"""The style page: every piece in every state, for those who build and check the pages."""

from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agent.actions import Doubt, Shown
from agent.models import PendingAction
from agent.views.answers import for_reviewers

GROUNDS = (
    "paper", "surface", "sunken", "ink", "muted", "line", "hair", "accent", "positive", "warn", "danger",
)  # fmt: skip

# Not a proposal of anybody: what the pieces on the style page say.
SAMPLE = Shown(
    title="Refund €42.00",
    sentence="Refund €42.00 for order DZ-10423 to the card ending 4242",
    lines=(
        ("Order", "DZ-10423"),
        ("Items", "Linen shirt, blue, M"),
        ("Amount", "€42.00 (EUR)"),
        ("Goes to", "Card ending 4242"),
        ("Arrives", "Within 5 working days"),
    ),
    warning="A refund cannot be undone.",
    decline="Don't refund",
)
DOUBTS = {"Order": "record", "Amount": "neither"}
ANSWER = """Order **DZ-10423** was sent on 26 November with *Nordpost*.

- Linen shirt, blue, M
- Wool socks (3 pairs)

Follow it at [the carrier](https://nordpost.example/t/88) or ask me to [cancel it](/agent/)."""


@require_safe
@for_reviewers
def style(request: HttpRequest) -> HttpResponse:
    """Each piece of the chat, the document and the review, as it looks in each of its states."""
    now = timezone.now()
    context = {
        "grounds": GROUNDS,
        "event": {"created_at": now},
        "messages_shown": _messages(),
        "steps": _steps(),
        "run_states": [
            {"state": state, "reference": "7F3KQ2ZM"}
            for state in ("queued", "running", "stopped", "failed", "out_of_budget")
        ],
        "actions": [{"action": action, "shown": SAMPLE} for action in _actions(request.user)],
        "lines": [
            {"label": label, "value": value, "doubts": [Doubt(label, DOUBTS[label])] if label in DOUBTS else []}
            for label, value in SAMPLE.lines
        ],
        "doubts": [Doubt("", "neither")],
        "changed": _changed(),
        "states": [*PendingAction.State.choices, ("running", _("working")), ("done", _("answered"))],
        "minutes": 15,
        "handoff": {"number": 1001},
    }
    return render(request, "staff/style.html", context)


def _messages() -> list[dict[str, Any]]:
    return [
        {"author": "customer", "text": "Where is my order DZ-10423?\nI need it before Friday."},
        {"author": "agent", "text": ANSWER},
        {"author": "staff", "name": "Mara Voss", "text": "I have asked the carrier; you hear from me by noon."},
    ]


def _steps() -> list[dict[str, Any]]:
    label = _("Looking up order %(order_number)s") % {"order_number": "DZ-10423"}
    states = (("started", None), ("ok", 200), ("proposed", 340), ("refused", 80), ("error", 1200))
    return [{"state": state, "label": label, "milliseconds": took} for state, took in states]


def _actions(user: Any) -> list[PendingAction]:
    now = timezone.now()
    return [
        PendingAction(
            user=user,
            tool="refund_order",
            state=state,
            created_at=now - timedelta(minutes=3),
            expires_at=now + timedelta(minutes=12),
            decided_at=None if state in ("pending", "expired", "superseded") else now,
            summary=SAMPLE.sentence,
            digest="0" * 64,
            reason="This order was refunded in full already." if state == "failed" else "",
        )
        for state in PendingAction.State.values
    ]


def _changed() -> list[dict[str, Any]]:
    rows = (
        ("Order", "DZ-10423", "DZ-10423"),
        ("Amount", "€42.00", "€28.00"),
        ("Goes to", "Card ending 4242", "Card ending 4242"),
    )
    return [{"label": label, "before": before, "now": now, "changed": before != now} for label, before, now in rows]
