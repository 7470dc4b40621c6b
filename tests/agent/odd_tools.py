"""Tools that no shop has, for tests of what the agent does with them."""

import uuid
from typing import Any

from django.contrib.auth.models import Group

from agent.tools import Description, tool
from agent.untrusted import page_to_untrusted_text


@tool
def explode(*, user: Any) -> dict[str, Any]:
    """Fail in the way that a tool with a bug fails, connection string and all."""
    raise RuntimeError("postgres://shop:hunter2@db/shop is away")


@tool(records=frozenset({"number"}))
def read_out(page: str, *, user: Any) -> dict[str, Any]:
    """Read a page of somebody's, which is given as it is written."""
    text = page_to_untrusted_text(page, "https://elsewhere.example")
    return {"text": text, "number": text, "title": page[:200]}


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


ENDS_BY: list[BaseException] = []  # what happens half way through the tool below


@tool(writes=True, plan=_same_facts, lock=_no_lock, describe=_words)
def leave_mark_and_break(*, user: Any) -> dict[str, Any]:
    """Leave a mark, and not come to the end of it."""
    Group.objects.create(name=str(uuid.uuid4()))
    if ENDS_BY:
        raise ENDS_BY[0]
    return {"status": "marked"}
