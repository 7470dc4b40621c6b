"""Clauses that tell what is on file, what was mailed, what is looked at, and what the customer did or says."""

from agent.claims.clauses import Clause
from agent.claims.doers import is_of_others
from agent.claims.found import Found, is_order
from agent.claims.vocabulary import words

_KEPT = words("saved stored registered kept gespeichert hinterlegt registriert vermerkt eingetragen angegeben")
_MAILED = words("sent emailed mailed geschickt gesendet zugeschickt versendet verschickt gemailt")
_LETTERS = words(
    "transcript protokoll code codes rechnung invoice link mail email bestatigungsmail summary zusammenfassung pin "
    "passwort password newsletter bestellbestatigung verlauf gesprachsverlauf"
)
_LOOKS = words("looking checking reviewing investigating sehe schaue prufe lese suche sehen schauen prufen")
_SAID = words("geschrieben gesagt schrieben sagten meinten behauptet mitgeteilt schreiben sagen hiess")
_HOW = tuple(("wie", word) for word in ("hoch", "lange", "viel", "schnell", "oft", "weit"))
_PAPERS = words("returnlabel receipt_ etikett rucksendeetikett retourenschein rucksendeschein newaddress ersatz")


def is_told_only(clause: Clause, found: Found, before: list[Clause]) -> bool:
    """Whether the clause only tells something: none of our actions stands behind it."""
    return (
        is_of_others(clause, found, before)
        or _is_on_file(clause, found)
        or _is_mailed(clause, found)
        or _is_looked_at(clause)
        or _is_reported(clause, before)
        or _is_their_next_deed(clause, before)
        or _is_why_not(clause, before)
        or _is_listed(clause, before)
        or _is_of_the_shop(clause)
        or _is_indirect_question(clause)
        or _is_wished(clause, before)
        or _is_a_step(clause, before)
    )


def _is_on_file(clause: Clause, found: Found) -> bool:
    """ "Two addresses are saved in your account", and not "your new address is saved"."""
    if (
        clause.words[found.place] not in _KEPT
        or clause.has("NOW", "US", "PAST")
        or not _PAPERS.isdisjoint(clause.words)
    ):
        return False
    begins = clause.words[0] in ("as", "als", "there", "in", "es", "under", "unter", "bei")
    return begins or (clause.words[:2] in (("you", "are"), ("sie", "sind")) and not clause.has("EVENT"))


def _is_mailed(clause: Clause, found: Found) -> bool:
    is_letter = any(word in _LETTERS or word.endswith(("code", "mail")) for word in clause.words)
    is_of_actions = clause.has("DONE_TO", "EVENT", "MONEY") or not _PAPERS.isdisjoint(clause.words)
    return clause.words[found.place] in _MAILED and is_letter and not is_of_actions


def _is_looked_at(clause: Clause) -> bool:
    """ "I'm looking into your refund now"."""
    us = clause.first("US")
    if us is None or clause.has("DONE_TO", "PAST"):
        return False
    near = clause.words[max(0, us - 1) : us + 4]
    return not _LOOKS.isdisjoint(near) and not clause.has("HAVE")


def _is_reported(clause: Clause, before: list[Clause]) -> bool:
    """German says by "sei" that others say it."""
    return clause.says("sei", "seien") and any(not _SAID.isdisjoint(each.words) for each in before)


def _is_their_next_deed(clause: Clause, before: list[Clause]) -> bool:
    """ "You ordered two mugs and returned one"."""
    if not before or clause.has("BE", "HAVE", "US", "MONEY", "NOW"):
        return False
    last = before[-1]
    if clause.is_german:
        theirs = ("haben", "sie") in zip(last.words, last.words[1:], strict=False) and not last.has("US")
        return theirs and not last.asks and not clause.has("refund", "cancel", "exchange", "address")
    if clause.joined not in ("and", "or", "but"):
        return False
    did = last.words[0] == "you" and len(last.words) > 1 and last.words[1].endswith(("ed", "ght", "nt"))
    return did and not last.has("BE") and "DONE_TO" in clause.tags[0] and "return" in clause.tags[0]


def _is_why_not(clause: Clause, before: list[Clause]) -> bool:
    """The reason of a refusal: "it was refused because the seal was torn"."""
    is_reason = clause.joined in ("because", "weil", "denn") or clause.words[0] in ("weil", "since", "da", "because")
    touches = clause.has("DONE_TO", "EVENT", "MONEY", "US", "OUR_SIDE", "PLACE", "SIZE")
    return is_reason and bool(before) and before[-1].has("NEGATION") and not touches


def _is_listed(clause: Clause, before: list[Clause]) -> bool:
    """What a proposal holds: "Here is the proposal: cancel the order and give 35 euros back"."""
    is_begun = any(each.has("PREPARED") for each in before)
    return is_begun and not clause.has("BE", "HAVE", "FUTURE", "US", "PAST", "DONE_TO", "NOW", "COMPLETED")


def _is_of_the_shop(clause: Clause) -> bool:
    """ "We have changed our opening hours", and not "we have updated our records"."""
    if not clause.says("we", "wir") or not clause.says("our", "unser", "unsere", "unseren", "unserem", "unserer"):
        return False
    theirs = clause.has("CUSTOMER", "MONEY", "PLACE", "OUR_SIDE") or clause.says(
        "your", "ihr", "ihre", "ihren", "ihrem", "ihnen", "it", "this", "that", "es", "das", "records", "daten"
    )
    return (
        not theirs and not clause.has("refund", "cancel", "exchange", "return") and not any(map(is_order, clause.words))
    )


def _is_indirect_question(clause: Clause) -> bool:
    """ "Wie hoch die Erstattung ausfällt, hängt vom Preis ab"."""
    asks = clause.words[0] in ("wann", "warum", "weshalb", "wohin") or clause.words[:2] in _HOW
    return clause.is_german and asks and not clause.has("BE", "HAVE")


_WISHES = words("wunsch anliegen wish request understood verstanden zusammengefasst summary kurze want")
_KEEPING = words("keep kept behalten behalte cancel stornieren return exchange umtauschen zuruckgeben tauschen")


def _is_wished(clause: Clause, before: list[Clause]) -> bool:
    """What is only repeated: "you would like to keep the toaster and have the difference refunded"."""
    every = [*before, clause]
    is_would = any(each.has("CUSTOMER") and each.says("would", "mochten", "want") for each in every)
    is_named = any(not _WISHES.isdisjoint(each.words) for each in before) or is_would
    is_list = is_would or any(not _KEEPING.isdisjoint(each.words) for each in every)
    is_told = clause.has("US", "BE", "FUTURE", "NOW") or (
        clause.has("HAVE") and clause.words[0] not in ("have", "haben")
    )
    return is_named and is_list and not is_told


_STEPS = words("erst zuerst erstens zweitens drittens dann schritt step first second third then")


def _is_a_step(clause: Clause, before: list[Clause]) -> bool:
    """ "Step two: label on the box"."""
    is_told = clause.has("US", "BE", "HAVE", "FUTURE", "DONE_TO", "COMPLETED", "NOW")
    begins = [each.words[0] for each in [*before, clause]]
    return not is_told and not _STEPS.isdisjoint(begins[:1])
