"""A question as the words that a search is made of; the same for every database."""

import re
import unicodedata

MOST_WORDS = 20
LONGEST_QUERY = 1_000
LONGEST_WORD = 40
SHORTEST_CUT = 4

_WORD = re.compile(r"[^\W_]+")
# Words that say nothing about the matter. PostgreSQL knows such words by itself, SQLite does not.
_SILENT = frozenset(
    _WORD.findall("""
    a about after all also am an and any are as at be been before but by can could did do does for from get got had
    has have hello hi how i if in into is it its just know like long many may me much must my need no not of on once
    only or our out please shall should so some tell than thank thanks that the their them then there these they this
    those to too us want was we were what when where which who whom whose why will with would you your

    aber alle als am an auch auf aus bei bin bis bitte da damit danach dann das dass dem den denn der des die dies diese
    diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es etwas für ganz gegen geht gibt
    haben hallo hat hatte ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja kann kein keine können könnte
    lange man mehr mein meine meinem meinen meiner mich mir mit muss möchte müssen nach nicht noch nun nur ob oder
    ohne schon sehr sein seine sich sie sind so soll sollte um und uns unser unsere vom von vor wann war warum was
    weil welche welchem welchen welcher welches wenn wer werde werden wie wieder will wird wir wo wurde würde zu zum
    zur über
    """)
)


def words_of(text: str) -> list[str]:
    """The telling words, each once, in small letters: letters and digits alone."""
    found = (word[:LONGEST_WORD] for word in _WORD.findall(unicodedata.normalize("NFC", text).lower()))
    return list(dict.fromkeys(word for word in found if word not in _SILENT))


def asked_for(query: str) -> list[str]:
    """The words to search for: twenty of a question at most."""
    return words_of(query[:LONGEST_QUERY])[:MOST_WORDS]


def beginning_of(word: str) -> str:
    """What a longer word shares with its kin: the first letters of "returning", also those of "returned".

    Where stemming has no rule (German on SQLite, names everywhere) this is what finds Lieferung for Lieferzeiten.
    """
    return word[: max(SHORTEST_CUT, len(word) - 3)] if len(word) > SHORTEST_CUT else word


def plain(text: str) -> str:
    """Small letters without accents, for comparing words by eye."""
    parts = unicodedata.normalize("NFKD", text.lower())
    return "".join(character for character in parts if not unicodedata.combining(character))
