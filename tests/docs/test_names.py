"""Documentation names commands, paths and objects: each of them exists."""

import re
import subprocess
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import get_commands

from tests.docs.pages import PAGES, ROOT, code, name

TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()} - {".venv", ".git"}
MADE = {"staticfiles"}  # by commands, not kept


def found(page: Path, pattern: str) -> set[str]:
    return {match for piece in code(page) for match in re.findall(pattern, piece)}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_make_targets_exist(page: Path) -> None:
    assert found(page, r"\bmake (?:[A-Z]+=\S+ )*([a-z][a-z-]*)") - TARGETS == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_management_commands_exist(page: Path) -> None:
    assert found(page, r"manage\.py ([a-z_]+)") - get_commands().keys() == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_modules_that_are_run_exist(page: Path) -> None:
    assert {module for module in found(page, r"python3? -m ([\w.]+)") if find_spec(module) is None} == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_paths_exist(page: Path) -> None:
    paths = {path for path in found(page, r"(?<![\w/~.$-])([\w.-]+(?:/[\w.-]+)+/?)") if path.split("/")[0] in FOLDERS}
    assert {path for path in paths if path.split("/")[0] not in MADE and not (ROOT / path).exists()} == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)|(?:src|srcset)=\"([^\"]+)\"", text)
    local = [a or b for a, b in links if not re.match(r"https?:", a or b)]
    assert [link for link in local if not (page.parent / link).exists()] == []


def resolves(dotted: str) -> bool:
    """Whether a dotted name of ours is a module, or an object in one."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        try:
            thing = import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[end:]:
            thing = getattr(thing, attribute, None)
        return thing is not None
    return False


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_objects_exist(page: Path) -> None:
    # "orders.tools" is a name of ours, "orders/tools.py" a path, "agent.E001" the number of a check.
    names = found(page, r"(?<![\w/.])((?:agent|billing|config|orders)\.[a-z_]+(?:\.\w+)*)\b(?![/\w])")
    assert {dotted for dotted in names if not dotted.endswith(".py") and not resolves(dotted)} == set()


def test_every_target_of_make_is_explained() -> None:
    help_text = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"make ([a-z-]+)", help_text)) == TARGETS - {"help"} | {"help"}


def test_changelog_has_a_place_for_what_comes() -> None:
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
