"""Help articles from a folder of Markdown files, each with a few lines about itself at its head:

---
slug: returns
language: en
title: Returning something
version: 1
---
You can return ...
"""

import re
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from agent.models import HelpArticle

FENCE = "---"
FIELDS = {
    "slug": re.compile(r"[a-z0-9]+(-[a-z0-9]+)*"),
    "language": re.compile(r"[a-z]{2,3}"),
    "title": re.compile(r"\S.{0,198}\S"),
    "version": re.compile(r"[1-9][0-9]{0,5}"),
}
LARGEST = 200_000  # characters of a file


class HelpFileError(Exception):
    """A file that cannot be read as an article; the text names it, its line and what to write."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path}, line {line}: {problem}")


@dataclass(frozen=True)
class Loaded:
    """What a folder brought: articles or versions that were new, and those that were there already."""

    new: int
    known: int


@transaction.atomic
def load_folder(folder: Path) -> Loaded:
    """Read every .md file below the folder. All of them or none; loading again changes nothing.

    A version that is there with another text is refused: whoever cited it must find what was cited. Raises
    HelpFileError, OSError.
    """
    new = known = 0
    seen: dict[tuple[str, str, int], Path] = {}
    for path in sorted(folder.rglob("*.md")):
        article, line = read_article(path)
        key = (article.slug, article.language, article.version)
        if key in seen:
            raise HelpFileError(path, line, f"{seen[key]} is version {key[2]} of {key[0]} ({key[1]}) already.")
        seen[key] = path
        if _is_known(article, path=path, line=line):
            known += 1
        else:
            article.save(force_insert=True)
            new += 1
    return Loaded(new=new, known=known)


def read_article(path: Path) -> tuple[HelpArticle, int]:
    """The article of a file, not saved, and the line of its version. Raises HelpFileError."""
    try:
        lines = path.read_text(encoding="utf-8-sig")[: LARGEST + 1].splitlines()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise HelpFileError(path, line, "the text is not UTF-8.") from None
    fields, places, end = _head(path, lines)
    body = "\n".join(lines[end:]).strip()
    if not body:
        raise HelpFileError(path, end, "nothing follows the head: write the article below it.")
    if len(body) >= LARGEST or "\x00" in body:
        raise HelpFileError(path, end + 1, f"the article is longer than {LARGEST} characters, or no text.")
    article = HelpArticle(
        slug=fields["slug"],
        language=fields["language"],
        title=fields["title"],
        version=int(fields["version"]),
        body=body,
    )
    return article, places["version"]


def _head(path: Path, lines: list[str]) -> tuple[dict[str, str], dict[str, int], int]:
    """The fields, the line of each, and how many lines the head has."""
    if not lines or lines[0].strip() != FENCE:
        raise HelpFileError(path, 1, f"begin with a line {FENCE}, then slug, language, title and version.")
    fields: dict[str, str] = {}
    places: dict[str, int] = {}
    for number, line in enumerate(lines[1:], start=2):
        if line.strip() == FENCE:
            missing = [name for name in FIELDS if name not in fields]
            if missing:
                raise HelpFileError(path, number, f"the head says nothing of {', '.join(missing)}.")
            return fields, places, number
        name, value = _field(path, number, line)
        if name in fields:
            raise HelpFileError(path, number, f"{name} stands on line {places[name]} already.")
        fields[name], places[name] = value, number
    raise HelpFileError(path, len(lines), f"the head does not end: close it with a line {FENCE}.")


def _field(path: Path, number: int, line: str) -> tuple[str, str]:
    name, colon, value = (part.strip() for part in line.partition(":"))
    if not colon or name not in FIELDS:
        raise HelpFileError(path, number, f"write one of {', '.join(FIELDS)}, a colon and a value.")
    if not FIELDS[name].fullmatch(value):
        raise HelpFileError(path, number, f"this is no {name}: {value[:60]!r}.")
    return name, value


def _is_known(article: HelpArticle, *, path: Path, line: int) -> bool:
    same = HelpArticle.objects.filter(slug=article.slug, language=article.language, version=article.version).first()
    if same and (same.title, same.body) != (article.title, article.body):
        problem = (
            f"version {article.version} of {article.slug} ({article.language}) has another text: raise the version."
        )
        raise HelpFileError(path, line, problem)
    return same is not None
