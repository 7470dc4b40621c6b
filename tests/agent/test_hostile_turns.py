"""What a model must not be able to do to its conversation."""

import pytest

from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use


@pytest.mark.parametrize("name", ["look up", "x" * 129, "lookup\n", "подсмотреть", "$FUNCTION_NAME"])
def test_a_name_that_no_tool_can_have_is_an_unknown_tool(name, customer):
    run = run_agent_for_user("Hello?", user=customer, client=ScriptedClient([tool_use(name)], [text("Hello.")]))
    assert (run.steps.get().outcome, run.state) == ("unknown_tool", "done")
