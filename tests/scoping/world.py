"""The sample shop with conversations in it, and whose is what: found by following the models, not by naming tables."""

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError, connection, models, transaction

from agent.models import Conversation
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from orders.models import Order
from orders.sample_shop import HELP_ARTICLES, load_sample_shop

LONGEST = 80  # characters of what may be an identifier
MARK = "zq"  # no word of the shop holds it
ORDER = re.compile(r"\bDZ-[0-9]{1,9}\b")
WORD = re.compile(rf"{MARK}[a-z0-9]+{MARK}")

Rows = dict[type[models.Model], set[Any]]


@dataclass(frozen=True)
class World:
    """By the user name: the people, their rows, and the words that stand in these and nowhere else."""

    people: dict[str, User]
    rows: dict[str, Rows] = field(repr=False)
    marks: dict[str, set[str]] = field(repr=False)

    def conversation_of(self, name: str) -> Conversation:
        return Conversation.objects.get(user=self.people[name])

    def other_than(self, name: str) -> str:
        """Whose data shall not be found: whoever has most of it."""
        return max((other for other in self.people if other != name), key=lambda other: _size(self.rows[other]))


def _size(rows: Rows) -> int:
    return sum(map(len, rows.values()))


def build() -> World:
    """Every customer of the sample shop has asked, has a proposal that waits, and a ticket. Texts are unmistakable."""
    load_sample_shop()
    call_command("load_help", HELP_ARTICLES, verbosity=0)
    people = {user.username: user for user in User.objects.filter(is_staff=False).order_by("pk")}
    for user in people.values():
        _talk(user)
    for user in people.values():
        _mark(rows_of(user))
    people = {user.username: user for user in User.objects.filter(is_staff=False).order_by("pk")}
    rows = {name: rows_of(user) for name, user in people.items()}
    return World(people, rows, {name: _words_in(rows[name]) for name in people})


def _talk(user: User) -> None:
    order = Order.objects.filter(customer=user).exclude(status="cancelled").first()
    assert order is not None
    client = ScriptedClient(
        [tool_use("order_status", order_number=order.number)],
        [tool_use("refund_order", order_number=order.number, amount="0.01")],
        [tool_use("hand_off", reason="complaint", summary=f"{MARK}summary{user.pk}{MARK} is angry")],
        [text(f"{MARK}answer{user.pk}{MARK} for you")],
    )
    run_agent_for_user(f"{MARK}prompt{user.pk}{MARK} where is it?", user=user, client=client)


def rows_of(user: User) -> Rows:
    """The keys of every row that belongs to the user: the rows that point at them, and those that point at these."""
    found: Rows = {User: {user.pk}}
    fresh: list[tuple[type[models.Model], set[Any]]] = [(User, {user.pk})]
    while fresh:
        model, keys = fresh.pop()
        for relation in model._meta.get_fields(include_hidden=True):
            if not isinstance(relation, models.ManyToOneRel):  # one to one is one of these
                continue
            pointing: Any = relation.related_model
            rows = pointing._base_manager.filter(**{f"{relation.field.name}__in": keys})
            new = set(rows.values_list("pk", flat=True)) - found.get(pointing, set())
            if new:
                found.setdefault(pointing, set()).update(new)
                fresh.append((pointing, new))
    return found


def _mark(rows: Rows) -> None:
    """Put a word of its own into every text of the shop's rows that is no name for something and no choice."""
    for model, keys in rows.items():
        fields = [each for each in model._meta.concrete_fields if _is_free_text(model, each)]
        for key in keys if fields else ():
            values = {each.name: f"{_value(model, key, each)} {_word(model, each, key)}" for each in fields}
            try:
                with transaction.atomic():
                    model._base_manager.filter(pk=key).update(**values)
            except (TypeError, DatabaseError):
                break  # rows that stay as they were written


def _words_in(rows: Rows) -> set[str]:
    return {value for value in values_of(rows) if isinstance(value, str) and WORD.fullmatch(value)}


def _value(model: type[models.Model], key: Any, each: Any) -> Any:
    return model._base_manager.values_list(each.attname, flat=True).get(pk=key)


def _word(model: type[models.Model], each: Any, key: Any) -> str:
    return f"{MARK}{model._meta.model_name}{each.name.replace('_', '')}{key}{MARK}"


def _is_free_text(model: type[models.Model], each: Any) -> bool:
    if model._meta.app_label == "agent" or each.choices or each.unique:
        return False  # what the agent keeps is made by the talk
    named = {name for rule in model._meta.constraints for name in getattr(rule, "fields", ())}
    kind = type(each) in (models.CharField, models.TextField)
    return kind and each.name not in named | {"username"} and (each.max_length or 200) >= 60


# What the rows hold ---------------------------------------------------------------------------------------------------


def values_of(rows: Rows) -> set[Any]:
    """Every value of the rows, texts within JSON too, amounts as they are shown."""
    found: set[Any] = set()
    for model, keys in rows.items():
        for row in model._base_manager.filter(pk__in=keys):
            for each in model._meta.concrete_fields:
                found.update(_leaves(getattr(row, each.attname)))
    return found


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from (*_leaves(key), *_leaves(item))
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, uuid.UUID):
        yield str(value)
    elif isinstance(value, str):
        yield value.strip()
        yield from (word for word in value.split() if MARK in word)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif value is not None and not isinstance(value, bool | date | datetime):
        yield str(value)


def identifiers(world: World, name: str, *, unlike: str) -> list[Any]:
    """Whatever of a person's values could name a row, and names none of the other person's."""
    mine = values_of(world.rows[name]) - values_of(world.rows[unlike])
    return sorted(filter(_could_name, mine), key=lambda value: (str(type(value)), value))


def _could_name(value: Any) -> bool:
    if not isinstance(value, str):
        return True
    return 0 < len(value) <= LONGEST and not (MARK in value and " " in value)  # its word is there alone too


def remove(rows: Rows) -> None:
    """Take the rows away, to be put back by a rollback. The database checks references at the end, which is not met."""
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        for model, keys in rows.items():
            column = model._meta.pk.column
            values = [model._meta.pk.get_db_prep_value(key, connection) for key in keys]
            places = ", ".join(["%s"] * len(values))
            cursor.execute(
                f"DELETE FROM {quote(model._meta.db_table)} WHERE {quote(column)} IN ({places})",
                values,
            )
