"""A whole run in the caller's own thread: for tests, scripts and the terminal. The same loop, no queue."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from agent.conf import setting
from agent.errors import TooMuch
from agent.models import AgentRun, Conversation
from agent.providers.anthropic import AnthropicProvider
from agent.runs import leases, loop, start
from agent.runs.leases import Lease


def run_agent_for_user(prompt: str, *, user: Any, client: Any = None) -> AgentRun:
    """Ask as `user`, work until the run has ended, return it.

    Raises BadQuestion, and TooMuch while as many of the customer's runs are at work as may be; nothing is kept then.

    `client` is any object whose `messages.create(**kwargs)` returns content, stop_reason and usage, such as
    `agent.testing.ScriptedClient`; without it the configured provider answers.
    """
    run, lease = begin(prompt, user=user)
    loop.carry_out(lease, provider=AnthropicProvider(client=client, stream=False) if client else None)
    run.refresh_from_db()
    return run


def begin(prompt: str, *, user: Any, conversation: Conversation | None = None) -> tuple[AgentRun, Lease]:
    """Store the question and claim its run for this process, for `loop.carry_out`. Raises as the above does."""
    with transaction.atomic():  # claimed before a worker can see it
        run = start.accept(user, prompt, conversation=conversation)
        lease = leases.claim(run.pk, seconds=setting("RUN_SECONDS") + setting("LEASE_SECONDS"))
        if lease is None:
            raise TooMuch(_("Other questions of yours are being answered. Try again in a minute."), retry_after=60)
    return run, lease
