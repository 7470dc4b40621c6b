"""The world in which nobody shall find what is another's: built once a module, undone with its last line."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.utils import translation

from agent.tools import Tool
from tests.scoping import world as worlds
from tests.scoping.calling import call

Working = tuple[str, dict[str, Any]]


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[worlds.World]:
    with django_db_blocker.unblock(), translation.override("en"), transaction.atomic():
        cache.clear()
        yield worlds.build()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def working(world: worlds.World) -> Callable[[Tool], Working]:
    """Whose call of a tool finds something, and with what: an example that works for somebody of the sample shop."""
    known: dict[str, Working] = {}

    def find(tool: Tool) -> Working:
        for example in tool.examples:
            for who, user in world.people.items():
                arguments = dict(example.arguments)
                if call(tool, arguments, who=user, conversation=world.conversation_of(who)).found:
                    return who, arguments
        if tool.available is not None and not tool.available():
            return next(iter(world.people)), dict(tool.examples[0].arguments)
        pytest.fail(f"no example of {tool.name} finds anything for anybody of the sample shop: give it one that does")

    def remembered(tool: Tool) -> Working:
        if tool.name not in known:
            known[tool.name] = find(tool)
        return known[tool.name]

    return remembered
