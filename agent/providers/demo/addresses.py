"""An address as people write it into a sentence, taken apart. What is not recognised is left out, never made up."""

import re
from collections.abc import Collection
from functools import cache

from babel import Locale

# What each part is called in the schemas of tools.
NAMES = {
    "line1": "line1 address1 street street_address address_line1",
    "line2": "line2 address2 address_line2",
    "zip": "zip zip_code postal_code postcode zipcode",
    "city": "city town",
    "state": "state region province",
    "country": "country",
}
STATES_COUNT_IN = frozenset({"usa", "us", "united states", "vereinigte staaten", "canada", "kanada", "australia"})

_CAPITAL = r"[A-ZÄÖÜÉÅØ][^\W\d]*(?:[.'’-][^\W\d]+)*\.?"
_SMALL = r"(?:den|der|dem|des|de|das|do|da|la|le|les|los|von|of|the|am|an der|auf dem)"
_NAME = rf"(?:{_CAPITAL})(?:\s+(?:{_SMALL}\s+)*{_CAPITAL})*"
_NUMBER = r"\d{1,4}(?:\s?[a-zA-Z](?![^\W\d]))?(?:[-/]\d{1,3})?(?![\d.,]\d|\w)"
_NO_AMOUNT = r"\b(?!(?:Refund|Return|Pay|Erstatte|Erstatten|Zahle|Zahlen)\s+\d)"
_KINDS = r"(?:street|st|road|rd|avenue|ave|lane|drive|row|way|square|court|place)"
_ARTEN = r"(?:stra(?:ß|ss)e|str\.?|allee|weg|platz|gasse|ring|damm|ufer)"
_STREETS = (
    re.compile(rf"{_NO_AMOUNT}{_NAME}\s+{_NUMBER}"),  # Lindenallee 20, but not "Refund 10"
    re.compile(rf"\b{_NUMBER}\s+(?:[^\W\d]+\s+(?:{_SMALL}\s+)?)?{_NAME}"),  # 12 Harbour Row
    re.compile(rf"\b[^\W\d]*{_ARTEN}\s+{_NUMBER}", re.I),  # lindenallee 20
    re.compile(
        rf"\b{_NUMBER}\s+(?:(?!on\b|the\b|my\b|in\b|to\b)[^\W\d]+\s+){{1,3}}?{_KINDS}\b", re.I
    ),  # 12 harbour row
)
_ORDER = re.compile(r"#?\b[A-Za-z]{1,3}-?\d{5,}\b|#\w+")
_ZIP = r"\d{5}(?:-\d{4})?|\d{4}(?:-\d{3})?(?:\s?[A-Z]{2}\b)?|\d{3}\s\d{2}"
_ZIP_SIGNS = r"[A-Z]\d[\dA-Z]\s?[A-Z0-9]{4}|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}|[A-Z]\d[A-Z]\s?\d[A-Z]\d"
_ZIP_CITY = re.compile(rf"(?:[A-Z]{{1,2}}-)?(?P<zip>{_ZIP})\s+(?P<city>{_NAME}|[^\W\d]+)")
_STATE_ZIP = re.compile(rf"(?:(?P<city>{_NAME})\s+)?(?P<state>[A-Z]{{2}})\s+(?P<zip>\d{{5}}(?:-\d{{4}})?)")
_CITY_ZIP = re.compile(rf"(?P<city>{_NAME}|[^\W\d]+)\s+(?P<zip>(?i:{_ZIP_SIGNS}))\b")
_ONLY_ZIP = re.compile(rf"(?P<zip>{_ZIP}|{_ZIP_SIGNS})$")
_LINE2 = re.compile(
    r"\b(?:flat|apt|apartment|suite|unit|floor|room|c/o|etage|stock|og|tür|top|wohnung|whg|hinterhaus|bât)\b", re.I
)
_END = re.compile(r"[;!?\n]|(?<=[^\W\d]{4})\.(?=\s|$)")
_SILENT_START = re.compile(r"^(?:in|nach|and|und|it is|es ist|the|die|der)\s+", re.I)


def part_of(name: str) -> str:
    """Which part of an address a parameter of that name is; empty where it is none."""
    return next((part for part, names in NAMES.items() if name in names.split()), "")


def parts_in(text: str) -> dict[str, str]:
    """The parts of the address in a sentence: from the street on; without a street a zip code with its city."""
    text = _ORDER.sub("", text)
    streets = (match for street in _STREETS for match in street.finditer(text) if not _LINE2.search(match[0]))
    found = min(streets, key=lambda match: match.start(), default=None)
    if found is None:
        zip_city = _ZIP_CITY.search(text) or _STATE_ZIP.search(text)
        return _given(zip_city) | _parts(text[zip_city.end() :], known={"city"}) if zip_city else {}
    rest = _END.split(text[found.end() :])[0]
    return {"line1": " ".join(found[0].split()), **_parts(rest)}


def without_parts(text: str) -> str:
    """The text without the address in it, whose numbers and names are of nothing else."""
    parts = sorted(parts_in(text).values(), key=len, reverse=True)
    return re.sub("|".join(map(re.escape, parts)), " ", text) if parts else text


def parts_of_reply(text: str, missing: Collection[str]) -> dict[str, str]:
    """The parts in an answer to the question for them: words without a sign of what they are fill what is missing."""
    text = _ORDER.sub("", text).strip()
    found = parts_in(text) or _parts(_END.split(text)[0], known={"city"} - set(missing))
    if not found and len(missing) == 1 and 0 < len(text) <= 60:
        found = {next(iter(missing)): text.strip(" .!")}
    return found


def _parts(text: str, known: Collection[str] = ()) -> dict[str, str]:
    parts: dict[str, str] = {}
    for piece in text.split(","):
        segment = _SILENT_START.sub("", piece.strip())
        if not segment:
            continue
        exact = next((m for p in (_STATE_ZIP, _ZIP_CITY, _CITY_ZIP, _ONLY_ZIP) if (m := p.match(segment))), None)
        country = _country_at_start(segment)
        if country:
            parts.setdefault("country", country)
        elif _LINE2.search(segment) and not exact:
            parts.setdefault("line2", segment)
        elif exact:
            parts = _given(exact) | parts
            parts |= {k: v for k, v in _parts(segment[exact.end() :], known={"city"}).items() if k not in parts}
        elif "city" not in {*parts, *known} and (city := re.match(rf"{_NAME}|[^\W\d]+$", segment)):
            parts["city"] = city[0]
    return parts


def _given(match: re.Match[str]) -> dict[str, str]:
    return {name: " ".join(value.split()) for name, value in match.groupdict().items() if value}


def _country_at_start(segment: str) -> str:
    words = re.findall(r"[^\W\d]+(?:-[^\W\d]+)*", segment)[:4]
    for count in range(len(words), 0, -1):
        name = " ".join(words[:count])
        if name.casefold() in _countries() and segment.casefold().startswith(name.casefold()):
            return name
    return ""


@cache
def _countries() -> frozenset[str]:
    """The names of the countries in English and German, and what people write for three of them."""
    named = {
        name.casefold()
        for language in ("en", "de")
        for code, name in Locale(language).territories.items()
        if len(code) == 2 and code.isalpha()
    }
    return frozenset(named | {"usa", "us", "uk"})
