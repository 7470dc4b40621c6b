"""What counts as said: amounts in any way of writing them, words in any case, and nothing that only looks like it."""

import pytest

from agent.evals.mentions import is_mentioned


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("481.5", "It costs 481.50 USD."),
        ("481.50", '{"price": "481.5 USD"}'),
        ("1234", "in all 1,234.00"),
        ("$1,126.04", "1126.04"),
        ("17.99", "-17.99"),
        ("20 hours", "battery life: 20 Hours"),
        ("camera", "Digital Camera"),
    ],
)
def test_amount_or_words_are_found(wanted, text):
    assert is_mentioned(wanted, ["nothing", text])


@pytest.mark.parametrize(
    ("wanted", "text"), [("81.50", "481.50"), ("481", "481.50"), ("1.5", "21.5"), ("20 hours", "20"), ("camera", "")]
)
def test_what_only_looks_like_it_is_not(wanted, text):
    assert not is_mentioned(wanted, [text])
