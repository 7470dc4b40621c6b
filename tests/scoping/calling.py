"""A call as the host makes it: what comes back of it, and what the database was asked for it."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction

from agent import actions
from agent.errors import AgentError
from agent.models import Conversation
from agent.rowsecurity import only_rows_of
from agent.tools import Tool

SAVEPOINT = re.compile(r'"?\bs[0-9]+_x[0-9]+"?')
FENCE = re.compile(r"\b[0-9a-f]{16}\b")  # its random key
LIST = re.compile(r"\(%s(, %s)+\)")


@dataclass(frozen=True)
class Outcome:
    """Everything that a caller could notice: words, data, and the statements that took the time."""

    told: str
    statements: tuple[str, ...]
    found: bool  # neither refused nor empty-handed


@contextmanager
def statements() -> Iterator[list[str]]:
    """The SQL that is sent, without its values."""
    sent: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        sent.append(LIST.sub("(%s)", SAVEPOINT.sub("SAVEPOINT", sql)))
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield sent


def call(tool: Tool, arguments: dict[str, Any], *, who: User, conversation: Conversation) -> Outcome:
    """A read with its card, a plan with its words, or a write that needs no gate; whatever it wrote is undone."""
    with statements() as sent, transaction.atomic():
        try:
            told: Any = _told(tool, tool.parse(arguments), who=who, conversation=conversation)
            found = "error" not in told[0]
        except AgentError as error:
            told, found = f"{type(error).__name__}: {error}", False
        transaction.set_rollback(True)
    text = FENCE.sub("KEY", json.dumps(told, default=str, ensure_ascii=False))
    return Outcome(text, tuple(sent), found)


def _told(tool: Tool, arguments: dict[str, Any], *, who: User, conversation: Conversation) -> list[Any]:
    if tool.gated:
        facts = actions.plan(tool, arguments, user=who)
        assert tool.describe is not None
        about = tool.subject(arguments) if tool.subject else ""
        return [facts, tool.describe(facts), about, tool.amount(facts) if tool.amount else None]
    bound = tool.bound(user=who, account=who, conversation=conversation, run=None, request=None)
    if tool.writes:
        return [bound.call(arguments)]
    with only_rows_of(who) if tool.reads_rows else nullcontext():
        result = bound.call(arguments)
        return [result, tool.card(result, user=who) if tool.card else None]
