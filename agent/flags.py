"""Live switches, in the admin, read at every call and again at confirmation. Absent means on."""

from typing import Any

from django.db import connection
from waffle import get_waffle_switch_model, switch_is_active

from agent.tools import registry

AGENT = "agent"
PROGRAMS = "agent.programs"
WRITES = "agent.writes"


def agent_is_on() -> bool:
    """Whether the assistant answers at all."""
    return switch_is_active(AGENT)


def agent_is_on_in_sql() -> str:
    """The same as a part of a statement: the run loop asks with its fence, which goes to the database anyway."""
    quote, switches = connection.ops.quote_name, get_waffle_switch_model()._meta.db_table
    return f"COALESCE((SELECT active FROM {quote(switches)} WHERE name = '{AGENT}'), TRUE)"  # noqa: S608 - names of ours


def programs_are_let_in() -> bool:
    """Whether other programs are served at all. What they proposed stays their customer's to decide."""
    return switch_is_active(PROGRAMS)


def tool_is_on(name: str, *, writes: bool) -> bool:
    """Whether this tool may run now; all that write have one more switch together."""
    return switch_is_active(f"tool.{name}") and (not writes or switch_is_active(WRITES))


def make_switches(**_: Any) -> None:
    """A row for every switch there is, for the admin to list. After each migrate; known ones stay as they are."""
    names = [AGENT, PROGRAMS, WRITES, *(f"tool.{name}" for name in registry.all_tools())]
    switches = get_waffle_switch_model()
    known = set(switches.objects.filter(name__in=names).values_list("name", flat=True))
    for name in names:
        if name not in known:
            switches.objects.create(name=name, active=True)
