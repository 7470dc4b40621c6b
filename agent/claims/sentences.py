"""Where a sentence ends, and whether its language has a lexicon."""

import re

# A point ends a sentence where something follows it; one letter, a number's sign or an abbreviation before it does not.
_END = re.compile(
    r"(?<!\bNr)(?<!\bNo)(?<!\bno)(?<!\bnr)(?<!\b\w)(?<!\bz)(?<!\bca)(?<!\bDr)[.!?…]+[\"'”“»)\]*_~>]*(?=\s|[A-ZÄÖÜ<])"
    r"|\n(?=\s*\n|\s*[-*+#|>]|\s*\d+[.)]\s)"
)
_WORD = re.compile(r"[^\W\d_]+")
_KNOWN = re.compile(
    r"(?:the|your|you|have|has|is|are|it|this|that|for|and|with|not|please|can|could|would|of|to|been|will|"
    r"order|i|my|we|be|der|das|dem|den|ihre|ihr|ihnen|sie|ich|habe|haben|ist|sind|und|mit|nicht|bitte|für|"
    r"kann|wird|wurde|bestellung|noch|eine|einen|zu|auf|wir|es)"
)
# What goes on and on is judged in parts: the time that a pattern takes may grow with the square of a sentence.
MOST_CHARS = 1_000
ENOUGH = 2  # different words of a language before it counts as spoken


def end_of_first(text: str) -> int:
    """The offset right after the first sentence; 0 where none has ended yet. At MOST_CHARS it ends in any case."""
    found = _END.search(text, 0, MOST_CHARS)
    if found or len(text) < MOST_CHARS:
        return found.end() if found else 0
    return (
        max(text.rfind(sign, 0, MOST_CHARS) for sign in ",;:\n") + 1 or text.rfind(" ", 0, MOST_CHARS) + 1 or MOST_CHARS
    )


def split(text: str) -> list[str]:
    """All sentences; together they are the text."""
    parts: list[str] = []
    while end := end_of_first(text):
        parts.append(text[:end])
        text = text[end:]
    return [*parts, text] if text else parts


def speaks_known_language(text: str) -> bool:
    """Whether the text is English or German, as far as it shows by its small words."""
    return len({word for word in _WORD.findall(text.casefold()) if _KNOWN.fullmatch(word)}) >= ENOUGH
