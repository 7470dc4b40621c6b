"""Receipt-bound speech: what a model says was done is shown only where an executed action or a record says so too.

Knows no shop. A claim is found in the words of English and German alike, whatever the conversation's language, and
is compared with what the rows hold: states, identifiers and amounts.
"""

from agent.claims.facts import Fact, Facts, facts_for, flagged, is_waiting, waiting_from_before
from agent.claims.filter import Filter
from agent.claims.finding import Claim, claim_in, may_claim
from agent.claims.judging import Judge, Verdict
from agent.claims.sentences import speaks_known_language
from agent.claims.words import is_note, note_on, with_nothing_changed

__all__ = [
    "Claim",
    "Fact",
    "Facts",
    "Filter",
    "Judge",
    "Verdict",
    "claim_in",
    "facts_for",
    "flagged",
    "is_note",
    "is_waiting",
    "may_claim",
    "note_on",
    "speaks_known_language",
    "waiting_from_before",
    "with_nothing_changed",
]
