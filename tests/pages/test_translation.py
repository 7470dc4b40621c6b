"""German says what English says: nothing left out, every placeholder kept, the compiled file up to date."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po
from django.conf import settings
from django.test import Client
from django.utils import translation

from agent.templatetags.words import seconds

CATALOGUES = sorted(Path(settings.BASE_DIR).glob("*/de/LC_MESSAGES/django.po")) + sorted(
    Path(settings.BASE_DIR).glob("*/locale/de/LC_MESSAGES/django.po")
)
PLACEHOLDER = re.compile(r"%%?\(\w+\)[sd]|%[sd]|</?\w+>")


def catalogue(path: Path) -> Catalog:
    return read_po(BytesIO(path.read_bytes()), locale="de")


def forms_of(text: str | tuple[str, ...] | list[str]) -> list[str]:
    """Singular and plural, or the one form."""
    return [text] if isinstance(text, str) else list(text)


def said(messages: Catalog) -> dict[str, str]:
    """What stands for what; a plural is one entry with all its forms."""
    return {str(forms_of(message.id)): str(forms_of(message.string)) for message in messages if message.id}


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: str(path.relative_to(settings.BASE_DIR)))
def test_every_sentence_is_translated_with_its_placeholders(path: Path) -> None:
    for message in catalogue(path):
        forms = zip(forms_of(message.id), forms_of(message.string), strict=True)
        for english, german in forms if message.id else ():
            assert german, english
            assert not message.fuzzy, english
            assert sorted(PLACEHOLDER.findall(english)) == sorted(PLACEHOLDER.findall(german))


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: str(path.relative_to(settings.BASE_DIR)))
def test_the_compiled_file_says_the_same(path: Path) -> None:
    compiled = read_mo(BytesIO(path.with_suffix(".mo").read_bytes()))
    assert said(catalogue(path)) == said(compiled)


def test_a_german_browser_reads_german(as_alice: Client) -> None:
    page = as_alice.get("/agent/", headers={"Accept-Language": "de-AT,de;q=0.9"})
    assert '<html lang="de" dir="ltr"' in page.text
    assert "Sie schreiben mit einem KI-Assistenten" in page.text


def test_german_numbers_the_seconds_with_a_comma() -> None:
    with translation.override("de"):
        assert seconds(240) == "0,2 s"
