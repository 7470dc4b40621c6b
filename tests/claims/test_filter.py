"""The filter over text in pieces: what is shown, and when."""

import statistics
import time

import pytest

from agent.claims import Filter, Judge
from agent.claims.facts import Facts
from agent.claims.filter import MOST_CHARS, MOST_SECONDS
from tests.claims.labelled import false_ones, sentences

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


@pytest.mark.parametrize(("size", "step"), [(1, 6), (7, 2), (1000, 1)])
def test_no_claim_is_ever_seen_in_pieces_of_any_size(size, step):
    leaks = []
    for text in false_ones()[::step]:
        seen = shown_while_adding(pieces_of(f"Hello. {text}\n\nGoodbye to you. ", size))
        leaks += [(text, shown) for shown in seen if judge().whole(shown).unbacked][:1]
        assert IN_ITS_PLACE in seen[-1]
        assert seen[-1].endswith("Goodbye to you. ")
    assert leaks == []


@pytest.mark.parametrize("size", [1, 5])
def test_first_word_of_what_we_say_we_did_is_never_seen(size):
    seen = shown_while_adding(pieces_of("Hello. I've cancelled your order. ", size))
    assert {shown for shown in seen if "ancel" in shown or "I'v" in shown} == set()


def test_harmless_text_comes_out_as_it_was():
    fine = [row.text for row in sentences("harmless") if not judge().whole(row.text).unbacked]
    text = "\n\n".join([*fine, "Goodbye. "])
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


@pytest.mark.parametrize(
    "piece",
    ["Your order left the house on Monday and is with the carrier. ", "refund your ", "a, ", ". ", "€1 ", "not a ",
     "nothing x x x x x x ", "if the refund is ", "[a](", "<a ", "&", "ihre bestellung wird nicht ", "I can ",
     "\u200b*a"],
)  # fmt: skip
def test_hostile_text_of_4000_characters_is_judged_in_a_fifth_of_a_second(piece):
    text = (piece * 4_000)[:4_000]
    took = []
    for _ in range(3):
        began = time.process_time()
        judge().whole(text)
        took.append(time.process_time() - began)
    assert min(took) < 0.2


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
