"""A conversation from its first message to its last decision, with a script in the model's place."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agent.conf import setting
from agent.evals.customer import Customer
from agent.evals.script import Call, Script
from agent.models import AgentRun, AgentStep, Conversation, PendingAction
from agent.providers.anthropic import AnthropicProvider
from agent.runs import leases, loop

Decide = Callable[[Customer, PendingAction], Any]

Outcome = AgentStep.Outcome


@dataclass(frozen=True)
class Played:
    """What a call came to, after its customer's decision where it was a proposal."""

    call: Call
    outcome: str
    result: dict[str, Any]  # what the model was given
    action: PendingAction | None = None

    @property
    def refusal(self) -> str | None:
        """Why it was not done, in the words that the model or the customer was given; None where it was done."""
        if self.action is None:
            return self.result.get("error")
        if self.action.state == PendingAction.State.EXECUTED:
            return None
        return self.action.reason or f"the proposal is {self.action.get_state_display()}"

    @property
    def is_broken(self) -> bool:
        """It ended in a bug of ours, which is neither a result nor a refusal with a reason."""
        return self.outcome in (Outcome.ERROR, Outcome.STARTED)

    @property
    def texts(self) -> list[str]:
        """Everything that the tools answered, as JSON text."""
        effect = self.action.result if self.action else None
        return [json.dumps(each, ensure_ascii=False) for each in (self.result, effect) if each is not None]


class Play:
    """One customer, one conversation; each proposal is decided before the next call is made.

    What is asked for goes through the site's pages, the queued runs are worked on here, by the loop that a worker
    runs. `decide` is the customer's habit: to confirm, where nothing else is said.
    """

    def __init__(self, user: Any, *, decide: Decide = Customer.confirm) -> None:
        self.customer = Customer(user)
        self.conversation: Conversation | None = None
        self._decide = decide

    def perform(self, calls: Sequence[Call], *, says: str) -> list[Played]:
        """The customer says something, and the model makes these calls. Returns what became of each that was made.

        A call is missing from the answer where the conversation ended before it: the run failed, or a proposal
        stayed open.
        """
        script = Script(calls)
        run = self.customer.ask(says, conversation=self.conversation)
        self.conversation, first = run.conversation, run.number
        next_run: AgentRun | None = run
        while next_run is not None:
            self._work(next_run, script)
            for action in next_run.actions.filter(state=PendingAction.State.PENDING):
                self._decide(self.customer, action)
            next_run = self.conversation.runs.filter(state=AgentRun.State.QUEUED).first()
        return self._played(calls, since=first)

    def _work(self, run: AgentRun, script: Script) -> None:
        """What a worker does with a run that it was sent; without a heartbeat, so the lease is a long one."""
        lease = leases.claim(run.pk, seconds=setting("RUN_SECONDS") + setting("LEASE_SECONDS"))
        if lease is None:
            raise RuntimeError("somebody else took a run of this play")
        loop.carry_out(lease, provider=AnthropicProvider(client=script, stream=False))
        if AgentRun.objects.filter(pk=run.pk, state__in=AgentRun.OPEN).exists():
            raise RuntimeError("a run of this play did not end; the log says why")

    def _played(self, calls: Sequence[Call], *, since: int) -> list[Played]:
        steps = AgentStep.objects.filter(run__conversation=self.conversation, run__number__gte=since)
        in_order = steps.select_related("action").order_by("run__number", "sequence")
        return [
            Played(call, step.outcome, json.loads(step.result or "{}"), step.action)
            for call, step in zip(calls, in_order, strict=False)
        ]
