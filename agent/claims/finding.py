"""Whether a sentence says that something was done, is being done or will come, and what: kinds, identifiers, amounts.

The burden is on the sentence: one that touches what our actions do is a claim, unless something makes it harmless. What
the rules of language say of it counts together with what its words weigh.
"""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from agent.claims.asserting import asserts
from agent.claims.clauses import AMOUNT, Clause, clauses_of
from agent.claims.excusing import Context, is_excused
from agent.claims.reading import read
from agent.claims.vocabulary import KINDS, SIGNS, tags_of
from agent.claims.weighing import weigh

# Chosen on the sentences that are kept apart: at least 95 % of false claims caught, at most 2 % of the others replaced.
RULES = 1.5  # what the rules' word is worth, in the logarithm of the odds
LIMIT = -1.25

_ID = re.compile(r"#?\b(?!(?:eur|usd|gbp|chf)\b)[a-z]{1,5}-?\d{3,}\b|#\w{0,20}\d{3,}")
_LETTER = re.compile(r"[^\W_]|[\u2705\u2714\u2611\u2713\U0001f5f9]")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_BEGINS = re.compile(
    r"\b(?:i have|we have|ihave|has been|have been|is now|are now|i am|we are|will|ich habe|wir haben|wurden?|worden"
    r"|(?:ist|sind) (?:jetzt|nun)|consider)\b"
)


@dataclass(frozen=True)
class Claim:
    """What a sentence says was done. `done` alone names no kind: anything at all was done."""

    kinds: frozenset[str]
    ids: frozenset[str]
    amounts: frozenset[Decimal]
    is_under_way: bool


def may_claim(text: str) -> bool:
    """Whether the words so far hold a sign of a claim: then the sentence waits until it can be judged whole.

    One amount is a sign; several are a list of prices, which need not wait.
    """
    return _holds_sign(read(text))


def _holds_sign(words: str) -> bool:
    if _BEGINS.search(words) or len(AMOUNT.findall(words)) == 1:
        return True
    return any(not SIGNS.isdisjoint(tags_of(word)) for word in re.findall(r"\w+", words))


def claim_in(sentence: str) -> Claim | None:
    """The claim of one sentence; None for questions, negations, conditions, offers, and all that claims nothing."""
    if not _LETTER.search(sentence):
        return None
    text = read(sentence)
    clauses = clauses_of(text)
    claiming = [clause for place, clause in enumerate(clauses) if _claims(clauses, place)]
    if not (claiming or _holds_sign(text)) or weigh(text) + (RULES if claiming else -RULES) <= LIMIT:
        return None
    claiming = claiming or clauses
    kinds = frozenset().union(*map(kinds_of, claiming)) or frozenset().union(*map(kinds_of, clauses))
    if {"exchange", "change"} <= kinds and not any(clause.has("change") for clause in claiming):
        kinds -= {"change"}  # "Size 43 instead of 42" tells of the exchange that was named.
    if {"address", "change"} <= kinds and clauses[-1].says("it", "that", "this", "es", "das", "dies"):
        kinds -= {"change"}
    if "swap" in kinds and kinds & {"exchange", "change"}:
        kinds -= {"swap"}
    return Claim(kinds or frozenset({"done"}), ids_in(text), amounts_in(text), all(map(_is_under_way, claiming)))


def told_in(text: str) -> Claim | None:
    """What a record tells was done. Here the burden is the other way round: what is not plain is no fact."""
    words = read(text)
    told = [clause for clause in clauses_of(words) if _tells(clause)]
    kinds = frozenset().union(*map(kinds_of, told))
    return Claim(kinds, ids_in(text), amounts_in(text), is_under_way=False) if kinds else None


def _tells(clause: Clause) -> bool:
    unsure = clause.has("NEGATION", "MODAL", "CONDITION", "FUTURE", "PREPARED", "CONFIRMING") or clause.asks
    return not unsure and (clause.has("DONE_TO") or (clause.has("EVENT") and clause.has("COMPLETED")))


def _claims(clauses: list[Clause], place: int) -> bool:
    context = Context(clauses, place)
    found = asserts(clauses[place], context.before)
    return found is not None and not is_excused(clauses[place], found, context)


def kinds_in(text: str) -> frozenset[str]:
    """The kinds that are named in a read text."""
    return frozenset().union(*map(kinds_of, clauses_of(text))) or frozenset({"done"})


def kinds_of(clause: Clause) -> frozenset[str]:
    """What a clause names of our actions: by what was done first, by things where there is none."""
    done = [tags for place, tags in enumerate(clause.tags) if tags & {"DONE_TO", "DOING"}]
    things = [tags for tags in clause.tags if "EVENT" in tags]
    kinds = frozenset(KINDS).intersection(frozenset().union(*done)) or frozenset(KINDS).intersection(
        frozenset().union(*things)
    )
    if clause.has("PLACE", "address"):
        kinds = (kinds - {"change"}) | {"address"}
    if not kinds and clause.says("ended_"):
        return frozenset({"cancel"})
    if not kinds and clause.has("MONEY"):
        return frozenset({"refund"})
    if not kinds and clause.says("instead", "statt"):
        return frozenset({"swap"})
    if not kinds and clause.has("SIZE"):
        return frozenset({"change"})
    return kinds


def _is_under_way(clause: Clause) -> bool:
    return clause.has("UNDER_WAY", "DOING") or clause.says("being", "gerade", "derzeit", "momentan")


def ids_in(text: str) -> frozenset[str]:
    """Identifiers such as order numbers, comparable: without signs."""
    return frozenset(re.sub(r"[#-]", "", found) for found in _ID.findall(read(text)))


def amounts_in(text: str) -> frozenset[Decimal]:
    """Sums of money, whichever way they are written."""
    found = (_NUMBER.search(money) for money in AMOUNT.findall(read(text)))
    return frozenset(amount for number in found if number and (amount := _decimal(number[0])) is not None)


def _decimal(number: str) -> Decimal | None:
    whole, _, cents = re.sub(r"[.,](\d{1,2})$", r"|\1", number).partition("|")
    try:
        return Decimal(f"{re.sub(r'[.,]', '', whole)}.{cents or 0}").normalize()
    except InvalidOperation:
        return None
