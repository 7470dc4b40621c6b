"""Which rows are a person's: all that lead to their account by foreign keys, in every application.

A key that is emptied when its person goes (SET_NULL) says who did something to a row, not whose it is.
"""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth import get_user_model
from django.db import models

Rows = dict[type[models.Model], set[Any]]

ONLY_NAMED = (models.SET_NULL, models.SET_DEFAULT)
AT_A_TIME = 500  # keys in one query


def rows_of(user: Any) -> Rows:
    """The primary keys of the person's rows by model, the account among them."""
    found: Rows = {get_user_model(): {user.pk}}
    waiting: list[tuple[type[models.Model], set[Any]]] = [(get_user_model(), {user.pk})]
    while waiting:
        model, keys = waiting.pop()
        for child, field in owned_by(model):
            new = _pointing(child, field, keys) - found.get(child, set())
            if new:
                found.setdefault(child, set()).update(new)
                waiting.append((child, new))
    return found


def owned_by(model: type[models.Model]) -> Iterator[tuple[type[models.Model], str]]:
    """The models whose rows belong to a row of this one, each with its field."""
    # Also where nothing leads back from here (related_name="+"): Django leaves those out of `related_objects`.
    for relation in model._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ManyToOneRel) and relation.on_delete not in ONLY_NAMED:
            yield relation.related_model, relation.field.name


def pieces(keys: set[Any]) -> Iterator[list[Any]]:
    """The keys in portions that every database takes."""
    ordered = sorted(keys, key=str)
    for start in range(0, len(ordered), AT_A_TIME):
        yield ordered[start : start + AT_A_TIME]


def _pointing(child: type[models.Model], field: str, keys: set[Any]) -> set[Any]:
    rows = child._base_manager
    return {pk for some in pieces(keys) for pk in rows.filter(**{f"{field}__in": some}).values_list("pk", flat=True)}
