"""Who did what a clause tells, and of what: only what we did, and to what this customer has with us, is a claim."""

from agent.claims.clauses import Clause
from agent.claims.found import Found, is_order
from agent.claims.vocabulary import words

_BY = words("by von vom durch")
_OURS = words("us uns mir unserem unserer our")
_SELF = words("yourself himself herself themselves itself selbst selber ownaccord_")
_GLAD = words("glad pleased happy nice good lovely wonderful great delighted schon freut toll gut prima super")
_PRICES = words("price total preis gesamtpreis betrag summe gesamtbetrag zwischensumme subtotal")
_ORDERLY = frozenset({"EVENT", "MONEY", "PLACE"})
_PEOPLE = words("customers buyers anyone everyone whoever people shoppers kunden kundinnen kaufer wer")
_DEEDS = frozenset({"DONE_TO", "COMPLETED", "FINISHED", "ENDED"})


def is_of_others(clause: Clause, found: Found, before: list[Clause]) -> bool:
    """Whether others did it, or it was done to something else, at another time."""
    return (
        (before or [clause])[0].words[0] in _PEOPLE
        or _is_of_many(clause, found)
        or _did_others(clause, found)
        or _did_relative(clause)
        or _is_elsewhere(clause, before)
        or _is_of_a_product(clause, before)
        or _is_in_a_price(clause)
    )


def _did_others(clause: Clause, found: Found) -> bool:
    """ "The carrier rerouted it", "reset by the manufacturer", "you changed it yourself"."""
    if clause.has("US"):
        return False
    if clause.says(*_SELF):
        return True
    if not clause.has("OTHERS") or not clause.tags[min(found.place, len(clause.words) - 1)] & _DEEDS:
        return False
    other = clause.places("OTHERS")[0]
    near = clause.words[max(0, other - 3) : other]
    if not _BY.isdisjoint(near):
        return True
    is_active = clause.has("HAVE") if clause.is_german else not clause.has("BE")
    return is_active and other != found.place and _OURS.isdisjoint(near)


def _is_of_many(clause: Clause, found: Found) -> bool:
    """ "Used laptops were cleaned and reset": no one's in particular."""
    is_ours = clause.has("EVENT", "THING", "MONEY", "PLACE", "US", "YOURS", "DONE_TO", "PRONOUN", "SIZE", "NOW")
    is_plural = clause.says("were", "wurden", "are", "sind")
    return is_plural and not is_ours and not clause.tags[0] & {"DETERMINER"} and found.place > 2


def _did_relative(clause: Clause) -> bool:
    """ "[The number] that you corrected", in German."""
    begins = clause.words[0] in ("die", "der", "das", "den") and clause.words[1:2] == ("sie",)
    return (
        begins
        and clause.words[-1] in ("haben", "hatten")
        and not clause.says("zuruck", "wieder", "bekommen", "erhalten")
    )


def _is_theirs(clause: Clause) -> bool:
    """Whether the customer's own order, money or address is named."""
    if any(map(is_order, clause.words)) or clause.has("MONEY"):
        return True
    return any(
        word in ("your", "ihre", "ihr", "ihrer", "ihren", "ihrem") and tags & (_ORDERLY | {"THING"})
        for word, tags in zip(clause.words, clause.tags[1:], strict=False)
    )


def _is_elsewhere(clause: Clause, before: list[Clause]) -> bool:
    """What was long ago, or somebody else's: "glad that the exchange worked out for your sister"."""
    if clause.has("US", "OUR_SIDE") and not _is_glad(clause):
        return False
    is_told = _is_glad(clause) or any(map(_is_glad, before))
    if clause.has("KIN") and is_told:
        return True
    return clause.says("elsewhen_") and (is_told or not _is_theirs(clause))


def _is_glad(clause: Clause) -> bool:
    return not _GLAD.isdisjoint(clause.words[:4])


def _is_of_a_product(clause: Clause, before: list[Clause]) -> bool:
    """ "The recipe was changed", "the lamp has been discontinued [and replaced]"."""
    if clause.has("US", "MONEY") or any(map(is_order, clause.words)):
        return False
    if clause.is_led and before[-1].has("REMADE"):
        return True
    is_made = clause.has("REMADE") or any("PRODUCT" in tags for tags in clause.tags[:6])
    return is_made and not clause.says("your", "ihr", "ihre", "ihren", "ihrer") and not clause.has("EVENT", "PLACE")


def _is_in_a_price(clause: Clause) -> bool:
    """ "The discount is already taken off in the price"."""
    return clause.has("other") and not _PRICES.isdisjoint(clause.words) and not clause.has("US", "refund")
