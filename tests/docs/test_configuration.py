"""The table of variables in the README, .env.example and what config.env reads are the same."""

import re
from collections.abc import Iterator, Mapping

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env
from tests.docs.pages import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
# Read at the start or by the process's own checks, not through Environment.
READ_ELSEWHERE = {"WEB_CONCURRENCY"}
# Of docker-compose.yml alone.
OF_COMPOSE = {"POSTGRES_PASSWORD", "REDIS_PASSWORD"}


class Asked(Mapping[str, str]):
    """An environment that remembers what it was asked for."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values_, self.names = dict(values), set[str]()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        return self.values_[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_)

    def __len__(self) -> int:
        return len(self.values_)


def variables(tmp_path: object) -> set[str]:
    own = {"SECRET_KEY": "k" * 50, "XDG_STATE_HOME": str(tmp_path)}
    plain = Asked(own)
    env.read(plain)
    full = Asked(own | {"ANTHROPIC_API_KEY": "key", "AGENT_FALLBACK_PROVIDER": "anthropic"})
    env.read(full)
    return plain.names | full.names | READ_ELSEWHERE


def table() -> set[str]:
    section = README.partition("## Configuration")[2].partition("\n## ")[0]
    cells = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`([A-Z_]+)`", cell)}


def test_table_lists_every_variable_and_no_other(tmp_path: object) -> None:
    assert table() == variables(tmp_path)


def test_example_names_only_variables_that_are_read(tmp_path: object) -> None:
    named = set(re.findall(r"^#?([A-Z][A-Z_]+)=", EXAMPLE, re.MULTILINE))
    assert named - variables(tmp_path) - OF_COMPOSE == set()


def test_example_holds_no_secret_and_is_refused_as_it_stands() -> None:
    values = dict(re.findall(r"^([A-Z][A-Z_]+)=(.*)$", EXAMPLE, re.MULTILINE))
    assert {name for name in values if re.search("KEY|PASSWORD|SECRET", name) and values[name]} == set()
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY is not set"):
        env.read({**values, "DATABASE_URL": "sqlite://:memory:"})


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("AGENT_MAX_STEPS", "16"),
        ("AGENT_LEASE_SECONDS", "20"),
        ("AGENT_RUN_SECONDS", "120"),
        ("AGENT_CONFIRM_MINUTES", "15"),
    ],
)
def test_table_gives_the_default_that_is_used(name: str, default: str) -> None:
    read = env.read({"SECRET_KEY": "k" * 50, "DATABASE_URL": "sqlite://:memory:"})
    assert (str(getattr(read, name.lower())), f"| `{name}` | `{default}` |" in README) == (default, True)
