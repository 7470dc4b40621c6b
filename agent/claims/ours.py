"""What we say we did, are doing or had done, and what we declare."""

from agent.claims.clauses import Clause, is_participle
from agent.claims.found import ADVERBS, IRREGULAR, Found, found_at, is_order, touches
from agent.claims.vocabulary import words

_NO_VERB = words(
    "a an the your my our some no any all two three one it this that these everything nothing only not here to "
    "good great bad news more several both every found of in on at with"
)


_SAYS_PRESENT = words(
    "andere leite trage storniere erstatte uberweise kundige tausche veranlasse korrigiere aktualisiere losche "
    "entferne stoppe regle erledige stornieren erstatten uberweisen veranlassen cancel refund exchange buche "
    "hinterlege schreibe"
)


def we_did(clause: Clause, before: list[Clause]) -> Found | None:
    """ "I have taken the lamp off", "wir haben das geregelt": whatever we say we did, but looking and telling."""
    us = clause.first("US", "OUR_SIDE")
    if not clause.has("US") and clause.has("WAS_READ") and not clause.has("MONEY", "DONE_TO"):
        return None
    if us is None or (clause.is_german and "US" not in clause.tags[us] and not clause.has("HAVE", "BE")):
        return None
    return _we_did_in_german(clause, us) if clause.is_german else _we_did_in_english(clause, us)


_THINGS = ("it", "them", "that", "this", "you", "your", "the", "everything", "both")


def _we_did_in_english(clause: Clause, us: int) -> Found | None:
    place, is_perfect, is_doing = us + 1, False, False
    while place < len(clause.words):
        word = clause.words[place]
        if word in ("have", "has", "had", "ihave"):
            is_perfect = True
        elif word in ("am", "are", "is") and not is_perfect:
            is_doing = True
        elif word not in ADVERBS or (word in _THINGS and clause.words[place - 1] != "had"):
            break
        place += 1
    if clause.words[-1] in ("did", "have") and place >= len(clause.words) - 1:
        return Found(len(clause.words) - 1, is_settled=True)
    if place >= len(clause.words) or clause.words[place] in _NO_VERB or "READS" in clause.tags[place]:
        is_sent = clause.says("sent", "emailed", "mailed") and clause.says("receipt_", "returnlabel")
        return Found(place, is_settled=True) if is_sent else None
    word, tags = clause.words[place], clause.tags[place]
    is_past = word in IRREGULAR or word.endswith("ed") or "DONE_TO" in tags
    is_done = (is_past and not is_doing) or (is_perfect and (is_past or word.endswith(("en", "wn", "ne"))))
    if is_done and (clause.words[us] in ("i", "ihave") or is_theirs(clause)):
        return Found(place, is_settled=True)
    if is_doing and word.endswith("ing") and ("DOING" in tags or _is_ours(clause, word)):
        return Found(place, is_settled=False)
    return None


_ONLY_SEEN = words(
    "finden sehen erkennen feststellen prufen lesen ermitteln nachsehen helfen weiterhelfen einsehen herausfinden "
    "konnten nachvollziehen verstehen klaren abrufen aufrufen erreichen uberprufen beantworten"
)
_TOLD = words("told instructed asked informed notified ordered")


def is_theirs(clause: Clause) -> bool:
    """Whether it is about the customer, and not about the shop alone: "we have extended our opening hours"."""
    if clause.has("FACTUAL") or (
        clause.says("replacement", "ersatz") and not clause.says("your", "you", "ihr", "ihnen", "ihre")
    ):
        return False
    about = clause.has("EVENT", "DONE_TO", "DOING", "MONEY", "PLACE", "FINISHED", "PRONOUN", "CUSTOMER")
    about = about or clause.says("payment", "charge", "zahlung", "abbuchung", "belastung")
    return (
        about
        or clause.says("your", "ihr", "ihre", "ihren", "ihrem", "ihrer", "ihnen")
        or any(map(is_order, clause.words))
    )


def _is_ours(clause: Clause, word: str) -> bool:
    """Whether what is being done may be one of our actions; to process a request is not."""
    if word in ("processing", "handling", "working") and not clause.has("EVENT", "MONEY"):
        return False
    return touches(clause)


def _we_did_in_german(clause: Clause, us: int) -> Found | None:
    if clause.says("preis", "preise", "preisen"):
        return None
    if clause.has("HAVE"):
        if clause.words[-1] == "lassen":
            return Found(len(clause.words) - 1, is_settled=True)
        for place in range(len(clause.words) - 1, -1, -1):
            word, tags = clause.words[place], clause.tags[place]
            if "DONE_TO" in tags or "COMPLETED" in tags or is_participle(word):
                is_read = (
                    "READS" in tags
                    or word in ("verlassen", "erreicht")
                    or (clause.words[us] != "ich" and not is_theirs(clause))
                )
                return None if is_read else Found(place, is_settled=True)
        return None
    for place in (us + 1, us - 1):
        if 0 <= place < len(clause.words) and clause.words[place] in _SAYS_PRESENT:
            is_ours = clause.words[us] == "ich" or clause.says("ihnen", "ihre", "ihren", "ihr", "money_")
            return found_at(clause, place) if is_ours and touches(clause) else None
        taken = clause.says("heraus", "raus", "weg", "zuruckbuchen", "zuruckuberweisen")
        if 0 <= place < len(clause.words) and clause.words[place] in ("nehme", "lasse", "schicke") and taken:
            return found_at(clause, place)
    last = clause.words[-1]
    is_managed = clause.says("konnte", "konnten") and last.endswith(("en", "eln", "ern")) and last not in _ONLY_SEEN
    return Found(len(clause.words) - 1, is_settled=True) if is_managed and not clause.has("READS") else None


def we_had_done(clause: Clause, before: list[Clause]) -> Found | None:
    """ "I told the finance team to release it"."""
    told = next((at for at in clause.places("READS") if clause.words[at] in _TOLD), None)
    if told is not None and told > 1 and "BE" in clause.tags[told - 1] and clause.words[told + 1 : told + 2] == ("to",):
        is_told = told + 2 < len(clause.words) and "READS" not in clause.tags[told + 2]
        return Found(told, is_settled=True) if is_told and not clause.has("CUSTOMER") else None
    us, other = clause.first("US"), clause.first("OUR_SIDE")
    if us is not None and other is not None and us < other < us + 6 and _made_others_do(clause, us, other):
        return Found(other, is_settled=True)
    if (
        us is None
        or other is None
        or other < us
        or not clause.says("told", "asked", "instructed", "ordered", "directed", "let")
    ):
        return None
    for place in range(other + 1, len(clause.words) - 1):
        if clause.words[place] in ("to", "know") and "READS" not in clause.tags[place + 1]:
            return Found(place, is_settled=True)
    return None


def _made_others_do(clause: Clause, us: int, other: int) -> bool:
    """ "I had the warehouse pull it", and not "I had a colleague look at it"."""
    is_made = clause.words[us + 1] in ("had", "got", "made") or clause.words[us + 1 : us + 3] == ("have", "had")
    return is_made and other + 1 < len(clause.words) and not any("READS" in tags for tags in clause.tags[other + 1 :])


_COUNTS = words("two three four five several many zwei drei vier funf mehrere einige")


def declared(clause: Clause, before: list[Clause]) -> Found | None:
    """ "Consider it cancelled", "hereby", "I can confirm the cancellation"."""
    if clause.words[0] == "declared_" and clause.has("EVENT") and not clause.has("BE", "HAVE", "FUTURE"):
        return Found(0, is_settled=False)
    if clause.has("YOURS") and clause.words[-1] == "receipt_" and len(clause.words) <= 3:
        return Found(len(clause.words) - 1, is_settled=True)
    posted = clause.says("inbox", "postfach", "mailbox", "mail", "email", "post")
    if posted and clause.says(
        "receipt_", "returnlabel", "rucksendeetikett", "etikett", "rucksendeschein", "retourenschein"
    ):
        return Found(0, is_settled=True)
    if clause.says("receipt_") and clause.words[0] in ("this", "das", "dies", "hier", "here"):
        return Found(0, is_settled=True)
    told = clause.words[clause.words.index("recorded_") + 1 :][:1] if clause.says("recorded_") else ()
    if told and not told[0].isdigit() and told[0] not in _COUNTS and clause.has("EVENT", "MONEY", "DONE_TO"):
        return Found(clause.words.index("recorded_"), is_settled=True)
    if clause.says("hereby", "hiermit") and clause.has("EVENT", "DONE_TO"):
        return Found(0, is_settled=True)
    if clause.says("consider", "betrachten", "treat") and clause.has("DONE_TO", "FINISHED", "COMPLETED", "ENDED"):
        return Found(0, is_settled=True)
    return None
