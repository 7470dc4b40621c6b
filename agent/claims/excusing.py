"""What makes a clause harmless that would else be a claim: questions, negations, conditions, offers, policies."""

from dataclasses import dataclass
from functools import cached_property

from agent.claims.clauses import Clause
from agent.claims.found import Found
from agent.claims.telling import is_told_only
from agent.claims.vocabulary import words

_ASKS = words(
    "is are was were has have had do does did can could would should shall will may what which when where why who "
    "how soll sollen mochten mochte kann konnen koennen koennten haben hat habe ist sind wurden wurde wird werden "
    "war was welche welcher welches wann wo warum wer wie darf durfen soll"
)
# A condition that decides nothing: whoever looks, or has other questions.
_IDLE = words(
    "check look refresh log open read reload wonder wondering curious see glance bank any anything questions else "
    "nachsehen schauen lesen aktualisieren einloggen anmelden fragen sonst weitere sehen lesen wake issuer "
    "kreditinstitut"
)
_WANTS = words(
    "say sagen schreiben schreibt asked said told wrote mentioned want wanted like requested wish reported ordered "
    "paid need claim believe think mean mochten wollten schrieben sagten baten gebeten wunschen wollen wollte "
    "schrieb changed returned confirmed expect gesagt geschrieben erwahnt gemeldet berichtet mitgeteilt"
)
_IMPERATIVE = words("confirm click just simply press bestatigen klicken drucken approve sign")
_TOOLS = words("button knopf schaltflache chart grossentabelle undeliverable unzustellbar")
_GENERAL = words(
    "refunds orders items returns exchanges customers cancellations credits replacements changes kunden stornierte "
    "erstattungen bestellungen rucksendungen retouren ruckgaben gutschriften umtausche anderungen stornierungen "
    "any each every jede jeder jedes most"
)


@dataclass(frozen=True)
class Context:
    """The clauses of the sentence, and which of them is judged."""

    clauses: list[Clause]
    place: int

    @cached_property
    def before(self) -> list[Clause]:
        return self.clauses[: self.place]

    @cached_property
    def after(self) -> list[Clause]:
        return self.clauses[self.place + 1 :]


def is_excused(clause: Clause, found: Found, context: Context) -> bool:
    """Whether anything in the clause or around it takes the claim away."""
    return (
        _is_asked(clause, context)
        or _is_denied(clause, found, context)
        or _is_offered(clause, found)
        or _is_told(clause, found, context)
        or is_told_only(clause, found, context.before)
        or _is_proposed(clause, found)
        or _is_general(clause, found, context)
        or _is_conditional(clause, found, context)
    )


def _is_asked(clause: Clause, context: Context) -> bool:
    if clause.asks:
        return True
    rest = context.after
    is_verbless = not clause.has("BE", "HAVE", "US", "FUTURE")
    if is_verbless and any(other.asks and other.joined in ("or", "oder") for other in rest[:2]):
        return True
    end = next((place for place, other in enumerate(rest) if other.asks), None)
    begun = next(
        (other for other in [*context.before, clause] if other.words[0] not in ("and", "so", "ok", "hello")), clause
    )
    checks = any(other.says("understand", "verstehe") for other in context.before)
    return end is not None and (checks or begun.words[0] in _ASKS)


def _is_denied(clause: Clause, found: Found, context: Context) -> bool:
    that = next((at for at, word in enumerate(clause.words) if word in ("that", "dass") and at > found.place), None)
    is_result = clause.says("arranged") or (clause.says("mehr", "longer_") and "NEGATION" in clause.tags[found.place])
    denials = [] if is_result else clause.places("NEGATION")
    if denials and (that is None or denials[0] < that or not clause.has("US")):
        return True
    last = context.before[-1] if context.before else clause
    if clause.is_led and last.has("NEGATION") and last.has("BE", "HAVE") and not last.has("MODAL"):
        return True
    leans = clause.joined in ("or", "oder", "nor") or clause.words[0] in ("dass", "ob", "that", "whether")
    return leans and bool(context.before) and context.before[-1].has("NEGATION", "MODAL")


def _is_offered(clause: Clause, found: Found) -> bool:
    """What may, can or should be."""
    if "NEGATION" in clause.tags[found.place] and clause.says("mehr", "longer_"):
        return False
    places = (place for place in clause.places("MODAL") if place != found.place)
    return any(clause.is_german or place < found.place for place in places)


def _is_told(clause: Clause, found: Found, context: Context) -> bool:
    """What the customer says, wants or did."""
    if clause.has("US") and clause.says("said", "wrote", "thought", "sagte", "schrieb"):
        return True
    if (
        clause.has("FACTUAL")
        and clause.tags[found.place] & {"change", "exchange", "COMPLETED"}
        and not clause.has("US")
        and not clause.says("your", "ihr", "ihre")
    ):
        return True
    if clause.says("depot", "sender", "absender") and "return" in clause.tags[found.place]:
        return True
    if _did_themselves(clause, found):
        return True
    if clause.says("atorder_") and not clause.has("US"):
        return True
    is_no_tool = _TOOLS.isdisjoint(clause.words) and not (
        context.before
        and clause.words[0] in ("der", "die", "das", "that")
        and not _TOOLS.isdisjoint(context.before[-1].words)
    )
    if not is_no_tool and not clause.has("US"):
        return True
    if clause.has("PERSON") and clause.has("US") and not clause.has("EVENT", "DONE_TO", "DOING", "MONEY", "PLACE"):
        return not clause.has("FINISHED")
    is_talk = clause.has("TALK") or clause.says("ticket")
    if is_talk and clause.has("US") and not clause.has("EVENT", "DONE_TO", "MONEY", "PLACE"):
        return True
    for each in [clause, *context.before[-1:]]:
        if each is not clause and clause.words[0] not in ("dass", "that", "ob", "whether", "die", "der", "das", "zu"):
            continue
        for you in each.places("CUSTOMER"):
            near = each.words[you + 1 : you + 4] if not each.is_german else each.words
            if not _WANTS.isdisjoint(near) and (each is not clause or you < found.place):
                return True
    return False


def _did_themselves(clause: Clause, found: Found) -> bool:
    """ "You have confirmed the address", and not "you have your money" or "you have been refunded"."""
    if clause.has("US", "MONEY", "BE", "NOW") or clause.says("bekommen", "erhalten", "received", "got"):
        return False
    if clause.words[0] in ("dass", "weil", "da") and clause.words[1:2] == ("sie",) and clause.words[-1] == "haben":
        return True
    did = any(word == "you" and "DONE_TO" in tags for word, tags in zip(clause.words, clause.tags[1:], strict=False))
    if did:
        return True
    pairs = set(zip(clause.words, clause.words[1:], strict=False))
    return bool(pairs & {("sie", "haben"), ("haben", "sie"), ("you", "have")}) and bool(
        clause.tags[found.place] & {"COMPLETED", "DONE_TO"}
    )


def _is_proposed(clause: Clause, found: Found) -> bool:
    """Prepared, or waiting for a confirmation, or handed to a person."""
    what = clause.first("WHAT")
    if what is not None and what <= found.place and not clause.says("you", "sie"):
        return True
    awaits = clause.says("pending", "your", "ihrer", "ihre") and clause.has("CONFIRMING") and not found.is_settled
    if awaits:
        return True
    is_ours = found.is_settled and clause.has("US")
    is_free = clause.has("FREE") and not is_ours and not clause.says("fromnow", "ended_", "ago_")
    if (
        is_free
        or (clause.has("PREPARED") and not clause.says("being", "inbox", "postfach", "mailbox"))
        or (clause.has("CONFIRMING") and clause.has("PLEASE", "CUSTOMER"))
    ):
        return True
    is_given = clause.says("gegeben", "given", "gereicht", "gemeldet", "geschickt", "gesandt", "sent")
    return clause.has("PERSON") and (is_given or (clause.has("READS") and not clause.has("US")))


def _is_general(clause: Clause, found: Found, context: Context) -> bool:
    """How it is always done."""
    if _is_rule(clause, found, context):
        return True
    if found.is_settled:
        return False
    is_attribute = "DONE_TO" in clause.tags[0] and found.place > 0
    if clause.has("USUALLY") or clause.words[0] in _GENERAL or is_attribute:
        return True
    if clause.words[0] in ("money", "geld") and "DONE_TO" in clause.tags[found.place]:
        return True
    is_any = clause.words[0] in ("a", "an", "ein", "eine", "einen")
    return is_any and not (clause.has("NOW", "UNDER_WAY", "DOING") or clause.says("being"))


def _is_rule(clause: Clause, found: Found, context: Context) -> bool:
    """Of all and in the present, even with a "was" or an "at once" in what follows."""
    if clause.is_german or clause.has("US"):
        return False
    if clause.words[0] in _GENERAL:
        return all(place > found.place for place in clause.places("PAST", "NOW", "HAVE"))
    follows = bool(context.before) and context.before[0].words[0] in _GENERAL
    return follows and clause.words[0] in ("a", "an") and not clause.has("PAST", "HAVE")


def _is_conditional(clause: Clause, found: Found, context: Context) -> bool:
    """Whether it hangs on something that is still to be decided."""
    own = clause.first("CONDITION")
    is_after_ours = own is not None and clause.words[own] == "nachdem" and clause.has("US")
    if own is not None and found.is_settled and (is_after_ours or clause.words[own] == "upon_"):
        own = None
    if clause.is_german and context.after and not context.before and _is_inverted(clause, context.after[0]):
        return True
    if clause.is_german and clause.words[0] == "damit" and clause.has("FUTURE") and "FUTURE" in clause.tags[-1]:
        return True
    if own is not None and own < max(found.place, 1) and not _is_idle(clause):
        return True
    if _is_promised(clause, context.before):
        return True
    if found.is_settled:
        return False
    if own is not None and not _is_idle(clause):
        return True
    if any(
        other.words[0] in ("wer", "who", "whoever", "should", "sollte", "sollten", "were") for other in context.before
    ):
        return True
    if clause.words[0] in ("then", "dann") or clause.joined in ("then", "dann"):
        return not all(_is_interjection(other) for other in context.before)
    if clause.is_german and len(context.before) == 1 and _is_inverted(context.before[0], clause):
        return True
    earlier = [other for other in context.before if _is_condition(other) or _is_request(other)]
    later = [other for other in context.after[:2] if _is_condition(other) and not other.has("NEGATION")]
    return bool(earlier or later)


_INTERJECTIONS = words(
    "great good perfect ok okay alright well super fine right excellent wonderful prima gut klar na sehr schon toll "
    "very then also so wunderbar perfekt yes ja bestens understood verstanden"
)
_IMPERATIVES = words("say give tell send let confirm click drop choose pick nod just please reply answer type")


def _is_interjection(clause: Clause) -> bool:
    return _INTERJECTIONS.issuperset(clause.words)


def _is_promised(clause: Clause, before: list[Clause]) -> bool:
    """ "[Say yes] and I will start it"."""
    is_ours = clause.joined in ("and", "und") and clause.has("US")
    return is_ours and (clause.has("FUTURE") or clause.is_german) and _is_imperative(before)


def _is_imperative(before: list[Clause]) -> bool:
    """ "Say yes [and I will start it]", "ein Wort von Ihnen [und ich leite ihn ein]"."""
    if not before or before[-1].has("US", "BE", "PAST"):
        return False
    first = before[-1].words
    if not before[-1].is_german:
        return first[0] in _IMPERATIVES
    return first[:2] == ("ein", "wort") or (first[0].endswith("en") and first[1:2] == ("sie",))


def _is_condition(clause: Clause) -> bool:
    if clause.asks:
        return False
    return clause.has("CONDITION") and not _is_idle(clause)


def _is_inverted(first: Clause, then: Clause) -> bool:
    """A German condition without its word: "Wird storniert, fliesst das Geld"."""
    begins = (
        (first.words[0].endswith("t") or first.words[0] in ("wurde", "wurden", "ist", "sind"))
        and len(first.words) > 2
        and bool(first.tags[1] & {"DETERMINER", "YOURS", "CUSTOMER", "PRONOUN"} or first.words[1] == "ihnen")
    )
    follows = bool(then.tags[0] & {"BE", "HAVE", "FUTURE", "MODAL", "ARRIVES", "GETS"}) or then.words[0] == "dann"
    follows = follows or (first.has("PAST") and then.words[1:2] in (("wir",), ("sie",), ("ich",)))
    return (begins or "FUTURE" in first.tags[0]) and follows


def _is_idle(clause: Clause) -> bool:
    if clause.says("ask", "fragen", "wondering", "wundern"):
        return True
    if clause.has("CONFIRMING") or clause.says("whether", "ob", "before", "bevor", "until", "unless", "bis"):
        return False
    return not _IDLE.isdisjoint(clause.words)


def _is_request(clause: Clause) -> bool:
    asks = clause.has("PLEASE", "CUSTOMER") or clause.words[0] in _IMPERATIVE
    return clause.has("CONFIRMING") and asks and not clause.has("US", "PAST")
