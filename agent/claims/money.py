"""Sums that come back, and what the customer is said to get."""

from agent.claims.clauses import Clause
from agent.claims.found import Found, found_at, is_order
from agent.claims.vocabulary import words

_SEEN = words("spot notice discover entdecken bemerken")
_AT_YOURS = words("account card konto karte bank you ihnen statement paypal visa wallet")
_GROWN = words(
    "lighter leichter heavier schwerer voller fuller up plus mehr more reicher richer healthier steigt wachst grows "
    "better"
)
_GROWING = words(
    "account balance statement konto kontostand you sie ihr kontoauszug bill rechnung wallet portemonnaie geldborse"
)
_BANKS = words("paypal bank visa mastercard issuer")
_TAKEN_IN = words("has hat received erhalten bekommen got")
_BY_BANK = words("transfer uberweisung refund gutschrift erstattung")
_LEFT = words("verlassen zuruckgegeben angetreten ausgehandigt")
_LIES = words("liegt landet steht sits lands waits")
_ARRIVED = words("erhalten bekommen received got zuruck back")


def money(clause: Clause, before: list[Clause]) -> Found | None:
    """ "The 42 euros are back", "das Geld ist unterwegs"."""
    place = clause.first("MONEY")
    if place is None or not clause.has("BE", "HAVE", "FUTURE", "UNDER_WAY", "ARRIVES"):
        return None
    if clause.is_german and clause.has("BE") and clause.says("zuruckgeflossen", "geflossen", "frei"):
        return found_at(clause, clause.first("BE"))
    for at, tags in enumerate(clause.tags):
        if at > place or clause.is_german:
            word = clause.words[at]
            if tags & {"UNDER_WAY", "ARRIVES", "COMPLETED"} and not tags & {"WAS_READ"}:
                goes = word in ("geht", "gehen", "goes", "go", "kommt", "ein")
                goes = goes or clause.says("geht", "gehen", "goes")
                if not goes or clause.has("NOW", "SOON") or any(map(is_order, clause.words)):
                    return found_at(clause, at)
    verb = clause.first("BE", "FUTURE")
    if verb is not None and verb > place and not _AT_YOURS.isdisjoint(clause.words[verb + 1 :]):
        return found_at(clause, verb)
    return None


def gets_it(clause: Clause, before: list[Clause]) -> Found | None:
    """ "You will see the money", "Sie erhalten die Gutschrift"."""
    you = clause.first("CUSTOMER")
    gets = next((at for at in clause.places("GETS") if clause.words[at] not in ("have", "haben")), clause.first("GETS"))
    if you is None or gets is None or not clause.has("MONEY", "EVENT"):
        return None
    what = clause.first("MONEY") if clause.has("MONEY") else clause.first("EVENT")
    kind = (
        clause.has("MONEY")
        or clause.has("refund", "exchange", "other", "return", "address")
        or (clause.has("cancel") and clause.has("YOURS"))
    )
    if not kind or what is None or (not clause.is_german and what < gets):
        return None
    if what and clause.words[what - 1] in ("to", "zu"):
        return None
    word = clause.words[gets]
    if word in ("have", "haben", "see", "find", "sehen", "finden"):
        is_idle = any(other.has("CONDITION") for other in before)
        is_coming = (
            is_idle
            or (word in ("have", "haben") and clause.says("geld", "money"))
            or (word in ("find", "finden") and clause.says("your", "ihre", "ihren"))
            or clause.says("receipt_", "returnlabel")
            or clause.has("FUTURE", "NOW", "SOON", "ARRIVES")
            or clause.says("got")
        )
        return found_at(clause, gets) if is_coming else None
    return found_at(clause, gets)


def richer(clause: Clause, before: list[Clause]) -> Found | None:
    """ "You are 75 euros richer", "Kundin hat Betrag erhalten"."""
    if clause.words[:2] in (("you", "are"), ("sie", "sind")) and "MONEY" in frozenset().union(*clause.tags[2:3]):
        return found_at(clause, 2)
    if clause.has("MONEY") and clause.has("FUTURE") and clause.has("CUSTOMER") and clause.says(*_SEEN):
        return Found(next(at for at, word in enumerate(clause.words) if word in _SEEN), is_settled=False)
    if _is_returned(clause) or _grows(clause) or _is_at_a_bank(clause) or _has_left_us(clause) or _lies_there(clause):
        return found_at(clause, 0)
    if clause.says("receipt_") and (clause.has("BE") or clause.says("lautet", "reads", "assigned")):
        return found_at(clause, 0) if any(word[0].isdigit() or is_order(word) for word in clause.words) else None
    if clause.has("MONEY") and clause.has("HAVE") and clause.says(*_ARRIVED):
        return found_at(clause, clause.first("HAVE"))
    return None


def _is_returned(clause: Clause) -> bool:
    """ "Those you have back from us", "it left our account"."""
    theirs = {("haben", "sie"), ("sie", "haben"), ("you", "have")} & set(
        zip(clause.words, clause.words[1:], strict=False)
    )
    left = clause.says("left", "verlassen") and clause.says("our", "unser", "us", "uns")
    is_money = clause.says("bank", "account", "konto", "books", "us", "money_") and not clause.says("warehouse")
    return (bool(theirs) and clause.says("zuruck", "wieder", "back") and not clause.has("THING", "MODAL")) or (
        left and is_money
    )


def _grows(clause: Clause) -> bool:
    return clause.has("MONEY") and clause.says(*_GROWN) and clause.says(*_GROWING)


def _is_at_a_bank(clause: Clause) -> bool:
    is_bank = clause.says(*_BANKS) and clause.says(*_TAKEN_IN)
    return is_bank and (clause.has("MONEY") or clause.says(*_BY_BANK))


def _has_left_us(clause: Clause) -> bool:
    return clause.has("MONEY") and clause.has("HAVE") and clause.says(*_LEFT)


def _lies_there(clause: Clause) -> bool:
    is_there = clause.says(*_LIES) and clause.has("NOW", "SOON") and clause.has("MONEY")
    return is_there and not _AT_YOURS.isdisjoint(clause.words)
