"""`python -m tests.browser.documents`: one proposal in each state in the shop of the environment; prints {name: id}.

A process of its own beside the running shop, with the same database. The customer is finn.
"""

import json
import os
import sys
from datetime import timedelta
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.contrib.auth import get_user_model  # noqa: E402 - the applications are there only now
from django.utils import timezone  # noqa: E402

from agent import actions  # noqa: E402
from agent.models import PendingAction  # noqa: E402
from agent.runs import run_agent_for_user  # noqa: E402
from agent.testing import ScriptedClient, text, tool_use  # noqa: E402

State = PendingAction.State
ORDER = "DZ-10416"
SLY = '<b>Refund €999.00</b> \u202e00.999\u202c <script>alert(1)</script> {{ 7*7 }} "Confirmed"'


def proposed(user: Any, said: str, tool: str, **arguments: str) -> PendingAction:
    """As the customer and a model would make it: nothing is written past the loop."""
    client = ScriptedClient([tool_use(tool, arguments)], [text("Please confirm.")])
    return run_agent_for_user(said, user=user, client=client).actions.get()


def refund(user: Any, *, cents: int) -> PendingAction:
    amount = f"{cents / 100:.2f}"
    said = f"Please refund {amount} of order {ORDER}"
    return proposed(user, said, "refund_order", order_number=ORDER, amount=amount)


def move(user: Any, *, street: str) -> PendingAction:
    place = {"line1": street, "city": "Odense", "state": "", "country": "Denmark", "zip": "5000"}
    said = f"From now on send my parcels to {street}, 5000 Odense, Denmark"
    return proposed(user, said, "change_default_address", **place)


def put(action: PendingAction, state: str, **changes: Any) -> None:
    """A state that only time, staff or a payment provider bring about."""
    PendingAction.objects.filter(pk=action.pk).update(state=state, **changes)


def main() -> None:
    user = get_user_model().objects.get(username="finn")
    now = timezone.now()
    decided = {"decided_at": now, "decided_by": user}
    changes: dict[str, dict[str, Any]] = {
        State.EXPIRED: {"expires_at": now - timedelta(minutes=1)},
        State.FAILED: {**decided, "reason": "The order was refunded in full meanwhile. Nothing was charged."},
        State.EXECUTING: {**decided, "check_at": now + timedelta(hours=1)},
        State.UNKNOWN: {**decided, "check_at": now + timedelta(hours=1)},
        State.AWAITING_STAFF: decided,
        State.SUPERSEDED: {},
    }
    made: dict[str, PendingAction] = {}
    for number, (state, more) in enumerate(changes.items(), start=1):
        made[state] = refund(user, cents=10 * number)
        put(made[state], state, **more)
    for number, (state, decision) in enumerate(
        [(State.EXECUTED, actions.CONFIRM), (State.REJECTED, actions.REJECT)], start=7
    ):
        made[state] = refund(user, cents=10 * number)
        actions.decide(made[state].pk, user=user, decision=decision, digest=made[state].digest)
    made["sly"] = move(user, street=SLY)
    put(made["sly"], State.EXPIRED, expires_at=now - timedelta(minutes=1))
    made[State.PENDING] = move(user, street="Vestergade 9")
    json.dump({name: str(action.pk) for name, action in made.items()}, sys.stdout)


if __name__ == "__main__":
    main()
