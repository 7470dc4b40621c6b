"""The contract of a tool, and the rules that hold for every tool that is registered."""

from typing import Annotated, Any, Literal

import jsonschema
import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from agent import checks
from agent.tools import RESERVED_CONTEXT, Amount, Example, ToolArgumentError, registry, tool
from agent.tools.contract import Tool

TOOLS = sorted(registry.all_tools())


@tool(examples=[Example("Where is 12?", {"number": "12", "amount": "3.00"})])
def look(
    number: Annotated[str, Field(pattern=r"^[0-9]+$", max_length=8)],
    amount: Amount,
    how: Literal["fast", "slow"] = "fast",
    *,
    user: Any,
) -> dict[str, Any]:
    """Look something up for the customer; only a test does."""
    return {"number": number, "amount": amount, "how": how, "user": user}


def test_schema_is_closed_and_hides_the_context():
    assert look.schema["additionalProperties"] is False
    assert list(look.schema["properties"]) == ["number", "amount", "how"]
    assert look.schema["required"] == ["number", "amount"]


def test_bound_tool_receives_the_context_of_the_host():
    assert look.bound(user="alice").run(number="1", amount="2")["user"] == "alice"


def test_binding_leaves_the_original_unbound():
    look.bound(user="alice")
    assert look.context == {}


@pytest.mark.parametrize("name", sorted(RESERVED_CONTEXT))
@pytest.mark.parametrize("spelling", ["{}", "{} ", "{}\n"])
def test_context_from_a_model_is_refused_without_a_query(name, spelling, django_assert_num_queries, db):
    arguments = {"number": "1", "amount": "2", spelling.format(name): "bob"}
    with django_assert_num_queries(0), pytest.raises(ToolArgumentError):
        look.bound(user="alice").run(**arguments)


@pytest.mark.parametrize("amount", ["42", "42.5", "42.50", 42, 42.5])
def test_amount_arrives_with_two_places(amount):
    assert look.bound(user=None).run(number="1", amount=amount)["amount"] in ("42.00", "42.50")


NO_TEXT = ["0", "-1.00", "NaN", "sNaN", "1E+5", "10,00", "1.000", "1_0.00", "１０.00", "١٠", " 10.00", "10.00\n"]
NO_NUMBER = [0, -1, 1.001, True, None, float("nan"), float("inf"), ["1"], {"a": 1}, "9" * 5000]


@pytest.mark.parametrize("amount", NO_TEXT + NO_NUMBER)
def test_amount_that_is_none_is_refused(amount):
    with pytest.raises(ToolArgumentError):
        look.bound(user=None).run(number="1", amount=amount)


@pytest.mark.parametrize("text", ["1\x00", "1\ud800", "1\x1b[0m", "1\n", "1\r", "٣"])
def test_text_that_a_database_or_a_log_would_choke_on_is_refused(text):
    with pytest.raises(ToolArgumentError):
        look.bound(user=None).run(number=text, amount="1")


def test_deep_and_long_arguments_are_refused():
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    for hostile in (deep, "x" * 30_000):
        with pytest.raises(ToolArgumentError):
            look.parse({"number": hostile, "amount": "1"})


def test_error_names_the_fields_and_never_the_value():
    with pytest.raises(ToolArgumentError) as error:
        look.parse({"number": "secret-value", "amount": "1"})
    assert "number" in str(error.value)
    assert "secret-value" not in str(error.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
near_values = st.sampled_from(["1", "22", "fast", "slow", "2.50", 3, 4.25])


@given(st.dictionaries(st.sampled_from(["number", "amount", "how", "user", "x"]), json_values | near_values))
def test_whatever_is_accepted_fits_the_published_schema(arguments):
    try:
        look.parse(arguments)
    except ToolArgumentError:
        return
    assert jsonschema.Draft202012Validator(look.schema).is_valid(arguments)


def test_gated_write_cannot_be_run_directly(db):
    gated = [each for each in registry.all_tools().values() if each.gated]
    assert gated
    for each in gated:
        with pytest.raises(ToolArgumentError, match="confirmation"):
            each.bound(user=None).run(**dict(each.examples[0].arguments))


@pytest.mark.parametrize("name", TOOLS)
def test_registered_tool_keeps_every_rule(name):
    assert checks.problems(registry.all_tools()[name]) == []


@pytest.mark.parametrize("name", TOOLS)
def test_registered_schema_is_valid_and_its_examples_fit(name):
    each = registry.all_tools()[name]
    jsonschema.Draft202012Validator.check_schema(each.schema)
    assert each.examples
    for example in each.examples:
        jsonschema.Draft202012Validator(each.schema).validate(dict(example.arguments))


@pytest.mark.parametrize("name", TOOLS)
def test_registered_tool_never_publishes_the_context(name):
    assert not RESERVED_CONTEXT & registry.all_tools()[name].schema["properties"].keys()


def broken(**changes: Any) -> Tool:
    from dataclasses import replace

    return replace(look, **changes)


@pytest.mark.parametrize(
    ("changes", "number"),
    [
        ({"name": "Look up"}, "agent.E003"),
        ({"description": ""}, "agent.E004"),
        ({"needs": frozenset()}, "agent.E005"),
        ({"writes": True, "gated": True}, "agent.E007"),
        ({"examples": (Example("?", {"number": "x"}),)}, "agent.E008"),
    ],
)
def test_check_names_what_is_wrong_with_a_tool(changes, number):
    assert number in [problem.id for problem in checks.problems(broken(**changes))]


def test_check_refuses_a_loose_schema():
    @tool
    def loose(anything: dict[str, Any], *, user: Any) -> dict[str, Any]:
        """Take anything at all, which nobody can check."""
        return {}

    assert "agent.E006" in [problem.id for problem in checks.problems(loose)]


@pytest.mark.parametrize("kind", [Any, object, list, list[Any], list[object]])
def test_check_refuses_an_argument_of_any_type(kind):
    def loose(anything: kind, *, user: Any) -> dict[str, Any]:
        """Take anything at all, which nobody can check."""
        return {}

    assert [problem.id for problem in checks.problems(tool(loose))] == ["agent.E006"]


def test_context_before_the_star_is_refused():
    with pytest.raises(TypeError):

        @tool
        def wrong(user: str) -> dict[str, Any]:
            """The model would choose its user."""
            return {}


@pytest.fixture
def registry_put_back():
    yield
    registry.load()


def test_broken_module_stops_a_start_with_debug_and_is_named(settings, registry_put_back):
    settings.DEBUG = True
    with pytest.raises(ImproperlyConfigured, match=r"no\.such\.module"):
        registry.load(["agent.own_tools", "no.such.module"])


def test_broken_module_is_left_out_without_debug(settings, registry_put_back):
    settings.DEBUG = False
    registry.load(["agent.own_tools", "no.such.module"])
    assert "calculate" in registry.all_tools()
    assert list(registry.broken_modules()) == ["no.such.module"]
    assert "agent.E001" in [problem.id for problem in checks.check_tools()]
