"""SECURITY 35: one spelling of an order number, and no second one."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orders.errors import OrderNotFound
from orders.numbers import canonical


@pytest.fixture(autouse=True)
def _pattern(request):
    request.getfixturevalue("settings").ORDERS = {"NUMBER_PATTERN": r"DZ-[0-9]{5}|#W[0-9]{7}"}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("DZ-10423", "DZ-10423"),
        ("dz-10423", "DZ-10423"),
        ("dz 10423", "DZ-10423"),
        ("DZ10423", "DZ-10423"),
        (" DZ-10423\n", "DZ-10423"),
        ("ＤＺ－１０４２３", "DZ-10423"),
        ("#DZ-10423", "DZ-10423"),
        ("#W2611340", "#W2611340"),
        ("w2611340", "#W2611340"),
        ("#w2611340", "#W2611340"),
    ],
)
def test_canonical_knows_what_people_write(text, number):
    assert canonical(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "DZ-",
        "10423",
        "DZ-١٠٤٢٣",
        "DZ‐10423",
        "DZ-1042%",
        "DZ-1042_",
        "DZ-10423*",
        "\u202eDZ-10423",
        "DZ-\u200b10423",
        "DZ-10423\x00",
        "DZ-10423 OR 1=1",
        "DZ-10423\nDZ-10424",
        "DZ-104230",
        "' OR ''='",
        "D" * 100_000,
        "DZ-" + "1" * 100_000,
    ],
)
def test_canonical_refuses_everything_else(text):
    with pytest.raises(OrderNotFound, match=r"^no such order for this customer$"):
        canonical(text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60))
def test_canonical_is_its_own_canonical(text):
    try:
        number = canonical(text)
    except OrderNotFound:
        assert True
    else:
        assert canonical(number) == number
        assert number.isascii()


def test_canonical_is_quick_with_hostile_text():
    started = time.perf_counter()
    for text in ("A" * 100_000, "#" * 100_000, " " * 100_000, "A1" * 50_000, "ﷺ" * 100_000):
        with pytest.raises(OrderNotFound):
            canonical(text)
    assert time.perf_counter() - started < 0.5


def test_canonical_follows_the_shops_pattern(settings):
    settings.ORDERS = {"NUMBER_PATTERN": r"[0-9]{4}"}

    assert canonical(" 1042 ") == "1042"
    with pytest.raises(OrderNotFound):
        canonical("DZ-10423")
