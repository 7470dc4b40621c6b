"""The database goes away while a tool runs: that is no error of the tool, the next worker runs it again."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from agent.models import AgentRun
from agent.providers.anthropic import AnthropicProvider
from agent.runs import leases, loop, start
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import registry

pytestmark = pytest.mark.django_db(transaction=True)

State = AgentRun.State


@pytest.fixture(autouse=True)
def odd_tools(postgres: None) -> Iterator[None]:
    registry.load([*settings.AGENT["TOOL_MODULES"], "tests.faults.odd_tools"])
    yield
    registry.load()
    connection.close()


def worked_on(run: AgentRun, *turns: list[dict]) -> list[tuple[str, str]]:
    """What the run's steps are after one worker had it."""
    AgentRun.objects.filter(pk=run.pk).update(lease_until=timezone.now())
    lease = leases.claim(run.pk)
    assert lease is not None
    loop.carry_out(lease, provider=AnthropicProvider(client=ScriptedClient(list(turns)), stream=False))
    run.refresh_from_db()
    return list(run.steps.values_list("outcome", "result"))


def test_call_that_lost_the_database_is_run_again_by_the_next_worker(alice: User) -> None:
    run = start.accept(alice, "Look.")
    assert worked_on(run, [tool_use("look_while_it_restarts")]) == [("started", "")]
    assert (run.state, run.reference) == (State.RUNNING, "")
    assert worked_on(run, [text("One.")]) == [("ok", '{"orders": 1}')]
    assert (run.state, run.attempt) == (State.DONE, 2)
