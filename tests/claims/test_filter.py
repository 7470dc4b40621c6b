"""The filter over text in pieces: what is shown, and when."""

import statistics
import time

import pytest

from agent.claims import Filter, Judge, claim_in
from agent.claims.facts import Facts
from agent.claims.filter import MOST_CHARS, MOST_SECONDS
from tests.claims.labelled import ALL, sentences

IN_ITS_PLACE = "I have no record that this was done."


def judge():
    return Judge(Facts)


def pieces_of(text, size):
    return [text[at : at + size] for at in range(0, len(text), size)]


def shown_while_adding(pieces, **options):
    """What could be seen after each piece."""
    heard, seen = Filter(judge(), **options), []
    for piece in pieces:
        heard.add(piece)
        seen.append(heard.shown)
    return seen


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize("name", ALL)
def test_no_claim_is_ever_seen_in_pieces_of_any_size(name, size):
    leaks = []
    for row in sentences(name, "false"):
        if judge().whole(row.text).unbacked:
            seen = shown_while_adding(pieces_of(f"Hello. {row.text}\n\nGoodbye to you. ", size))
            leaks += [(row.text, shown) for shown in seen if claim_in(shown.removeprefix("Hello. "))][:1]
            assert IN_ITS_PLACE in seen[-1]
    assert leaks == []


@pytest.mark.parametrize("size", [1, 5])
def test_first_word_of_what_we_say_we_did_is_never_seen(size):
    seen = shown_while_adding(pieces_of("Hello. I've cancelled your order. ", size))
    assert {shown for shown in seen if "ancel" in shown or "I'v" in shown} == set()


@pytest.mark.parametrize("name", ALL)
def test_harmless_text_comes_out_as_it_was(name):
    text = " ".join(row.text for row in sentences(name, "harmless")) + " "
    assert shown_while_adding(pieces_of(text, 3))[-1] == text


def test_sentence_without_a_sign_is_seen_word_by_word():
    words = ["Your ", "order ", "is ", "with ", "the ", "carrier "]
    assert shown_while_adding(words) == ["".join(words[: count + 1]) for count in range(len(words))]


def test_text_that_is_not_held_is_delayed_by_less_than_20_milliseconds():
    text = "Your order left the house on Monday and the carrier expects to be at your door by Friday noon. " * 40
    heard, delays, added = Filter(judge()), [], ""
    for word in text.split(" "):
        began = time.perf_counter()
        added += f"{word} "
        heard.add(f"{word} ")
        delays.append(time.perf_counter() - began)
        assert heard.shown == added
    assert statistics.quantiles(delays, n=20)[-1] < 0.02


def test_long_sentence_is_judged_at_400_characters():
    heard = Filter(judge())
    heard.add("I have " + "looked " * 80)
    assert len(heard.shown) > MOST_CHARS
    heard.add("and cancelled your order, " + "really " * 80)
    assert "cancelled" not in heard.shown


def test_sentence_that_stalls_is_judged_after_its_time():
    now = [0.0]
    heard = Filter(judge(), clock=lambda: now[0])
    heard.add("Please confirm the refund ")
    assert "refund" not in heard.shown
    now[0] = MOST_SECONDS
    heard.look()
    assert heard.shown == "Please confirm the refund "


def test_stalled_claim_is_replaced_and_its_rest_swallowed():
    now = [0.0]
    heard = Filter(judge(), clock=lambda: now[0])
    heard.add("I have cancelled the order ")
    now[0] = MOST_SECONDS
    heard.look()
    heard.add("DZ-10423 for you. Hello ")
    assert heard.shown == f"{IN_ITS_PLACE} Hello "


def test_unknown_language_is_kept_back_and_a_known_one_is_not():
    assert shown_while_adding(["Votre commande ", "est annulée. "], is_careful=lambda: True)[-1] == ""
    assert shown_while_adding(["Please look ", "at your page. "], is_careful=lambda: True)[-1] != ""
