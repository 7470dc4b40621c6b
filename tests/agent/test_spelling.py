"""A value is found in what people write, in whatever way they write it, and is not found where it is not."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.actions.spelling import Text

AMOUNTS = st.decimals(min_value="0.01", max_value="999999.99", places=2).map(lambda value: f"{value:.2f}")
NUMBERS = st.from_regex(r"[A-Z]{2}-[0-9]{5}", fullmatch=True)
# Words of prose: no digits, and nothing that a value could be made of.
PROSE = st.text(alphabet="bcdfg \n,.!?-", max_size=60)


def english(amount: str) -> str:
    return f"{int(amount[:-3]):,}{amount[-3:]}"


def german(amount: str) -> str:
    return english(amount).translate(str.maketrans(",.", ".,"))


def wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


WAYS_OF_MONEY = {
    "plain": str, "english": english, "german": german, "wide": wide,
    "sign before": lambda amount: f"€{amount}", "sign after": lambda amount: f"{german(amount)} €",
    "code before": lambda amount: f"EUR{amount}", "code after": lambda amount: f"{amount}EUR",
    "word": lambda amount: f"{german(amount)} Euro", "bold": lambda amount: f"**{amount}**",
    "swiss": lambda amount: english(amount).replace(",", "'"),
    "spaced": lambda amount: german(amount).replace(".", "\u202f"), "at an end": lambda amount: f"{amount}.",
}  # fmt: skip
WAYS_OF_A_NUMBER = {
    "plain": str, "small": str.lower, "apart": lambda number: number.replace("-", " "),
    "together": lambda number: number.replace("-", ""), "wide": wide, "digits": lambda number: number[3:],
    "sign": lambda number: f"#{number}", "invisible": "\u200b".join,
    "bold": lambda number: f"**{number}**", "question": lambda number: f"({number})?",
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS_OF_MONEY)
@given(amount=AMOUNTS, before=PROSE, after=PROSE)
def test_an_amount_is_found_in_every_way_of_writing_it(way, amount, before, after):
    assert Text(f"{before} {WAYS_OF_MONEY[way](amount)} {after}").holds(amount)


@pytest.mark.parametrize("way", WAYS_OF_A_NUMBER)
@given(number=NUMBERS, before=PROSE, after=PROSE)
def test_an_order_number_is_found_in_every_way_of_writing_it(way, number, before, after):
    assert Text(f"{before} {WAYS_OF_A_NUMBER[way](number)} {after}").holds(number, loosely=True)


@given(value=st.one_of(AMOUNTS, NUMBERS), text=PROSE)
def test_prose_without_numbers_holds_no_value(value, text):
    assert not Text(text).holds(value, loosely=True)


@given(one=AMOUNTS, other=AMOUNTS)
def test_another_amount_is_not_found(one, other):
    assert Text(f"Please give me {german(other)} € back").holds(one) is (one == other)


@given(one=NUMBERS, other=NUMBERS)
def test_another_order_is_not_found(one, other):
    assert Text(f"It is about {other}, please").holds(one, loosely=True) is (one == other)


@given(text=st.text(max_size=300), value=st.one_of(st.text(max_size=40), st.integers(), st.booleans(), st.floats()))
def test_any_text_and_value_have_an_answer(text, value):
    assert Text(text).holds(value, loosely=True) in (True, False)


@given(value=st.text(min_size=1, max_size=40), before=PROSE, after=PROSE)
def test_free_text_is_found_where_it_was_written(value, before, after):
    is_wordless = not Text(value).words.strip()
    assert Text(f"{before} {value} {after}").holds(value) or is_wordless or Text(value).plain != value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("order DZ-42 please", "42.00"),  # the number of an order is no amount
        ("on 2026-11-42 at 42:30", "42.00"),
        ("#42", "42.00"),
        ("1234.50", "234.50"),
        ("W10423", "DZ-10423"),
        ("DZ-104230", "DZ-10423"),
        ("Lindenallee 201", "Lindenallee 20"),
        ("20 Lindenallee", "Lindenallee 20"),
        ("", "DZ-10423"),
        ("true", True),
    ],
)
def test_what_only_looks_alike_is_not_found(text, value):
    assert not Text(text).holds(value, loosely=True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.234 Euro", "1234.00"),
        ("12 500", "12.00"),
        ("42.-", "42.00"),
        ("٤٢ €", "42.00"),
        ("my card ending 4242", "credit_card_4242"),
        ("gift card gift_card_5107", "gift_card_5107"),
        ("Lindenallee 20, 10585 Berlin", "10585"),
        ("LINDENALLEE  20", "Lindenallee 20"),
        ("two of them: 2", 2),
    ],
)
def test_other_ways_are_found(text, value):
    assert Text(text).holds(value, loosely=True)


@pytest.mark.parametrize(
    ("text", "phrase", "is_said"),
    [
        ("I no longer needed it", "no longer need", True),
        ("Ich brauche es nicht mehr", "brauch nicht mehr", True),
        ("Brauche ich das? Nicht mehr lange!", "brauch nicht mehr", False),  # two sentences
        ("need it no longer", "no longer need", False),
        ("I don’t need it", "don't need", True),
        ("", "mistake", False),
        ("anything", "", False),
    ],
)
def test_a_choice_is_said_by_words_in_their_order(text, phrase, is_said):
    assert Text(text).says(phrase) is is_said


@pytest.mark.parametrize("piece", ["1", "1,", "1 111", "a1-", "€", "1 1.1,1'", "\u0661"])
def test_a_hostile_text_takes_no_time(piece):
    text = piece * (100_000 // len(piece))
    before = time.process_time()
    Text(text).holds("42.00")
    Text(text).holds("DZ-10423", loosely=True)
    Text(text).says("no longer need")
    assert time.process_time() - before < 1.5
