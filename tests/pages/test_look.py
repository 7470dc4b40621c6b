"""One file names colours and sizes; no page needs anything that the policy forbids; every file that is named exists."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders

ROOT = Path(settings.BASE_DIR)
STYLES = sorted((ROOT / "static/css").glob("*.css"))
SCRIPTS = sorted((ROOT / "static/js").glob("*.js"))
# What is sent by mail follows other rules: there is no policy, and no file to link.
TEMPLATES = sorted(path for path in (ROOT / "templates").rglob("*.html") if "email" not in path.parts)

COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch|color-mix)a?\(")
SIZE = re.compile(r"(?<![\w-])\d*\.?\d+(?:px|rem|ch|pt|mm|ms)\b")


def rules(path: Path) -> list[str]:
    """The lines that style something: no comments, no conditions, nor what only hides."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"\.unseen \{.*?\}", "", text, flags=re.DOTALL)
    return [line for line in text.splitlines() if not line.lstrip().startswith("@media")]


@pytest.mark.parametrize("path", [path for path in STYLES if path.name != "tokens.css"], ids=lambda path: path.name)
def test_only_the_tokens_name_colours_and_sizes(path: Path) -> None:
    assert [line for line in rules(path) if COLOUR.search(line) or SIZE.search(line)] == []


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_every_token_that_is_used_exists(path: Path) -> None:
    named = set(re.findall(r"(--[\w-]+):", "".join(sheet.read_text() for sheet in STYLES)))
    assert set(re.findall(r"var\((--[\w-]+)", path.read_text())) <= named


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_no_template_holds_script_or_style(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=\"|<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text)
    assert "|safe" not in text.replace("field.help_text|safe", "")


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_every_file_that_a_template_names_exists(path: Path) -> None:
    for name in re.findall(r"{% static ['\"]([^'\"]+)['\"] %}", path.read_text()):
        assert finders.find(name), name


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_modules_import_what_is_there_and_run_no_text(path: Path) -> None:
    text = path.read_text()
    for name in re.findall(r"from \"\./([^\"]+)\"", text):
        assert (path.parent / name).is_file(), name
    assert not re.search(r"\beval\(|new Function|https?://|document\.write|insertAdjacentHTML", text)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [0, 1], ids=["light", "dark"])
def test_text_and_borders_can_be_seen_on_every_ground(dark: int) -> None:
    text = (ROOT / "static/css/tokens.css").read_text()
    inks = {name: pair.split(", ")[dark] for name, pair in re.findall(r"--([\w-]+): light-dark\((#.+?)\);", text)}
    for ground in ("paper", "surface", "sunken"):
        for ink in ("ink", "muted", "accent", "positive", "warn", "danger"):
            assert contrast(inks[ink], inks[ground]) >= 5.5, (ink, ground)
        assert contrast(inks["line"], inks[ground]) >= 3, ground
    assert contrast(inks["on-accent"], inks["accent"]) >= 5.5
