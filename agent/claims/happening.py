"""Our actions by their own words: cancelled, a refund that does anything, a few words without a verb."""

from agent.claims.clauses import Clause, is_participle
from agent.claims.found import Found, found_at, is_attribute, is_definite, is_order, lives, names_something, starts
from agent.claims.vocabulary import words

_ABOUT = words("about regarding concerning uber zu zur zum bezuglich wegen on of")


# What becomes of a voucher, which the customer spends.
_USED = words("used redeemed bought purchased eingelost gekauft verwendet genutzt")
_GERMAN_NO = words("bestellt uberhaupt verstanden bereit bekannt gesamt getrennt erreicht gerne geehrt verehrt gut")


def done_to(clause: Clause, before: list[Clause]) -> Found | None:
    """ "is cancelled", "wurde erstattet", and bare "Cancelled!"."""
    for place in clause.places("DONE_TO"):
        if is_attribute(clause, place):
            continue
        helped = clause.places("BE", "HAVE")
        if helped and (clause.is_german or helped[0] < place):
            return found_at(clause, place)
        if starts(clause, place):
            return found_at(clause, place)
    return None


def event(clause: Clause, before: list[Clause]) -> Found | None:
    """ "Your refund is anything at all", "refund issued", "die Erstattung lauft"."""
    for place in clause.places("EVENT"):
        if place and (clause.words[place - 1] in _ABOUT or (place > 1 and clause.words[place - 2] in _ABOUT)):
            continue
        for after in range(place + 1, len(clause.words)):
            if clause.tags[after] & {"COMPLETED", "UNDER_WAY", "FINISHED", "ENDED", "ARRIVES"}:
                return found_at(clause, after)
        if clause.says("ago_"):
            return Found(place, is_settled=True)
        if "address" in clause.tags[place] and clause.says("has", "knows", "kennt", "hat") and not clause.has("US"):
            return found_at(clause, place)
        if clause.words[-1] in ("ok", "check", "steht", "lauft", "stands", "passt") and place < len(clause.words) - 1:
            return found_at(clause, len(clause.words) - 1)
        if place == 1 and clause.words[0] in ("processing", "issuing", "booking", "sending"):
            return found_at(clause, 0)
        verbs = [at for at in clause.places("BE", "FUTURE") if at > place]
        if (verbs and clause.has("NOW")) or (is_definite(clause, place) and clause.has("NOW", "SOON") and place < 6):
            return found_at(clause, verbs[0] if verbs else len(clause.words) - 1)
        if verbs and not _USED.isdisjoint(clause.words[verbs[0] :]):
            continue
        if verbs and is_definite(clause, place) and not _is_plain(clause, verbs[0]):
            return found_at(clause, verbs[0])
        if clause.is_german and clause.has("BE", "HAVE", "FUTURE"):
            done = clause.first("COMPLETED", "UNDER_WAY", "FINISHED", "ENDED")
            if done is not None:
                return found_at(clause, done)
    return None


def _is_plain(clause: Clause, verb: int) -> bool:
    """ "is 42 euros", "is for", "is a": says what a thing is, and not what became of it."""
    word = clause.words[verb + 1] if verb + 1 < len(clause.words) else ""
    return word in (
        "money_",
        "a",
        "an",
        "for",
        "of",
        "about",
        "only",
        "eine",
        "ein",
        "fur",
        "the",
        "der",
        "die",
        "das",
        "",
    ) or (word[:1].isdigit())


def doing(clause: Clause, before: list[Clause]) -> Found | None:
    place = clause.first("DOING")
    # "Changing the address is free" tells of what may be done.
    helped = place is not None and any(at < place for at in clause.places("BE"))
    return found_at(clause, place) if helped and not clause.has("READS") else None


def future(clause: Clause, before: list[Clause]) -> Found | None:
    """ "We will refund you", "der Betrag wird erstattet": a promise is a claim where nothing was done."""
    will = clause.first("FUTURE")
    if will is None:
        return None
    after = clause.tags if clause.is_german else clause.tags[will + 1 :]
    if any("READS" in tags or "PREPARED" in tags for tags in after[:3]) and not clause.says(
        "get", "receive", "see", "show"
    ):
        return None
    for tags in after:
        if tags & {"DONE_TO"} or ("EVENT" in tags and clause.has("US", "OUR_SIDE")):
            return Found(will, is_settled=False)
    if clause.has("MONEY") and any(tags & {"ARRIVES", "COMPLETED", "GETS"} for tags in after):
        return Found(will, is_settled=False)
    if clause.has("US") and any(tags & {"FINISHED"} for tags in after):
        return Found(will, is_settled=False)
    return None


def finished(clause: Clause, before: list[Clause]) -> Found | None:
    """ "Done", "it is sorted", and "completed" after a thing and a colon."""
    if clause.words[-1] in ("is", "has", "did", "ist") and clause.has("NOW") and len(clause.words) < 4:
        return found_at(clause, 0)
    place = clause.first("FINISHED")
    if place is None and clause.words[0] in ("ist", "is", "sind", "alles") and len(clause.words) <= 4:
        place = clause.first("ENDED")
    if place is None:
        return _label(clause, before)
    if lives(clause, place):
        return None
    after = clause.words[place + 1] if place + 1 < len(clause.words) else ""
    if after in ("on", "by", "when", "as", "only", "there", "at", "auf", "via", "through", "order", "orders"):
        return None
    names = clause.has("PRONOUN", "THING", "CUSTOMER", "US") or any(map(is_order, clause.words))
    helped = clause.has("BE", "HAVE") and names
    if len(clause.words) <= 5 and starts(clause, place):
        return found_at(clause, place)
    helped = helped or (clause.words[place] == "done_" and clause.has("US"))
    return (
        found_at(clause, place)
        if helped or (clause.words[place] in ("done_", "tickmark") and clause.has("BE"))
        else None
    )


def _label(clause: Clause, before: list[Clause]) -> Found | None:
    """ "Refund: sent"."""
    place = clause.first("COMPLETED", "UNDER_WAY", "ENDED")
    if place is None and len(clause.words) == 1 and clause.words[0] in ("ok", "check", "yes", "ja", "passt"):
        place = 0
    if place is None or not before or len(clause.words) > 5 or not starts(clause, place):
        return None
    named = before[-1]
    if "WAS_READ" in clause.tags[place] and not named.has("EVENT", "MONEY"):
        return None
    is_label = named.has("EVENT", "MONEY", "PLACE", "SIZE", "THING") and not named.has(
        "BE", "HAVE", "MODAL", "US", "FUTURE"
    )
    return found_at(clause, place) if is_label else None


def telegram(clause: Clause, before: list[Clause]) -> Found | None:
    """ "Lieferstopp gesetzt", "Scrapped!", "funds released": a few words, the last of which is a participle."""
    if len(clause.words) > 9 or clause.has(
        "BE", "HAVE", "FUTURE", "FACTUAL", "READS", "FREE", "PREPARED", "CUSTOMER", "WHAT"
    ):
        return None
    for place, (word, tags) in enumerate(zip(clause.words, clause.tags, strict=True)):
        if tags & {"WAS_READ", "READS"} or (place > 0 and clause.tags[place - 1] & {"DETERMINER"}):
            continue
        is_last = place == len(clause.words) - 1
        is_german = is_last and word not in _GERMAN_NO and is_participle(word) and not tags & {"EVENT", "THING"}
        is_english = (
            word.endswith("ed") and len(word) > 5 and not clause.is_german and (is_last or starts(clause, place))
        )
        ends = (
            is_last and tags & {"ENDED", "COMPLETED", "FINISHED"} and len(clause.words) > 1 and names_something(clause)
        )
        ends = ends or (is_last and word in ("raus", "rein", "weg", "futsch", "drin") and 1 < len(clause.words) < 4)
        if (is_german or is_english or ends) and not is_attribute(clause, place) and not lives(clause, place):
            return found_at(clause, place)
    return None
