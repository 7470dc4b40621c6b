"""What a model must not be able to do to its conversation."""

import pytest

from agent.models import AgentRun
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use


@pytest.mark.parametrize("name", ["look up", "x" * 129, "lookup\n", "подсмотреть", "$FUNCTION_NAME"])
def test_a_name_that_the_api_would_not_take_back_is_asked_for_again(name, customer):
    client = ScriptedClient([tool_use(name)], [text("Hello.")])
    run = run_agent_for_user("Hello", user=customer, client=client)
    assert (run.state, run.steps.count(), run.turns.count()) == (AgentRun.State.DONE, 0, 1)
