"""What the weights of words are, and where they come from."""

import json

import pytest
from django.utils import translation

from agent.claims import claim_in
from agent.claims.reading import read
from agent.claims.weighing import FILE, features, unpacked, weigh
from agent.claims.words import in_its_place, with_nothing_changed
from tests.claims.teaching import taught


def test_weights_are_what_the_sentences_teach():
    """After sentences were added: `make claims`."""
    shipped, fresh = unpacked(json.loads(FILE.read_text())), unpacked(taught())
    assert shipped.bias == pytest.approx(fresh.bias, abs=0.01)
    assert shipped.step == pytest.approx(fresh.step, rel=0.01)
    assert max(abs(one - other) for one, other in zip(shipped.units, fresh.units, strict=True)) <= 1


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_the_host_says_is_no_claim(language):
    with translation.override(language):
        assert claim_in(in_its_place()) is None
        assert claim_in(with_nothing_changed("")) is None


def test_numbers_of_orders_and_sums_weigh_alike():
    one, other = (f"refund of {money} for {order}" for money, order in [("€12.50", "DZ-10423"), ("7 EUR", "DZ-9")])
    assert weigh(read(one)) == weigh(read(other.replace("DZ-9", "DZ-99881")))


def test_sentence_of_one_word_has_features():
    assert features("done")
    assert features("")
