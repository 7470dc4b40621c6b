"""Tools as a colleague in a hurry writes them."""

from typing import Any

from django.contrib.auth.models import Group
from django.db import connection, transaction

from agent.tools import Card, Description, tool


class Wordless:
    """Cannot even be put into words."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def endless() -> dict[str, Any]:
    """A thing that holds itself."""
    found: dict[str, Any] = {}
    found["again"] = found
    return found


NO_JSON: dict[str, Any] = {
    "keys of tuples": {("DZ", 1): "sent"},
    "a thing that holds itself": endless(),
    "an object without words": {"order": Wordless()},
    "a number that is none": {"amount": float("nan")},
}
KINDS = sorted(NO_JSON)


@tool
def answer_without_json(kind: str, *, user: Any) -> dict[str, Any]:
    """Answer with something that no JSON can hold."""
    return NO_JSON[kind]


@tool
def answer_with_half_a_character(*, user: Any) -> dict[str, Any]:
    """Answer with text that no database takes."""
    return {"note": "a\ud800b"}


def _card_of_rows(result: dict[str, Any], *, user: Any) -> Card:
    return Card(template="agent/cards/help.html", context={"articles": [{"title": user}]})


@tool(card=_card_of_rows)
def show_a_row(*, user: Any) -> dict[str, Any]:
    """Show a card that holds a row instead of facts."""
    return {"status": "found"}


@tool(writes=True, gated=False)
def mark_without_json(*, user: Any) -> dict[str, Any]:
    """Leave a mark, and answer with something that no JSON can hold."""
    Group.objects.create(name="a mark")
    return {("a", "mark"): True}


@tool
def leave_transaction_open(*, user: Any) -> dict[str, Any]:
    """Begin a transaction and never end it."""
    transaction.atomic().__enter__()
    Group.objects.create(name="a mark")
    return {"status": "marked"}


@tool
def leave_transaction_broken(*, user: Any) -> dict[str, Any]:
    """Begin a transaction, break it and say nothing."""
    transaction.atomic().__enter__()
    transaction.set_rollback(True)
    raise ValueError("half way")


@tool(writes=True, gated=False)
def undo_in_silence(*, user: Any) -> dict[str, Any]:
    """Leave a mark, take it back, and say that it is there."""
    Group.objects.create(name="a mark")
    transaction.set_rollback(True)
    return {"status": "marked"}


def _same_facts(arguments: dict[str, Any], *, user: Any) -> dict[str, Any]:
    return {"leaves": "a mark"}


def _words(facts: dict[str, Any]) -> Description:
    return Description(title="Leave a mark", sentence="Leave a mark", lines=())


def _locks_and_forgets(arguments: dict[str, Any], *, user: Any) -> None:
    transaction.atomic().__enter__()
    Group.objects.create(name="from a lock")


def _no_lock(arguments: dict[str, Any], *, user: Any) -> None:
    """Nothing to lock."""


@tool(writes=True, plan=_same_facts, lock=_locks_and_forgets, describe=_words)
def mark_after_a_lost_lock(*, user: Any) -> dict[str, Any]:
    """Leave a mark, behind a lock that begins a transaction and never ends it."""
    Group.objects.create(name="a mark")
    return {"status": "marked"}


@tool(writes=True, plan=_same_facts, lock=_no_lock, describe=_words)
def mark_and_undo(*, user: Any) -> dict[str, Any]:
    """Leave a mark once it is confirmed, take it back, and say that it is there."""
    Group.objects.create(name="a mark")
    transaction.set_rollback(True)
    return {"status": "marked"}


BROKEN = {"plan": False}


def _sometimes(arguments: dict[str, Any], *, user: Any) -> dict[str, Any]:
    if BROKEN["plan"]:
        raise RuntimeError("postgres://shop:hunter2@db/shop is away")
    return {"leaves": "a mark"}


@tool(writes=True, plan=_sometimes, lock=_no_lock, describe=_words)
def mark_if_the_plan_lives(*, user: Any) -> dict[str, Any]:
    """Leave a mark, behind a plan that may break."""
    Group.objects.create(name="a mark")
    return {"status": "marked"}


@tool
def leave_autocommit_off(*, user: Any) -> dict[str, Any]:
    """Take the commits into its own hands and keep them there."""
    transaction.set_autocommit(False)
    Group.objects.create(name="a mark")
    return {"status": "marked"}


@tool
def begin_by_hand(*, user: Any) -> dict[str, Any]:
    """Begin a transaction that Django does not know of."""
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
    Group.objects.create(name="a mark")
    return {"status": "marked"}
