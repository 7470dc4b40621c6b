"""A sentence in its clauses, each word with what it may do there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from agent.claims.phrases import without_phrases
from agent.claims.vocabulary import tags_of, words

AMOUNT = re.compile(
    r"[€$£]\s?\d[\d.,]{0,15}|\b\d[\d.,]{0,15}\s?(?:€|\$|£|(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|cents?)\b)"
)
_BREAK = re.compile(
    r"[;!?()|–—…→•]+|:(?!\d)|,(?!\d)|\.(?=\s|$)(?!\s(?:januar|februar|marz|april|mai|juni|juli|august|september|oktober|november|dezember)\b)|\s-+\s"
    r"|(?<!nicht)\s(?=(?:and|und|or|oder|nor|but|because|so(?! (?:gut|schnell|\w+lich|glad|pleased|happy)\b)"
    r"|however|although|while|whereas|which|sowie|then)\s)"
)
_PRICES = re.compile(r"(?:money_\s{1,3})+money_")
_WORD = re.compile(r"[\w&]+(?:-[\w]+)*")
_JOINS = frozenset({"and", "und", "or", "oder", "nor", "sowie"})
_LINKS = _JOINS | {"but", "aber", "sondern", "because", "weil", "denn", "so", "however", "although", "obwohl", "while",
                   "whereas", "which"}  # fmt: skip
_GERMAN = words(
    "der die das den dem ihre ihr ihnen ihren sie ich wir ist sind wurde wurden haben habe hat wird werden nicht "
    "und mit fur auf zu eine einen noch schon bereits jetzt es nun wie sich als von bei im"
)
_NOT_THERE = {
    "was": frozenset({"WHAT"}),
    "will": frozenset({"MODAL"}),
    "die": frozenset({"DETERMINER", "YOURS"}),
    "am": frozenset(),
}


_PREFIXES = (
    "ruckab|ruck|locker|an|ab|auf|aus|ein|vor|zu|zuruck|um|weg|her|hin|heraus|hinaus|raus|rein|nach|mit|durch|uber|unter|frei|fest"
    "|los|gut|statt|weiter"
    "|zusammen|nieder|bereit|hoch|runter|fort|bei|dar|da|wieder|heim|klar|rum|herum|hinein|hinzu|nieder|fertig|vorbei"
)
_NOUNS = words(
    "erfolgt angebot gewicht gerat gebiet gericht gesicht gehalt geschaft gesellschaft genugt gegenwart gesamt "
    "angebote gerate gebot verbot bericht besuch betracht verlust ersatzt enthalt erhalt bekannt bereit entfallt "
    "besteht entsteht versteht "
    # Infinitives: their participles end in another way.
    "bestatigen erstatten bestellen bezahlen verwenden versenden verschicken verandern beachten uberprufen gedulden "
    "beantragen vermerken versuchen bestimmen beantworten erledigen entfernen ersetzen erfahren"
)
_PARTICIPLE = re.compile(
    rf"(?:{_PREFIXES})?ge\w{{2,20}}(?:t|en)|(?:be|ver|ent|er|zer|uber|unter|wider|miss)\w{{3,20}}(?:t|en)"
    rf"|\w{{3,20}}iert"
)


def is_participle(word: str) -> bool:
    """Whether it looks like a German participle."""
    return len(word) > 5 and word not in _NOUNS and _PARTICIPLE.fullmatch(word) is not None


@dataclass(frozen=True)
class Clause:
    """`joined` is the word that ties it to the clause before it, where there is one; `asks` where a question ends it;
    `is_led` where it has its first words from the clause before it ("is safe and [your money is] on its way").
    """

    words: tuple[str, ...]
    tags: tuple[frozenset[str], ...]
    is_german: bool
    joined: str = ""
    asks: bool = False
    is_led: bool = False

    @cached_property
    def all_tags(self) -> frozenset[str]:
        return frozenset().union(*self.tags)

    def has(self, *tags: str) -> bool:
        """Whether any of these stands in the clause."""
        return not self.all_tags.isdisjoint(tags)

    def places(self, *tags: str) -> list[int]:
        """Where words that do any of these stand."""
        if not self.has(*tags):
            return []
        wanted = frozenset(tags)
        return [place for place, found in enumerate(self.tags) if not wanted.isdisjoint(found)]

    def first(self, *tags: str) -> int | None:
        """Where the first of these stands."""
        return next(iter(self.places(*tags)), None)

    def says(self, *words: str) -> bool:
        """Whether any of these very words stands in the clause."""
        return not frozenset(words).isdisjoint(self.words)


def clauses_of(text: str) -> list[Clause]:
    """Of a read text."""
    plain = without_phrases(_PRICES.sub("money_", AMOUNT.sub(" money_ ", text)))
    is_german = _is_german(plain)
    found: list[Clause] = []
    start = 0
    for stop in [*_BREAK.finditer(plain), None]:
        part, asks = plain[start : stop.start() if stop else None], stop is not None and "?" in stop[0]
        spoken = list(_words(part))
        joined = spoken[0] if spoken and spoken[0] in _LINKS else ""
        if spoken := spoken[1 if joined else 0 :]:
            is_listed = joined in _JOINS or _is_one_more(spoken, is_german)
            led = _lead(found[-1], spoken, is_german) if found and is_listed else []
            tags = tuple(_tags(word, is_german) for word in [*led, *spoken])
            found.append(Clause((*led, *spoken), tags, is_german, joined, asks, is_led=bool(led)))
        elif asks and found:
            last = found.pop()
            found.append(Clause(last.words, last.tags, last.is_german, last.joined, asks=True))
        start = stop.end() if stop else 0
    return found


def _is_one_more(words: list[str], is_german: bool) -> bool:
    """One more participle: "was checked, pulled and shredded"."""
    is_done = is_participle(words[0]) if is_german else words[0].endswith("ed")
    return len(words) == 1 and is_done


def _lead(last: Clause, words: list[str], is_german: bool) -> list[str]:
    """The subject, and what helps its verb, for a clause that has none of its own."""
    first = _tags(words[0], is_german)
    if first & {
        "US",
        "CUSTOMER",
        "YOURS",
        "DETERMINER",
        "THING",
        "PRONOUN",
        "NEGATION",
        "EVENT",
        "CONDITION",
        "PLEASE",
    }:
        return []
    modal = last.first("MODAL")
    if modal is not None and not last.has("US"):
        return list(last.words[: modal + 1])
    if last.has("MODAL", "CONDITION") or last.asks:
        return [word for word, tags in zip(last.words, last.tags, strict=True) if "US" in tags][:1]
    verb = last.first("BE", "HAVE", "FUTURE")
    if verb is None:
        ours = [word for word, tags in zip(last.words, last.tags, strict=True) if "US" in tags][:1]
        return ours or list(last.words[: 2 if "YOURS" in last.tags[0] else 0])
    is_verb = first & {"BE", "HAVE", "FUTURE", "ARRIVES"} or (
        is_german and words[0].endswith("t") and not is_participle(words[0])
    )
    return list(last.words[: verb + (not is_verb)])


def _words(text: str) -> Iterator[str]:
    """Words with a hyphen are one where that is one we know, two where it is not; numbers of orders stay whole."""
    for word in _WORD.findall(text):
        if "-" not in word or any(char.isdigit() for char in word):
            yield word
        elif tags_of(word.replace("-", "")):
            yield word.replace("-", "")
        else:
            yield from word.split("-")


def _tags(word: str, is_german: bool) -> frozenset[str]:
    return _NOT_THERE[word] if is_german and word in _NOT_THERE else tags_of(word)


def _is_german(text: str) -> bool:
    words = text.split()
    german = sum(word in _GERMAN for word in words)
    english = sum(
        word in ("the", "your", "you", "is", "has", "been", "i", "we", "it", "to", "of", "was") for word in words
    )
    return german > 0 and german >= english - ("was" in words)
