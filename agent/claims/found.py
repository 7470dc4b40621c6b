"""What is found in a clause, and what the rules ask of it: an attribute, a report without a verb, an order's life?"""

from typing import NamedTuple

from agent.claims.clauses import Clause
from agent.claims.vocabulary import words

ADVERBS = words(
    "now just already also successfully fully all been being hereby since completely immediately officially in "
    "full duly finally today then safely too so quickly simply even again only here directly manually gerade "
    "soeben bereits schon jetzt nun hiermit the both it them that this you your everything erfolgreich sofort "
    "gleich"
)


IRREGULAR = words(
    "took taken made did done sent put gave given got gotten pulled paid set cut let undid undone brought kept "
    "went wrote stopped torn thrown struck withdrawn drawn unwound driven hit shut freed arranged had ran run "
    "began begun sold"
)


PREPOSITIONS = words(
    "of for to from in on with at by about und and or oder fur von zu aus auf im in an mit bei uber zum zur nach "
    "als as that who which der die das"
)


_LIFE = words(
    "processed complete completed confirmed created registered recorded submitted entered cleared released booked "
    "bearbeitet bestatigt erfasst registriert abgeschlossen erstellt rausgegangen raus fertig aktiv active "
    "scheduled started shipped sent ordered dispatched posted out accepted successful through paid angenommen "
    "verschickt versendet abgeschickt geschickt ubermittelt angelegt approved unterwegs erfolgreich akzeptiert "
    "done zugestellt"
)


_LIVING = words(
    "order payment parcel package shipment delivery account invoice ticket item items lamp orders payments "
    "bestellung zahlung paket sendung lieferung konto rechnung artikel bestellungen pakete carrier ware question "
    "message"
)


class Found(NamedTuple):
    """Where the asserting word stands, and whether it speaks of what is over, which no condition makes undone."""

    place: int
    is_settled: bool


def found_at(clause: Clause, place: int | None) -> Found | None:
    return None if place is None else Found(place, _is_settled(clause, place))


def _is_settled(clause: Clause, place: int) -> bool:
    """In English what follows a condition belongs to the condition: "is sent after the parcel has been checked"."""
    limits = [] if clause.is_german else clause.places("CONDITION")
    end = next((at for at in limits if at > place), len(clause.words))
    tags = frozenset().union(*clause.tags[:end])
    return bool(tags & {"PAST", "NOW"}) or ("HAVE" in tags and bool(tags & {"DONE_TO", "COMPLETED"}))


def touches(clause: Clause) -> bool:
    return clause.has(
        "EVENT", "DONE_TO", "DOING", "MONEY", "THING", "PLACE", "SIZE", "PRONOUN", "FINISHED", "CUSTOMER", "YOURS"
    )


def names_something(clause: Clause) -> bool:
    return clause.has("THING", "MONEY", "PLACE", "EVENT", "SIZE", "YOURS") or any(map(is_order, clause.words))


def is_order(word: str) -> bool:
    return any(char.isdigit() for char in word) and any(char.isalpha() for char in word) and "-" in word


def is_definite(clause: Clause, place: int) -> bool:
    return any(tags & {"YOURS"} for tags in clause.tags[max(0, place - 3) : place])


def lives(clause: Clause, place: int) -> bool:
    """Whether it is an order's, a payment's or a parcel's own life."""
    subject = clause.words if clause.is_german else clause.words[:place]
    return place < len(clause.words) and clause.words[place] in _LIFE and not _LIVING.isdisjoint(subject)


def is_attribute(clause: Clause, place: int) -> bool:
    """ "A cancelled order", "refunded amounts"."""
    if place > 0 and clause.words[place - 1] in ("for", "of", "with", "from", "bei", "mit", "von", "fur"):
        return True
    following = clause.tags[place + 1] if place + 1 < len(clause.words) else frozenset()
    is_before_noun = bool(following & {"THING", "MONEY", "PLACE"}) and clause.words[place + 1] not in (
        "it", "this", "that", "everything", "all", "both", "es", "das", "money_",
    )  # fmt: skip
    word = clause.words[place + 1] if place + 1 < len(clause.words) else ""
    is_plural = word.endswith("s") and not following & {"YOURS", "DETERMINER"}
    comes_after = place > 0 and bool(clause.tags[place - 1] & {"DETERMINER"})
    return (is_before_noun and (comes_after or is_plural)) or (comes_after and bool(following) is False and bool(word))


def starts(clause: Clause, place: int) -> bool:
    """Whether nothing but adverbs, things and numbers stands before it: a report without a verb."""
    return not any(
        tags & {"US", "CUSTOMER", "MODAL", "FUTURE", "CONDITION", "PLEASE", "READS"} for tags in clause.tags[:place]
    ) and all(
        tags
        & {
            "NOW",
            "BE",
            "THING",
            "EVENT",
            "PLACE",
            "SIZE",
            "MONEY",
            "YOURS",
            "COMPLETED",
            "FINISHED",
            "DETERMINER",
            "DONE_TO",
        }
        or word in ADVERBS
        or any(char.isdigit() for char in word)
        or word in ("hat", "habe", "ok", "okay", "gut", "klar", "great", "for", "of", "alright", "yes", "ja")
        for word, tags in zip(clause.words[:place], clause.tags[:place], strict=True)
    )
