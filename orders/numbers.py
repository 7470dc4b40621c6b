"""How an order number is written: one spelling for lookup, hash and display."""

import re
import unicodedata
from collections.abc import Iterator

from django.conf import settings

from orders.errors import OrderNotFound

MAX_LENGTH = 32
_PARTS = re.compile(r"(#?)([A-Z]+)[ -]?([0-9]+)", re.ASCII)


def canonical(text: str) -> str:
    """The one spelling of an order number: "dz 10423" is "DZ-10423", "w2611340" is "#W2611340".

    The shop's pattern decides (settings.ORDERS["NUMBER_PATTERN"]). Raises OrderNotFound for anything else: digits of
    other scripts, wildcards, invisible characters.
    """
    plain = unicodedata.normalize("NFKC", text[: 2 * MAX_LENGTH]).strip().upper()
    pattern = re.compile(settings.ORDERS["NUMBER_PATTERN"], re.ASCII)
    for spelling in _spellings(plain):
        if len(spelling) <= MAX_LENGTH and pattern.fullmatch(spelling):
            return spelling
    raise OrderNotFound


def typed_pattern() -> str:
    """What a tool takes as an order number: the shop's own pattern, and letters with digits in any usual spelling."""
    return rf"^\s*(?:#?[A-Za-z]{{1,4}}[ -]?[0-9]{{1,12}}|{settings.ORDERS['NUMBER_PATTERN']})\s*$"


def _spellings(plain: str) -> Iterator[str]:
    """As written first, then with the separators that people leave out or add."""
    yield plain
    found = _PARTS.fullmatch(plain)
    if found:
        _, letters, digits = found.groups()
        yield from (f"{letters}-{digits}", f"#{letters}{digits}", f"{letters}{digits}", f"#{letters}-{digits}")
