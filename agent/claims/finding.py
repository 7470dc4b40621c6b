"""Whether a sentence says that something was done, and what: kinds, identifiers, amounts."""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from agent.claims import lexicon
from agent.claims.lexicon import ADVERBS, COMPLETED, DID, DOING, DONE_TO, FINISHED, GOT, IS, THING, TO_DO, WE
from agent.claims.reading import read

_V, _N = "|".join(DONE_TO.values()), "|".join(THING.values())
_ENGLISH = re.compile(
    rf"\b(?:{WE}|{IS}){ADVERBS}\s+(?:{_V})\b"
    rf"|\band{ADVERBS}\s+(?:{_V})\s+(?:your|the|it|you|that|this|them|{lexicon.AMOUNT})"
    rf"|(?<!\w)(?:{_N})(?!\w)[^.;,]{{0,80}}?\b{IS}{ADVERBS}\s+(?:{COMPLETED})\b"
    rf"|\b(?:{WE}|have|has)(?:\s+have)?{ADVERBS}\s+(?:{DID})\s+(?:\w+\s+){{0,4}}?(?:{_N})(?!\w)"
    rf"|\b(?:i am|we are){ADVERBS}\s+(?:(?:{DOING})\b|(?:processing|issuing)\s+(?:\w+\s+){{0,3}}?(?:{_N})(?!\w))"
    rf"|\b(?:managed|was able|were able)\s+to\s+(?:{TO_DO})\b|\bput\s+(?:\w+\s+){{0,3}}?(?:{_N})\s+through\b"
    rf"|\bhereby\s+confirm|\bconsider\b.{{0,30}}\b(?:{FINISHED}|{_V})\b"
    r"|\b(?:all|(?:all|everything|it|that|this|request|you)\s+(?:is|are|was|has been|have been))"
    rf"{ADVERBS}\s+(?:{FINISHED})\b(?!\s+(?:on|by|when|as|only|there|at|auf)\b)"
)
_VERBLESS = re.compile(rf"(?<!\w)(?:{_N})(?!\w)\W*(?:{ADVERBS}\s*)(?:{GOT})\b")
_BARE = re.compile(
    rf"^\W*(?:(?:successfully|all|now|already|order|status|schon|bereits|alles|jetzt|soeben|[a-z]+-?\d+)\W+)*"
    rf"(?:{_V}|{FINISHED})\b(?!\s+(?:orders?|amounts?|items?|payments?)\b)"
)
_GERMAN_IS = re.compile(r"\b(?:habe|haben|hab|hat|ist|sind|wurden?|worden|war|waren)\b")
_GERMAN_DONE = re.compile(
    rf"\b(?:{_V}|{FINISHED})\b|(?<!\w)(?:{_N})(?!\w).*\b(?:{COMPLETED})\b|\b(?:{COMPLETED})\b.*(?<!\w)(?:{_N})(?!\w)"
)
_GERMAN_MANAGED = re.compile(rf"\bkonnten?\b.*\b(?:{TO_DO})\b")
_GERMAN_HEREBY = re.compile(rf"\bhiermit\b.*\bbestatig.*(?<!\w)(?:{_N})(?!\w)")
_CLAUSE = re.compile(
    r"[;:–—…]|,\s|\.\s|[!?]|\s-\s|\s(?:but|however|because|although|aber|sondern|weil|denn)\s"
    r"|\s(?:and|und)\s(?=(?:i|we|your|the|it|then|so|have|has|ich|wir|ihre?|die|der|das|es|dann|habe|haben)\b)"
    rf"|\s(?:and|und)\s(?=(?:{_V})\s+(?:your|the|it|you|that|this|them)\b)"
)
_ID = re.compile(r"#?\b(?!(?:eur|usd|gbp|chf)\b)[a-z]{1,5}-?\d{3,}\b|#\w*\d{3,}")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_MONEY = re.compile(lexicon.AMOUNT)


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
    words = read(text)
    return lexicon.SIGN.search(words) is not None or len(_MONEY.findall(words)) == 1


def claim_in(sentence: str) -> Claim | None:
    """The claim of one sentence; None for questions, negations, conditions, futures, and all that claims nothing."""
    text = read(sentence)
    clauses = [part for part in _CLAUSE.split(lexicon.NO_NEGATION.sub(" ", text)) if part.strip()]
    is_question = text.rstrip(" \"')").endswith("?")
    claiming = [
        clause
        for place, clause in enumerate(clauses)
        if _claims(clause, before=clauses[:place], after=clauses[place + 1 :])
        and not (is_question and (place == len(clauses) - 1 or lexicon.ASKS.search(text)))
    ]
    if not claiming and (is_question or not _verbless(text)):
        return None
    said = " ; ".join(claiming) or text
    return Claim(kinds_in(said), ids_in(text), amounts_in(text), bool(lexicon.UNDER_WAY.search(said)))


def kinds_in(text: str) -> frozenset[str]:
    """The kinds that are named in a read text: by participles first, by things where there are none."""
    kinds = {kind for kind, words in DONE_TO.items() if re.search(rf"\b(?:{words})\b", text)}
    things = {kind for kind, words in THING.items() if re.search(rf"(?<!\w)(?:{words})(?!\w)", text)}
    if "address" in things:
        return frozenset({"address"} | (kinds - {"change"}))
    return frozenset(kinds or things or {"done"})


def ids_in(text: str) -> frozenset[str]:
    """Identifiers such as order numbers, comparable: without signs."""
    return frozenset(re.sub(r"[#-]", "", found) for found in _ID.findall(read(text)))


def amounts_in(text: str) -> frozenset[Decimal]:
    """Sums of money, whichever way they are written."""
    found = (_NUMBER.search(money) for money in _MONEY.findall(read(text)))
    return frozenset(amount for number in found if number and (amount := _decimal(number[0])) is not None)


def _decimal(number: str) -> Decimal | None:
    whole, _, cents = re.sub(r"[.,](\d{1,2})$", r"|\1", number).partition("|")
    try:
        return Decimal(f"{re.sub(r'[.,]', '', whole)}.{cents or 0}").normalize()
    except InvalidOperation:
        return None


def _verbless(text: str) -> bool:
    """ "Refund: completed"."""
    return bool(_VERBLESS.search(text)) and not lexicon.NEGATION.search(text) and not lexicon.CONDITION.search(text)


def _claims(clause: str, *, before: list[str], after: list[str]) -> bool:
    found = _completed(clause)
    if found is None or lexicon.NEGATION.search(clause) or lexicon.REPORT.search(clause[: found.start()]):
        return False
    if lexicon.MODAL_BEFORE.search(clause[: found.start()]) or lexicon.OTHER_SUBJECT.search(clause):
        return False
    if lexicon.OF_OURS.search(found[0]) or lexicon.OF_OURS_IN_GERMAN.search(
        clause
    ):  # nobody's condition makes undone what the host's own voice says it did
        return True
    is_perfect = lexicon.PERFECT.search(clause) is not None
    if lexicon.CONDITION.search(clause[: found.start() + 1]) or (not is_perfect and lexicon.GENERAL.search(clause)):
        return False
    conditions = [lexicon.CONDITION.search(clause), *map(lexicon.CONDITION.search, before)]
    decided = any(lexicon.CONDITION.search(part) and lexicon.DECISION.search(part) for part in after)
    return is_perfect or not (any(conditions) or decided)


def _completed(clause: str) -> re.Match[str] | None:
    """The completed form in a clause, as far as grammar alone tells."""
    english = _ENGLISH.search(clause) or _BARE.search(clause) or _GERMAN_HEREBY.search(clause)
    if managed := _GERMAN_MANAGED.search(clause):
        return managed
    german = _GERMAN_DONE.search(clause)
    if german is None or not lexicon.MODAL_DE.search(clause):
        return english or (german if _GERMAN_IS.search(clause) else None)
    if re.search(r"\bwill\b", clause) and english:  # also an English word
        return english
    is_now = re.search(r"\bwird\b|\bwerden\b", clause) and lexicon.AT_THIS_MOMENT.search(clause)
    return german if is_now else None
