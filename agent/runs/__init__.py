"""A run, from its claim to its end. `run_agent_for_user` is the whole of it in one call."""

from agent.runs.inline import run_agent_for_user

__all__ = ["run_agent_for_user"]
