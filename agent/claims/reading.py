"""Text as its reader takes it: without marks, tags, invisible characters, look-alikes and accents."""

import html
import re
import unicodedata

_UMLAUTS = {"ü": "ue", "ö": "oe", "ä": "ae"}
_TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z][^<>]*>", re.DOTALL)
_MARKS = re.compile(r"[*~`_\\]+")
_STRUCK = re.compile(r"~~[^~\n]*~~")
_LINK = re.compile(r"\[([^\]\n]{0,200})\]\([^)\n]{0,300}\)")
_SPACED = re.compile(r"(?<!\w)(?:\w[ .\-_]){3,}\w(?!\w)")
_LOOK_ALIKES = str.maketrans("авсԁеѕіјкмнорԛтхуѵɡοανικετρυχ’ʼ‘`|", "abcdesijkmhopqtxyvgoaviketpux'''':")
_TICK = re.compile(r"[\u2705\u2714\u2611\u2713\U0001f5f9\U0001f44d\U0001f4b8]\ufe0f?")
_TICKED = re.compile(rf"(?<=\w)[ .!:*]{{0,3}}{_TICK.pattern}")
_SHORT = (
    (re.compile(r"\b(hab|habe|ist|geht|war|wird|gibt|wurde)'s\b"), r"\1 es"),
    (re.compile(r"\blet's\b"), "let us"),
    (re.compile(r"\b(can|wo|sha)n't\b"), r"\1n not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'s\b(?= \w+ (?:is|was|are|were|has|have|can|will|may|must)\b)"), ""),  # "the order's total is"
    (re.compile(r"'s\b"), " is"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'m\b"), " am"),
    (re.compile(r"'d\b(?! (?:\w{1,20}ed|been|done)\b)"), " would"),
    (re.compile(r"'ll\b"), " will"),
)


def read(text: str) -> str:
    """The text to search in: lower case, plain letters, one space between words. Its offsets are not the text's."""
    text = html.unescape(_TAG.sub("", _LINK.sub(r"\1", _STRUCK.sub("", text))))
    text = unicodedata.normalize("NFKC", _TICK.sub(" tickmark ", _TICKED.sub(" tickmark; ", _MARKS.sub("", text))))
    text = "".join(char for char in text if unicodedata.category(char) not in ("Cf", "Cc", "Co") or char in "\n\t")
    text = _unspaced(text).casefold()
    for would in (
        "würd",
        "könn",
        "wär",
        "hätt",
        "käm",
        "gäb",
    ):  # "würde" must not become "wurde", nor "könnte" "konnte"
        text = text.replace(would, f"{would[0]}{_UMLAUTS[would[1]]}{would[2:]}")
    text = unicodedata.normalize("NFD", text.translate(_LOOK_ALIKES))
    text = "".join(char for char in text if not unicodedata.combining(char))
    for short, long in _SHORT:
        text = short.sub(long, text)
    return " ".join(text.split())


def _unspaced(text: str) -> str:
    """ "r e f u n d e d" is one word."""
    return _SPACED.sub(lambda found: re.sub(r"[ .\-_]", "", found[0]), text)
