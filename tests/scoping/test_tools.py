"""SECURITY 7 and 41: whatever a model names, nothing of another customer's is found, nor told that it is there.

Made from the registry: a new tool is called here without being named.
"""

import functools
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import hypothesis
import pytest
from django.db import transaction
from hypothesis import strategies as st

from agent import rowsecurity
from agent.tools import Tool, registry
from tests.scoping import generating, leaky_tools
from tests.scoping import world as worlds
from tests.scoping.calling import Outcome, call
from tests.scoping.world import World

pytestmark = pytest.mark.django_db

EACH_TOOL = pytest.mark.parametrize("name", sorted(registry.all_tools()))

TABLE = re.compile(r'(?:FROM|JOIN) "?([a-z_]+)"?')

Calls = list[dict[str, Any]]
Find = Callable[[Tool], tuple[str, dict[str, Any]]]


def as_(world: World, who: str, tool: Tool, arguments: dict[str, Any]) -> Outcome:
    return call(tool, arguments, who=world.people[who], conversation=world.conversation_of(who))


def played(world: World, who: str, tool: Tool, calls: Calls) -> list[Outcome]:
    return [as_(world, who, tool, arguments) for arguments in calls]


def without(world: World, other: str, play: Callable[[], list[Outcome]]) -> list[Outcome]:
    """What is played in a world in which the other never was."""
    with transaction.atomic():
        worlds.remove(world.rows[other])
        outcomes = play()
        transaction.set_rollback(True)
    return outcomes


def assert_nothing_is_told(world: World, who: str, other: str, tool: Tool, calls: Calls) -> None:
    """The same words, data and statements as if the other were nobody, and none of the other's texts unless given."""
    here = played(world, who, tool, calls)
    alone = without(world, other, lambda: played(world, who, tool, calls))
    theirs = world.marks[other]
    for arguments, outcome, of_nobody in zip(calls, here, alone, strict=True):
        assert (outcome.told, outcome.statements) == (of_nobody.told, of_nobody.statements), arguments
        given = generating.as_seen(arguments)
        told = {mark for mark in theirs if mark in outcome.told and mark not in given}
        assert told == set(), arguments


def naming(world: World, tool: Tool, arguments: dict[str, Any], other: str, *, unlike: str) -> Iterator[dict[str, Any]]:
    """The call with every identifier of the other's in every place that takes it."""
    theirs = worlds.identifiers(world, other, unlike=unlike)
    for path, kind in generating.places(tool):
        for value in theirs:
            made = generating.placed(arguments, path, value)
            if type(value) is kind and generating.fits(tool, made):
                yield made


@EACH_TOOL
def test_every_identifier_of_anothers_in_every_place_finds_nothing(name: str, world: World, working: Find) -> None:
    tool = registry.all_tools()[name]
    who, arguments = working(tool)
    other = world.other_than(who)
    assert_nothing_is_told(world, who, other, tool, [arguments, *naming(world, tool, arguments, other, unlike=who)])


@EACH_TOOL
def test_mutated_identifiers_find_nothing(name: str, world: World, working: Find) -> None:
    """In one place or in several at once, as they are or in another spelling."""
    tool = registry.all_tools()[name]
    who, arguments = working(tool)
    other = world.other_than(who)
    texts = [value for value in worlds.identifiers(world, other, unlike=who) if isinstance(value, str)]
    spelled = st.sampled_from(texts).flatmap(lambda text: st.sampled_from([text, *generating.mutations(text)]))
    where = [path for path, kind in generating.places(tool) if kind is str]
    if not where:
        return

    def fill(values: dict[generating.Path, str]) -> dict[str, Any]:
        return functools.reduce(lambda made, each: generating.placed(made, *each), values.items(), arguments)

    drawn = st.dictionaries(st.sampled_from(where), spelled, min_size=1).map(fill)

    @hypothesis.settings(max_examples=6, database=None, derandomize=True, phases=[hypothesis.Phase.generate])
    @hypothesis.given(st.lists(drawn, min_size=10, max_size=20))
    def check(calls: Calls) -> None:
        assert_nothing_is_told(world, who, other, tool, calls)

    check()


@EACH_TOOL
def test_another_with_ones_own_working_call_finds_nothing(name: str, world: World, working: Find) -> None:
    """The very call that works for its owner, made by everybody else."""
    tool = registry.all_tools()[name]
    owner, arguments = working(tool)
    for who in world.people:
        if who != owner:
            assert_nothing_is_told(world, who, owner, tool, [arguments])


@EACH_TOOL
def test_every_table_that_a_tool_reads_says_whose_its_rows_are(name: str, world: World, working: Find) -> None:
    """On PostgreSQL each of these has a policy (test_row_security.py), and no other can be read."""
    tool = registry.all_tools()[name]
    if tool.writes and not tool.gated:
        return  # it acts at once, inside limits of its own
    who, arguments = working(tool)
    tables = set(TABLE.findall(" ".join(as_(world, who, tool, arguments).statements)))
    declared = {rows.table for rows in rowsecurity.declared()} | {"agent_helparticle_search"}  # SQLite's index of it
    assert tables - declared == set(), "name them in rows_of_customers of their AppConfig"
    assert tool.reads_rows or not tables, "it says that it reads no rows"


@EACH_TOOL
def test_result_holds_no_secret_of_ones_own_either(name: str, world: World, working: Find) -> None:
    """SECURITY 8: not even one's own password, hashed."""
    tool = registry.all_tools()[name]
    who, arguments = working(tool)
    told = as_(world, who, tool, arguments).told
    assert [part for part in world.people[who].password.split("$") if len(part) > 4 and part in told] == []


LEAKY = [leaky_tools.anyones_order, leaky_tools.order_that_is_not_yours, leaky_tools.slower_where_there_is_one]


@pytest.mark.parametrize("tool", [*LEAKY, leaky_tools.everybodys_addresses], ids=lambda tool: tool.name)
def test_tool_that_forgets_its_customer_is_noticed(tool: Tool, world: World) -> None:
    """What is above would fail: a tool that leaks by its words, by its refusals or by its queries is seen.

    Where the database narrows what a tool reads, there is nothing to be seen.
    """
    arguments = dict(tool.examples[0].arguments)
    with nullcontext() if rowsecurity.is_on() else pytest.raises(AssertionError):
        assert_nothing_is_told(world, "ben", "anna", tool, [arguments])
