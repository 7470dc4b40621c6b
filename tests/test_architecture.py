"""Who may import whom. docs/architecture.md says why; a file that breaks an arrow fails here under its own name."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("agent", "billing", "config", "orders")

# What an app may import of the others. config is the top floor: it sees everything, and nothing sees it.
ALLOWED = {
    "agent": set(),
    "billing": {"agent.tools", "agent.untrusted"},
    "orders": {"agent.tools", "agent.untrusted", "billing"},
    "config": {"agent", "billing", "orders"},
}
# The only files of the shop that know of the agent: a tool is declared, and outside text in its result is fenced.
KNOW_THE_AGENT = {"billing/tools.py", "orders/tools.py"}

# Inside the agent, from the ground up: a room imports from its own floor and those below.
AGENT_FLOORS = [
    {"errors", "conf", "fields", "db", "away", "rowsecurity", "markdown", "arithmetic"},
    {"untrusted"},
    {"tools"},
    {"providers", "testing"},
    {"models", "audit_rows", "duty_rows", "legal_holds", "pending_actions", "personal_tokens"},
    {
        "selectors", "flags", "policies", "roles", "limits", "audit", "events", "live", "relay", "actions", "knowledge",
        "pages", "accounts", "handoffs", "inbox", "outbox", "transcripts", "prices", "access",
        "duties", "rounds", "personal_data",
    },
    {"claims"},
    {"own_results"},
    {"runs", "own_tools"},
    {
        "views", "mcp", "exports", "rest", "evals", "admin", "management", "templatetags", "tasks", "urls",
        "chat_urls", "staff_urls", "oauth_urls", "apps", "checks",
    },
]  # fmt: skip
# Inside a shop app: services write, selectors read, and neither is known to the models.
SHOP_FLOORS = [
    {"errors", "money", "numbers", "limits"},
    {"models", "gateways"},
    {"selectors"},
    {"services", "adjustments", "transfers", "personal_data"},
    {"words", "action_words", "change_words", "shop_files", "sample_shop"},
    {"results", "result_shapes", "tool_arguments", "tool_examples", "tool_facts"},
    {"requests", "change_examples"},
    {"tools", "admin", "apps", "management"},
]


def _source_files() -> list[Path]:
    return sorted(
        path.relative_to(ROOT) for app in APPS for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts
    )


FILES = _source_files()


def _is_for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(tree):
        if not _is_for_types_only(child):
            yield child
            yield from _nodes(child)


def _package(path: Path) -> list[str]:
    return list(path.parts[:-1])


def _imported(path: Path) -> set[str]:
    """Every name of ours that the file imports, as a full dotted path, also inside functions and through strings."""
    names: set[str] = set()
    for node in _nodes(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = _package(path)[: len(path.parts) - node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names.update(f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and "import" in ast.dump(node.func):
            names.update(arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
    return {name for name in names if name.split(".")[0] in APPS}


def _is_within(name: str, allowed: str) -> bool:
    return name == allowed or name.startswith(f"{allowed}.")


def _floor(room: str, floors: list[set[str]]) -> int:
    for number, rooms in enumerate(floors):
        if room in rooms:
            return number
    raise AssertionError(f"{room!r} stands on no floor: give it one in tests/test_architecture.py")


def _room(dotted: str) -> str:
    return dotted.split(".")[1] if "." in dotted else ""


@pytest.mark.parametrize("path", FILES, ids=str)
def test_app_imports_only_what_its_arrows_allow(path: Path) -> None:
    app = path.parts[0]
    foreign = {name for name in _imported(path) if not _is_within(name, app)}
    allowed = {name for name in ALLOWED[app] if not name.startswith("agent.") or str(path) in KNOW_THE_AGENT}
    assert {name for name in foreign if not any(_is_within(name, way) for way in allowed)} == set()


@pytest.mark.parametrize("path", [path for path in FILES if path.parts[0] == "agent"], ids=str)
def test_agent_never_names_the_shop(path: Path) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert {text for text in strings if re.fullmatch(r"(orders|billing)[./][\w./]+", text)} == set()


def _files_with_a_floor() -> list[Path]:
    return [path for path in FILES if path.parts[0] != "config" and path.parts[1] != "__init__.py"]


@pytest.mark.parametrize("path", _files_with_a_floor(), ids=str)
def test_room_imports_nothing_from_a_floor_above_it(path: Path) -> None:
    app = path.parts[0]
    floors = AGENT_FLOORS if app == "agent" else SHOP_FLOORS
    own = _floor(Path(path.parts[1]).stem, floors)
    rooms = {_room(name) for name in _imported(path) if _is_within(name, app)} - {""}
    assert {room for room in rooms if _floor(room, floors) > own} == set()


def test_arrows_are_seen_in_a_file_that_breaks_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "agent" / "runs").mkdir(parents=True)
    (tmp_path / "agent" / "runs" / "bad.py").write_text(
        "from orders.models import Order\nfrom .. import views\ndef late():\n    import_module('billing.services')\n"
    )
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    assert _imported(Path("agent/runs/bad.py")) == {"orders.models.Order", "agent.views", "billing.services"}
