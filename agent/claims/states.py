"""Orders, addresses and other things that are no more what they were."""

from agent.claims.clauses import Clause, is_participle
from agent.claims.found import (
    ADVERBS,
    IRREGULAR,
    PREPOSITIONS,
    Found,
    found_at,
    is_attribute,
    is_definite,
    is_order,
    lives,
    names_something,
)
from agent.claims.vocabulary import words

_STATES = words(
    "hoher niedriger grosser kleiner higher lower larger smaller bigger attached "
    "offen pending with in at out expected due open still late ready a an the one two three from for over above "
    "below delayed here placed about only of on under within there not again called made small large available "
    "worth number no to als noch in bei im am auf ein eine der die das aus von zu ab seit bis mit nur sehr zwei "
    "drei leider unterwegs nach wie richtig correct safe secure sicher right big eligible your my our new how what "
    "that this as too such both so and by up more less used black white blue fine wieder dort hier da"
)


_VERBS = words(
    "follows folgt erfolgt reached erreicht setzt its their his sein seine ihre ihren sich itself contains "
    "includes has have comes costs left arrives arrived went weighs shows show stands holds consists belongs reads "
    "says goes go remains stays needs qualifies counts travels will can may would could should must might appears "
    "ends runs lists allows starts ran tried does do did use used get gets expire expires enthalt umfasst kommt "
    "kommen kostet hat haben liegt liegen steht stehen bleibt bleiben gehort ging gingen lautet zeigt zeigen endet "
    "lauft dauert geht gehen kann konnen konnte genugt reicht wird werden wurde wurden muss soll darf besteht "
    "braucht fuhrt fuhren hangt zahlt passt gilt lasst lag lagen war waren is are was were been"
)


_HOLDS = words(
    "contains includes holds liegt enthalt kommt comes has weiss says reads stehen knows steht steckt gibt ersetzt "
    "replaces"
)
_CHARGED = words(
    "abgebucht berechnet belastet bezahlt gezahlt fallig eingezogen abbuchung charged billed debited deducted due "
    "charge invoiced owed"
)
_LITTLE = words(
    "heute today still noch momentan derzeit gerade aktuell voraussichtlich "
    "being now just already also finally officially completely fully is jetzt nun bereits schon damit somit soeben"
)
_ORDERS = words(
    "order orders bestellung bestellungen auftrag kauf purchase posten item artikel account konto card karte "
    "lastschrift vertrag abbuchung charge rechnung invoice"
)


def _is_no_more(clause: Clause) -> bool:
    """ "Not any more" denies nothing: it says what has become of an order, a sum or an address."""
    pairs = zip(clause.words, (*clause.words[1:], ""), strict=True)
    says_so = any((word == "mehr" and after != "als") or word == "longer_" for word, after in pairs)
    about = clause.has("MONEY", "EVENT", "PLACE", "SIZE") or any(map(is_order, clause.words))
    named = about or not _ORDERS.isdisjoint(clause.words)
    if says_so and clause.has("NEGATION") and not _CHARGED.isdisjoint(clause.words) and not clause.has("US"):
        return True
    return says_so and named and clause.has("NEGATION") and not clause.has(*_READ_OF_IT)


def ended(clause: Clause, before: list[Clause]) -> Found | None:
    """ "Your order no longer exists", "you will not be charged any more"."""
    will = clause.words.index("will") if clause.says("will") else -1
    if 0 < will < 5 and clause.words[will + 1 : will + 2] == ("not",) and any(map(is_order, clause.words[:will])):
        return None if clause.says("before", "until", "unless", "yet", "able") else found_at(clause, will)
    if _is_no_more(clause):
        return found_at(clause, clause.places("NEGATION")[0])
    is_product = clause.says("artikel", "produkt", "modell", "product", "model")
    return None if is_product or not clause.says("ended_") else found_at(clause, clause.words.index("ended_"))


def _is_place_of_doing(clause: Clause, place: int) -> bool:
    """ "That is done on the page"."""
    after = clause.words[place + 1 : place + 2]
    return clause.words[place] in ("done", "erledigt") and after in (("on",), ("by",), ("at",), ("via",), ("auf",))


def thing(clause: Clause, before: list[Clause]) -> Found | None:
    """ "The lamp was taken off", "Ihr Antrag ist genehmigt", "the order is history"."""
    verb = clause.first("BE", "HAVE")
    if clause.has("FACTUAL") and not clause.has("US"):
        return None
    is_done = clause.has("PAST") or clause.says("been", "worden")
    if verb is None or not (
        is_done
        or clause.has("THING", "PLACE", "SIZE", "YOURS", "PRONOUN")
        or any(map(is_order, clause.words))
        or clause.words[0] == "you"
    ):
        return None
    for place in clause.places("COMPLETED", "ENDED"):
        if place < verb and not clause.is_german:
            continue
        tags = clause.tags[place]
        if _is_place_of_doing(clause, place):
            return None
        if "WAS_READ" in tags or is_attribute(clause, place) or lives(clause, place):
            continue
        is_ended = "ENDED" in tags
        if is_ended or is_done or clause.says("now", "jetzt", "nun") or clause.has("PRONOUN", "PLACE", "SIZE"):
            return found_at(clause, place)
        if "COMPLETED" in tags and clause.has("THING"):
            return found_at(clause, place)
    return None


def from_now(clause: Clause, before: list[Clause]) -> Found | None:
    """ "The size is now XL", "ab sofort geht alles dorthin"."""
    if clause.says("fromnow") and clause.has("THING", "PLACE", "SIZE", "EVENT", "US", "CUSTOMER"):
        return Found(clause.words.index("fromnow"), is_settled=True)
    if not clause.says("now", "jetzt", "nun", "instead", "stattdessen"):
        return None
    if clause.has("PLACE", "SIZE") and not clause.has("US", "CUSTOMER"):
        return found_at(clause, 0)
    holds = not _HOLDS.isdisjoint(clause.words)
    if holds and (
        clause.has("THING")
        or any(map(is_order, clause.words))
        or clause.says("statt", "instead", "stattdessen", "ersetzt")
    ):
        return found_at(clause, 0)
    if clause.has("CUSTOMER") and clause.says("have", "haben") and not clause.has("READS", "WAS_READ", "WHAT"):
        return found_at(clause, 0)
    if clause.has("address") or (clause.says("instead", "stattdessen") and clause.has("THING")):
        return Found(len(clause.words) - 1, is_settled=True)
    if any(map(is_order, clause.words)) and clause.says("goes", "geht", "heads", "heading", "faehrt", "fahrt", "ships"):
        return Found(len(clause.words) - 1, is_settled=True)
    goes = clause.says("geht", "goes", "ships", "headed", "going", "liefern", "delivered", "geliefert")
    at_once = clause.says("goes", "geht", "ships") and clause.says("to", "an")
    if goes and clause.has("THING", "US") and (at_once or any(word.isdigit() for word in clause.words)):
        return Found(len(clause.words) - 1, is_settled=True)
    return None


def _is_about_an_order(clause: Clause) -> bool:
    """Whether an order, a sum, an address or a charge is what the clause begins with."""
    first = clause.tags[:3]
    named = any(tags & {"EVENT", "MONEY", "PLACE", "THING"} for tags in first)
    return (named and "YOURS" in clause.tags[0]) or any(map(is_order, clause.words[:3]))


def passive(clause: Clause, before: list[Clause]) -> Found | None:
    """ "Has been" and "wurde" with anything but what is read of an order: struck, waved through, met."""
    if clause.has("FACTUAL"):
        return None
    if clause.is_german:
        verb = clause.first("BE", "FUTURE")
        if verb is None or not (clause.has("BE") or _is_about_an_order(clause)):
            return None
        is_bare = clause.words[0] in ("ist", "sind") and len(clause.words) <= 4
        is_open = not (clause.has("PAST") or names_something(clause) or is_bare)
        for place in range(len(clause.words) - 1, -1, -1):
            word, tags = clause.words[place], clause.tags[place]
            if is_participle(word) and not tags & {"DETERMINER", "YOURS", "NOW", "SOON"}:
                read = tags & {"WAS_READ", "READS", "FREE", "PREPARED"} or is_open or lives(clause, place)
                return None if read else found_at(clause, place)
        return None
    for place in clause.places("BE"):
        is_coming = clause.words[place] == "be" and clause.has("FUTURE") and _is_about_an_order(clause)
        is_state = is_coming or (clause.words[place] in ("is", "are") and _is_about_an_order(clause))
        is_gerund = place == 0 and clause.words[0] == "being"
        if is_gerund or (clause.words[place] not in ("been", "was", "were", "got", "being") and not is_state):
            continue
        after = place + 1
        while after < len(clause.words) and clause.words[after] in ADVERBS:
            after += 1
        if after < len(clause.words) and not _is_place_of_doing(clause, after):
            word, tags = clause.words[after], clause.tags[after]
            looks_done = word.endswith("ed") or word in IRREGULAR or "COMPLETED" in tags or "DONE_TO" in tags
            if looks_done and not tags & {"WAS_READ", "READS", "FREE", "PREPARED"} and not lives(clause, after):
                return found_at(clause, after)
    return None


def subject(clause: Clause, before: list[Clause]) -> Found | None:
    """An order, a sum, an address or an account that does anything but what is read of it."""
    if clause.has("FACTUAL") or clause.words[0] in PREPOSITIONS - {"der", "die", "das"}:
        return None
    place = next((at for at in range(min(4, len(clause.words) - 1)) if _is_topic(clause, at)), None)
    if place is None or any(tags & {"US", "CUSTOMER", "PLEASE", "READS"} for tags in clause.tags[:place]):
        return None
    at = place + 1
    while at < len(clause.words) and (clause.words[at] in ADVERBS or is_order(clause.words[at])):
        at += 1
    if at >= len(clause.words) or clause.words[at] in PREPOSITIONS:
        return None
    verb = clause.words[at]
    if verb in ("is", "are", "ist", "sind"):
        return None if "PLACE" in clause.tags[place] else _unread_state(clause, at + 1)
    is_known = verb in _VERBS or clause.tags[at] & _NO_DEEDS
    looks_like_verb = verb.endswith(("s", "ed", "t")) and not verb[:1].isdigit()
    return found_at(clause, at) if looks_like_verb and not is_known else None


def _is_topic(clause: Clause, place: int) -> bool:
    word = clause.words[place]
    is_named = clause.tags[place] & {"EVENT", "MONEY", "PLACE"} or word in _ORDERS
    return is_order(word) or bool(is_named and is_definite(clause, place))


def _unread_state(clause: Clause, after: int) -> Found | None:
    """What it is said to be from there on, unless that is what one reads of an order."""
    while after < len(clause.words) and clause.words[after] in _LITTLE:
        after += 1
    if after >= len(clause.words):
        return None
    state = clause.words[after]
    is_known = state in _STATES or state[:1].isdigit() or clause.tags[after] & _READ_STATES
    is_excused = is_known or lives(clause, after) or (clause.is_german and is_participle(state))
    return None if is_excused else found_at(clause, after)


_NO_DEEDS = frozenset({"WAS_READ", "FREE", "PREPARED", "BE", "HAVE", "MODAL", "FUTURE", "THING", "EVENT", "MONEY"})
_READ_STATES = frozenset({"WAS_READ", "FREE", "PREPARED", "THING", "MONEY", "SIZE", "EVENT", "UNDER_WAY"})
_READ_OF_IT = (
    "READS", "WAS_READ", "FACTUAL", "FREE", "PREPARED", "MODAL", "WHAT", "PLEASE", "CONFIRMING", "USUALLY", "TALK",
    "PERSON",
)  # fmt: skip
_READ_VERBS = words(
    "follows folgt erfolgt reached erreicht wiegt fasst meldet sagt nennt bietet heisst stimmt sucht findet erhalt "
    "bekommt entscheidet arbeitet schaut sieht beginnt startet wartet pruft schreibt umfasst hilft dankt freut "
    "kennt nutzt zeigt listet verschwindet wechselt kostet ladt andert aktualisiert schaltet unterdruckt ergibt "
    "betrifft folgt erscheint entspricht verlasst"
)
_NO_GERMAN_VERBS = words(
    "follows folgt erfolgt reached erreicht paket produkt monat rabatt punkt markt blatt zeit seit nicht jetzt "
    "erst fast laut statt rest heft kraft welt echt selbst zuerst sonst meist leicht recht schlecht gerat angebot "
    "verlust vielleicht dort zuletzt unbenutzt insgesamt restbetrag gesamt guthabenkonto falsch komplett kontakt "
    "inhalt geschenkt samt gut text chat schritt abschnitt wert ort kauft fahrt bericht nachricht ubersicht "
    "ansicht auskunft zukunft ankunft gewicht unterschied durchschnitt einheit"
)


def anything(clause: Clause, before: list[Clause]) -> Found | None:
    """A German clause about an order, a sum or an address whose verb is none of those that read of it."""
    if not clause.is_german or len(clause.words) < 4 or clause.has(*_READ_OF_IT):
        return None
    owned = clause.has("YOURS") and clause.has("EVENT", "PLACE", "MONEY")
    if not (owned or any(map(is_order, clause.words)) or not _ORDERS.isdisjoint(clause.words)):
        return None
    for place, word in enumerate(clause.words[:-1]):
        is_verb = len(word) > 4 and word.endswith("t") and word not in _NO_GERMAN_VERBS | _READ_VERBS | _VERBS
        if is_verb and not is_participle(word) and not clause.tags[place] - {"ARRIVES"}:
            return found_at(clause, place)
    return None
