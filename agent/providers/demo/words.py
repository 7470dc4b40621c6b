"""Words of a sentence, coarsely: enough to tell one wish from another in English and German."""

import re

from agent.providers.demo.vocabulary import in_english, one_word_each, plain


def words_of(text: str) -> list[str]:
    """The words in their order, in small letters."""
    return re.findall(r"[^\W\d_]+", text.lower())


ENGLISH = frozenset(
    words_of("""
    a an and any are at be been but by can could did do does for from get give got had has have hello hi how i if
    in is it its just like may me my no not of on or our please should so some tell than thank thanks that the
    their them then there they this to was we were what which will with would you your want need am about let all
    those these one ones onto into via per instead
    """)
)
GERMAN = frozenset(
    words_of("""
    aber als am an auf aus bei bitte da damit das dass dem den der des die dir doch du ein eine einem einen einer
    er es fuer für habe haben hat hallo hätte ich ihr ihre ihren im in ist ja kann kannst können könnten man mein
    meine meinem meinen meiner mich mir mit möchte nach nein nicht noch nun nur oder schon sein sich sie sind so
    und uns von vom wäre was welche welchen wenn werden wie wird wir wurde würde zu zum zur ihnen dieser diese
    dieses gibt will dann statt über per wo wann warum danke bestellung guten morgen tag hilfe vielen dank
    """)
)
SILENT = ENGLISH | GERMAN - {
    "wo",
    "wann",
    "bestellung",
    "morgen",
    "tag",
    "hat",
}  # words that say nothing about the wish

STEM = 5  # letters: order(s), deliv(ery), storn(ieren), bestel(lung) and their kin fall together


def language_of(*texts: str) -> str:
    """ "de" or "en", by the first text that shows either; English where none does."""
    for text in texts:
        words = re.findall(r"[a-zäöüß]+", text.lower())
        german = sum(word in GERMAN or bool(re.search("[äöüß]", word)) for word in words)
        english = sum(word in ENGLISH or word in ("where", "when", "order") for word in words)
        if german != english:
            return "de" if german > english else "en"
    return "en"


def stems(text: str) -> frozenset[str]:
    """The words that carry meaning, in English where the dictionary has them, cut to a common beginning; numbers and
    whatever holds a digit are left out."""
    words = (word for chunk in re.split(r"\s+", text) if not re.search(r"\d", chunk) for word in words_of(chunk))
    meant = (part for word in words if word not in SILENT for part in in_english(word).split())
    return frozenset(stem(word) for word in meant if word not in SILENT)


def stem(word: str) -> str:
    """The beginning that a word shares with its kin, without accents."""
    return _singular(plain(word))[:STEM]


def english(text: str) -> str:
    """The text with its German words in English, as far as the dictionary goes."""

    def word_in_english(found: re.Match[str]) -> str:
        meaning = in_english(found[0])
        return found[0] if meaning == plain(found[0]) else meaning

    return re.sub(r"[^\W\d_]+", word_in_english, text)


def tokens(text: str) -> frozenset[str]:
    """Words, sizes and numbers as names, options and labels hold them: whole, in English, each in one form."""
    text = re.sub(r"['’](s|m|d|ll|re|ve)\b", "", text.lower().replace("_", " "))
    found = re.findall(r"\d+(?:[.,]\d+)?|[^\W\d_]+\d*", text)
    words = (in_english(word) for word in found if word not in SILENT)
    return frozenset(_one_form(word) for word in one_word_each(" ".join(words)).split() if word not in SILENT)


def _one_form(word: str) -> str:
    """ "1.0", "1,0" and "1" are one number; "mugs" and "mug" one thing."""
    if word[0].isdigit():
        number = word.replace(",", ".")
        return number.rstrip("0").rstrip(".") if "." in number else number
    return _singular(word)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


NEWEST = stems("latest newest recent last letzte neueste jüngste")
