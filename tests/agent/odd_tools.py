"""Tools that no shop has, for tests of what the agent does with them."""

import uuid
from typing import Any

from django.contrib.auth.models import Group

from agent.tools import Description, tool


@tool
def explode(*, user: Any) -> dict[str, Any]:
    """Fail in the way that a tool with a bug fails, connection string and all."""
    raise RuntimeError("postgres://shop:hunter2@db/shop is away")


def _same_facts(arguments: dict[str, Any], *, user: Any) -> dict[str, Any]:
    return {"leaves": "a mark"}


def _no_lock(arguments: dict[str, Any], *, user: Any) -> None:
    """Nothing to lock: only the gate itself keeps two confirmations apart."""


def _words(facts: dict[str, Any]) -> Description:
    return Description(title="Leave a mark", sentence="Leave a mark", lines=())


@tool(writes=True, plan=_same_facts, lock=_no_lock, describe=_words)
def leave_mark(*, user: Any) -> dict[str, Any]:
    """Leave one more mark, which no look at the facts would notice."""
    Group.objects.create(name=str(uuid.uuid4()))
    return {"status": "marked"}
