"""Sums for the model: exact, and nothing but sums."""

from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.arithmetic import calculate


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("0.1 + 0.2", "0.3"),
        ("-5 + 3", "-2"),
        ("10 / 4", "2.5"),
        ("2 - -2", "4"),
        ("63.20 - 51.00", "12.20"),
    ],
)
def test_calculate_is_exact(expression, value):
    assert calculate(expression) == Decimal(value)


NO_SUMS = ["", " ", "1 +", "1 1", "(1", "1)", "1 / 0", "0 / 0", "2 ** 3", "1e5", "x", "1,5", "٣ + 1"]
HOSTILE = ["__import__('os')", "(" * 500 + "1" + ")" * 500, "-" * 500 + "1", "9" * 200]


@pytest.mark.parametrize("expression", NO_SUMS + HOSTILE)
def test_calculate_refuses_what_is_no_sum(expression):
    with pytest.raises(ValueError, match=r".+"):
        calculate(expression)


@given(st.text(alphabet="0123456789.+-*/() x٣", max_size=40))
def test_calculate_never_fails_otherwise(expression):
    with suppress(ValueError):
        assert calculate(expression).is_finite()
