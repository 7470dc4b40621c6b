"""Every regular expression of the applications, found in the modules and in the code itself."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
APPS = ("agent", "orders", "billing")
METHODS = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")


class Found(NamedTuple):
    """A pattern, where it is, and how it is used; `flags` is 0 where it was compiled already."""

    name: str
    pattern: re.Pattern[str] | re.Pattern[bytes]
    methods: frozenset[str]


def files() -> list[Path]:
    return [path for app in APPS for path in sorted((ROOT / app).rglob("*.py")) if "migrations" not in path.parts]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def named() -> Iterator[Found]:
    """Those that have a name in a module or a class, or lie in a table there."""
    uses = _uses()
    seen: set[int] = set()
    for module in _modules():
        for name, value in vars(module).items():
            for pattern in _patterns_in(value, module.__name__):
                if id(pattern) not in seen:
                    seen.add(id(pattern))
                    methods = uses.get(name, frozenset()) or frozenset(METHODS)
                    yield Found(f"{module.__name__}.{name}", pattern, methods)


def inline() -> Iterator[Found]:
    """Those that are written where they are used: `re.sub(r"...", ...)`."""
    for path, call in calls():
        if call.args and isinstance(call.args[0], ast.Constant) and isinstance(call.func, ast.Attribute):
            where = f"{path.relative_to(ROOT)}:{call.args[0].value!r}"
            flags = next((keyword.value for keyword in call.keywords if keyword.arg == "flags"), None)
            given = [flags] if flags is not None else call.args[2:] if call.func.attr != "sub" else []
            ignored = "IGNORECASE" in "".join(map(ast.dump, given))
            dotted = "DOTALL" in "".join(map(ast.dump, given))
            pattern = re.compile(call.args[0].value, (re.IGNORECASE if ignored else 0) | (re.DOTALL if dotted else 0))
            method = call.func.attr
            yield Found(where, pattern, frozenset([method]) if method in METHODS else frozenset(METHODS))


def calls() -> Iterator[tuple[Path, ast.Call]]:
    """Every call of a function of `re` that takes a pattern."""
    for path in files():
        for node in ast.walk(_tree(path)):
            is_of_re = (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
            )
            if is_of_re and node.func.attr in (*METHODS, "compile") and not _is_named(path, node):  # type: ignore[attr-defined]
                yield path, node  # type: ignore[misc]


def _is_named(path: Path, call: ast.AST) -> bool:
    """Whether it stands in a module's or a class's own lines: then the module has it."""
    tree = _tree(path)
    lines = [*tree.body, *(line for node in tree.body if isinstance(node, ast.ClassDef) for line in node.body)]
    named = (ast.Assign, ast.AnnAssign)
    return any(call in ast.walk(line) for line in lines if isinstance(line, named))


def _modules() -> Iterator[Any]:
    for app in APPS:
        package = importlib.import_module(app)
        for info in pkgutil.walk_packages(package.__path__, f"{app}."):
            if ".migrations" not in info.name and not info.name.endswith("__main__"):
                yield importlib.import_module(info.name)


def _patterns_in(value: Any, module: str, deep: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict) and deep < 3:
        for item in value.values():
            yield from _patterns_in(item, module, deep + 1)
    elif isinstance(value, (list, tuple, set, frozenset)) and deep < 3:
        for item in value:
            yield from _patterns_in(item, module, deep + 1)
    elif isinstance(value, type) and value.__module__ == module:
        for item in vars(value).values():
            yield from _patterns_in(item, module, 3)


def _uses() -> dict[str, frozenset[str]]:
    """By the name of a pattern the methods that are called on it anywhere."""
    found: dict[str, set[str]] = {}
    for path in files():
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                owner = node.value
                name = (
                    owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
                )
                found.setdefault(name, set()).add(node.attr)
    return {name: frozenset(methods) for name, methods in found.items()}
