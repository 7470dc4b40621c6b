"""Phrases that mean more, or less, than their words: each becomes one word of `agent.claims.vocabulary`, or nothing.

Matched against read text: lower case, no accents, short forms written out. A line is a pattern, and one that
begins with ">" goes on with it; what comes earlier is replaced earlier.
"""

import re
from collections.abc import Iterator

from agent.claims.phrases_around import AROUND
from agent.claims.phrases_for_deeds import FOR_DEEDS
from agent.claims.phrases_for_images import FOR_IMAGES
from agent.claims.phrases_for_things import FOR_THINGS

# What stands for longer pieces in the patterns.
_PIECES = {
    "{tell}": (
        r"confirm|inform you|tell you|let you know|say|announce|report|assure you|advise you|share|note"
        r"|add|inform|notify you|mention"
    ),
    "{adverb}": (
        r"(?:also|now|gladly|hereby|only|just|already|very|so|be|always|then|really|fully|safely|gerne?"
        r"|hiermit|Ihnen)"
    ),
    "{kind}": (
        r"(?:refund|cancell?ation|exchange|return|change|credit|erstattung|ruckerstattung|stornierung"
        r"|gutschrift|anderung|rucksendung)"
    ),
}


def _compiled() -> Iterator[tuple[re.Pattern[str], str]]:
    """One search for all that means the same, unless the word quotes what was found."""
    for word, lines in (*FOR_IMAGES, *AROUND, *FOR_THINGS, *FOR_DEEDS):
        joined = re.sub(r"\n\s*> ", "", lines)
        for name, piece in _PIECES.items():
            joined = joined.replace(name, piece)
        patterns = [pattern.strip() for pattern in joined.split("\n") if pattern.strip()]
        for pattern in patterns if "\\" in word else ["|".join(patterns)]:
            yield re.compile(pattern), word


PHRASES = tuple(_compiled())


def without_phrases(text: str) -> str:
    """The text with each phrase as what it means."""
    for pattern, word in PHRASES:
        text = pattern.sub(word, text)
    return text
