"""Arguments for any tool, from its published schema and its examples alone."""

import copy
import itertools
import unicodedata
from collections.abc import Iterator
from typing import Any

from agent.errors import ToolArgumentError
from agent.tools import Tool
from agent.untrusted import clean_text

Path = tuple[Any, ...]
KINDS = {"string": str, "integer": int, "number": int}


def places(tool: Tool) -> list[tuple[Path, type]]:
    """Every place of the schema that takes a text or a number of the model's own choice."""
    return list(_places(tool.schema, tool.schema.get("$defs", {}), ()))


def _places(part: dict[str, Any], defs: dict[str, Any], path: Path) -> Iterator[tuple[Path, type]]:
    if "$ref" in part:
        yield from _places(defs[part["$ref"].rpartition("/")[2]], defs, path)
    for way in ("anyOf", "oneOf", "allOf"):
        for each in part.get(way, ()):
            yield from _places(each, defs, path)
    for name, each in part.get("properties", {}).items():
        yield from _places(each, defs, (*path, name))
    if "items" in part:
        yield from _places(part["items"], defs, (*path, 0))
    if part.get("type") in KINDS and "enum" not in part and "const" not in part:
        yield path, KINDS[part["type"]]


def placed(arguments: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """A copy of the arguments with the value at the place; what is missing on the way is made."""
    made = copy.deepcopy(arguments)
    here: Any = made
    for step, after in itertools.pairwise(path):
        if isinstance(step, int):
            if len(here) <= step:
                here.append([] if isinstance(after, int) else {})
        elif step not in here or here[step] is None:
            here[step] = [] if isinstance(after, int) else {}
        here = here[step]
    if isinstance(here, list) and len(here) <= path[-1]:
        here.append(value)
    else:
        here[path[-1]] = value
    return made


def fits(tool: Tool, arguments: dict[str, Any]) -> bool:
    """Whether the tool would take them."""
    try:
        tool.parse(arguments)
    except ToolArgumentError:
        return False
    return True


def mutations(text: str) -> list[str]:
    """Other spellings and abuses of an identifier, of the kinds that got past somebody's check before."""
    wide = "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text)
    return [
        text.upper(),
        text.lower(),
        f" {text} ",
        f"{text}\n",
        text.replace("-", ""),
        text.replace("-", " "),
        text.replace("-", "\u2010"),
        text.replace("#", ""),
        f"#{text}",
        wide,
        unicodedata.normalize("NFD", text),
        text[:2] + "\u200b" + text[2:],
        f"\u202e{text}",
        f"{text}%",
        f"%{text[1:]}",
        f"{text[:-1]}_",
        f"{text}*",
        f"{text}' OR '1'='1",
        f"{text}\\",
        f"../{text}",
        f"{text}&user=1",
        f'{text}","user":"1',
        text[:-1],
        text[::-1],
    ]


def as_seen(arguments: Any) -> str:
    """Every text of the arguments as a reader sees it, whatever the spelling: an echo of it tells nothing."""
    return clean_text(unicodedata.normalize("NFKC", " ".join(_leaves(arguments))), 10**6).casefold()


def _leaves(arguments: Any) -> Iterator[str]:
    if isinstance(arguments, dict | list):
        for item in arguments.values() if isinstance(arguments, dict) else arguments:
            yield from _leaves(item)
    else:
        yield str(arguments)
