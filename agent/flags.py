"""Live switches, in the admin, read at every call and again at confirmation. Absent means on."""

from waffle import switch_is_active

AGENT = "agent"
WRITES = "agent.writes"


def agent_is_on() -> bool:
    """Whether the assistant answers at all."""
    return switch_is_active(AGENT)


def tool_is_on(name: str, *, writes: bool) -> bool:
    """Whether this tool may run now; all that write have one more switch together."""
    return switch_is_active(f"tool.{name}") and (not writes or switch_is_active(WRITES))
