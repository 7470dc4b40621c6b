"""Minor units in, words out, and nothing lost between."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.errors import BadAmount
from billing.money import parse, plain, shown


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [("42.00", "EUR", 4200), ("42", "EUR", 4200), ("0.05", "EUR", 5), ("1.5", "EUR", 150), ("42", "JPY", 42)],
)
def test_parse_is_exact(text, currency, minor):
    assert parse(text, currency=currency) == minor


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1.00",
        "+1",
        "1.234",
        "1,00",
        "1e3",
        "NaN",
        "Infinity",
        "1_0.00",
        " 10.00",
        "10.00\n",
        "１０.00",
        "١٠",
        "007",
    ],
)
def test_parse_refuses_what_is_no_plain_amount(text):
    with pytest.raises(BadAmount):
        parse(text, currency="EUR")


def test_parse_refuses_places_that_the_currency_does_not_have():
    with pytest.raises(BadAmount):
        parse("42.00", currency="JPY")


@given(st.integers(min_value=0, max_value=10**12 - 1), st.sampled_from(["EUR", "JPY", "KWD"]))
def test_plain_and_parse_undo_each_other(minor, currency):
    assert parse(plain(minor, currency=currency).split()[0], currency=currency) == minor


def test_shown_speaks_the_language():
    assert shown(4200, currency="EUR", language="en") == "€42.00"
    assert shown(4200, currency="EUR", language="de") == "42,00\xa0€"
