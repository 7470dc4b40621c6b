"""A pocket dictionary: everyday German as English, and words that mean the same. It holds words, and no shop."""

import re
import unicodedata
from functools import cache

_ENDINGS = ("n", "e", "s", "en", "er", "es", "em", "ern")
_SHORTEST_END = 5  # letters of a word that may stand at the end of a compound: Regenjacke, Schreibtischlampe
_RUNS = (  # several words that are one thing; a card is one to pay with, unless it is a gift card
    (re.compile(r"\bgift (?:card|voucher)s?\b|\bvouchers?\b"), "giftcard"),
    (re.compile(r"\b(?:(?:credit|debit|bank) )?cards?\b"), "creditcard"),
    (re.compile(r"\b(?=(?:visa|mastercard|amex|american express)\b)"), "creditcard "),
)

_THINGS = """
schwarz black | weiss white | blau blue | rot red | grun green | grau grey | gelb yellow | braun brown | rosa pink |
lila purple | orange orange | beige beige | sand sand | moos moss | olive olive | marine navy | dunkelblau navy |
graphit graphite | rost rust | natur natural | messing brass | stahl steel | edelstahl steel | eisen iron |
holz wood | eiche oak | buche beech | walnuss walnut | leinen linen | wolle wool | leder leather | silber silver |
gold gold | hell light | mittel medium | dunkel dark | klein small | gross large | lang long | kurz short |
schlicht plain | gepunktet dotted | liniert lined | kleiner smaller | grosser larger | langer longer |
kurzer shorter | netz mains | fischgrat herringbone | tinte ink | farbe colour | grosse size | lampe lamp |
becher mug | tasse mug | kessel kettle | wasserkocher kettle | bohne beans | kaffee coffee | schurze apron |
pfanne pan | messer knife | brett board | flasche bottle | thermosflasche thermos bottle | rucksack backpack |
socke socks | strumpf socks | jacke jacket | decke blanket | notizbuch notebook | heft notebook | klingel bell |
fahrrad bicycle | mantel coat | hose trousers | hemd shirt | bluse blouse | kleid dress | schuh shoes |
stiefel boots | mutze cap | hut hat | schal scarf | handschuh gloves | tisch table | stuhl chair | regal shelf |
teller plate | schussel bowl | glas glass | loffel spoon | gabel fork | topf pot | kanne jug | vase vase |
kissen cushion | handtuch towel | teppich rug | spiegel mirror | uhr clock | buch book | stift pen |
kopfhorer headphones | tastatur keyboard | maus mouse | ladegerat charger | regenjacke rain jacket |
schreibtischlampe desk lamp | geld money | karte card | kreditkarte credit card | geschenkkarte gift card |
gutschein gift card | guthabenkarte gift card | zahlungsart payment method | zahlungsmethode payment method |
zahlungsweise payment method | paket parcel | sendung parcel | packchen parcel | stand status | rechnung invoice |
summe total | gesamtbetrag total | adresse address | anschrift address | lieferadresse shipping address |
versandadresse shipping address | konto account | artikel item | gesprach conversation | mail mail
"""
_REST = """
beide both | alle all | alles everything | samtliche all | zwei two | drei three | zuruckgeben return |
zuruckzugeben return | zuruckzuschicken return | umzutauschen exchange | zuruckschicken return |
zurucksenden return | rucksendung return | ruckgabe return | retoure return | retournieren return |
umtauschen exchange | umtausch exchange | tauschen exchange | tausche exchange | zahlen pay | bezahlen pay |
bezahle pay | liefern deliver | andern change | ausser except | ohne without
"""
_ENGLISH = """
gray grey | color colour | big large | bigger larger | package parcel | packages parcel | packet parcel | cup mug |
cups mug | swap exchange | rucksack backpack | knives knife | scarves scarf | shelves shelf | glasses glass |
wooden wood
"""


def plain(word: str) -> str:
    """In small letters, without accents."""
    parts = unicodedata.normalize("NFKD", word.lower().replace("ß", "ss"))
    return "".join(character for character in parts if not unicodedata.combining(character))


def in_english(word: str) -> str:
    """The word in English where the dictionary has it, in any ending; else the word, plain."""
    return _translated(plain(word))


def one_word_each(text: str) -> str:
    """English words, with every run of words that names one thing made one word: "gift card" is giftcard."""
    for run, word in _RUNS:
        text = run.sub(word, text)
    return text


def _rows(text: str) -> dict[str, str]:
    pairs = (row.split(maxsplit=1) for row in text.split("|") if row.strip())
    return {word: meaning.strip() for word, meaning in pairs}


_NOUNS = _rows(_THINGS)
_WORDS = _NOUNS | _rows(_REST) | _rows(_ENGLISH)


@cache
def _translated(word: str) -> str:
    forms = [word, *(word[: -len(ending)] for ending in _ENDINGS if word.endswith(ending))]
    for form in forms:
        if form in _WORDS:
            return _WORDS[form]
    ends = [key for key in _NOUNS if len(key) >= _SHORTEST_END and any(f.endswith(key) for f in forms)]
    return _WORDS[max(ends, key=len)] if ends else word
