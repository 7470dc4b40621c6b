"""A conversation on a terminal: what the log of the conversation tells, as lines, while a run is at work."""

import threading
from collections.abc import Iterator
from typing import Any

from django.db import connections

from agent import actions, live, selectors
from agent.errors import NotFound
from agent.models import AgentRun, Conversation, Event, Message
from agent.runs import inline, loop, start
from agent.runs.leases import Lease
from agent.untrusted import clean_text

LOOK_SECONDS = 0.1
PAGE = 100  # events at a look
LINE_CHARS = 4_000


class Talk:
    """One customer's conversation. It is made with the first question."""

    def __init__(self, user: Any) -> None:
        self.user = user
        self.conversation: Conversation | None = None
        self._shown = 0  # the number of the last event that was told

    def ask(self, question: str) -> Iterator[str]:
        """The lines of the answer, each as soon as it is so. Raises BadQuestion and TooMuch before the first.

        Ctrl-C asks the run to stop; what it then says still comes.
        """
        run, lease = inline.begin(question, user=self.user, conversation=self.conversation)
        self.conversation = run.conversation
        at_work = threading.Thread(target=_carry_out, args=(lease,), daemon=True)
        at_work.start()
        while True:
            try:
                at_work.join(LOOK_SECONDS)
                is_over = not at_work.is_alive()  # looked at first: what came before it is told below
                yield from self.news()
                if is_over:
                    return
            except KeyboardInterrupt:
                start.request_stop(AgentRun.objects.get(pk=run.pk), by=self.user)
                yield "  Stopping ..."

    def news(self) -> Iterator[str]:
        """What was not told yet, such as a decision on a page meanwhile."""
        while self.conversation and (events := live.events_after(self.conversation, self._shown, most=PAGE)):
            for event in events:
                self._shown = event.seq
                yield from self._lines(event)

    def _lines(self, event: Event) -> Iterator[str]:
        data = event.data
        match event.kind:
            case "message" if data["author"] != Message.Author.CUSTOMER:
                yield f"\n{_safe(data['text'])}\n\n"
            case "step":
                yield f"  {_step(data)}"
            case "action":
                yield from self._action(data["action"])
            case "handoff":
                yield f"  A person has your request. Your number is T-{data['number']}."
            case "run" if data.get("reference"):
                yield f"  The run ended: {data['state'].replace('_', ' ')}. Reference {data['reference']}."

    def _action(self, pk: str) -> Iterator[str]:
        try:
            action = selectors.action_of(self.user, pk)
        except NotFound:
            return
        yield f"  {_safe(action.summary)}: {action.get_state_display()}"
        if action.state == action.State.PENDING:
            yield "  Check and confirm it in a browser, signed in as this customer:"
            yield f"  {actions.address(action)}"


def _carry_out(lease: Lease) -> None:
    """The run, in a thread of its own with connections of its own."""
    try:
        loop.carry_out(lease)
    finally:
        connections.close_all()


def _step(data: dict[str, Any]) -> str:
    label, state = _safe(data["label"]), data["state"]
    if state == "started":
        return f"... {label}"
    took = f" ({data['milliseconds'] / 1000:.1f} s)" if data.get("milliseconds") is not None else ""
    return f"{'done' if state in ('ok', 'proposed') else 'did not work'}: {label}{took}"


def _safe(text: str) -> str:
    """Nothing in it moves the cursor, changes a colour or cannot be seen."""
    return clean_text(text, LINE_CHARS)
