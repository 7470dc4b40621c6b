"""Money is a whole number of minor units (cents) and a currency code. Text is read and written here alone."""

import re
from decimal import Decimal

from babel import Locale
from babel.numbers import format_currency, get_currency_precision
from django.conf import settings
from django.utils.translation import get_language, to_locale

from billing.errors import BadAmount

# ASCII only and no signs: int() alone would take other digits, underscores and spaces.
_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,11})(?:\.([0-9]{1,3}))?", re.ASCII)


def default_currency() -> str:
    """The currency of a shop that names none for a row."""
    return settings.BILLING["CURRENCY"]


def parse(text: str, *, currency: str) -> int:
    """Text like 42.00 as minor units, exactly. Raises BadAmount for anything else, also for too many places."""
    found = _AMOUNT.fullmatch(text)
    places = get_currency_precision(currency)
    if not found or len(found[2] or "") > places:
        raise BadAmount
    return int(found[1]) * 10**places + int((found[2] or "").ljust(places, "0") or 0)


def plain(amount_minor: int, *, currency: str) -> str:
    """For machines and models, the same in every language: 4200 is "42.00 EUR"."""
    return f"{_exact(amount_minor, currency=currency)} {currency}"


def shown(amount_minor: int, *, currency: str, language: str | None = None) -> str:
    """For people, in the active language or the one given: "€42.00" in English, "42,00 €" in German."""
    locale = Locale.parse(to_locale(language or get_language() or settings.LANGUAGE_CODE))
    return format_currency(_exact(amount_minor, currency=currency), currency, locale=locale)


def _exact(amount_minor: int, *, currency: str) -> Decimal:
    return Decimal(amount_minor).scaleb(-get_currency_precision(currency))
