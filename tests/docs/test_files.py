"""What a shop installs: pinned requirements, the compose file, the image, translations; and the loop on one page."""

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from babel.messages.catalog import Message
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from tests.docs.pages import ROOT

RUNTIME, DEV = (ROOT / "requirements" / f"{kind}.txt" for kind in ("runtime", "dev"))
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
CATALOGUES = sorted(path for path in ROOT.rglob("*.po") if not {".venv", "node_modules"} & set(path.parts))


def pins(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==(\S+)", path.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("path", [RUNTIME, DEV], ids=lambda path: path.stem)
def test_requirements_are_pinned_with_hashes_and_name_no_index(path: Path) -> None:
    """SECURITY 55."""
    text = path.read_text(encoding="utf-8")
    assert re.search(r"https?://|^\s*--(?!hash)|file:", text, re.MULTILINE) is None
    requirements = re.split(r"\n(?=\S)", re.sub(r"^\s*#.*\n?", "", text, flags=re.MULTILINE))
    loose = [line.split()[0] for line in requirements if line and ("==" not in line or "--hash=sha256:" not in line)]
    assert loose == []


def test_development_runs_on_the_pins_of_the_runtime() -> None:
    runtime, development = pins(RUNTIME), pins(DEV)
    assert {name: development.get(name) for name in runtime} == runtime


def test_compose_has_its_services_and_only_web_is_reached_from_outside() -> None:
    assert {"web", "worker", "migrate", "db", "redis"} == SERVICES.keys()
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["web"]
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["web"]["ports"])


@pytest.mark.parametrize("name", ["web", "worker", "migrate"])
def test_our_containers_share_one_image_and_may_write_nothing(name: str) -> None:
    service = SERVICES[name]
    assert service["image"] == SERVICES["web"]["image"]
    assert (service["read_only"], service["init"], service["cap_drop"]) == (True, True, ["ALL"])


@pytest.mark.parametrize("name", ["db", "redis"])
def test_services_are_waited_for_and_keep_their_data(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]
    assert {volume.split(":")[0] for volume in SERVICES[name]["volumes"]} <= COMPOSE["volumes"].keys()
    assert re.fullmatch(r"[a-z]+:\d+", SERVICES[name]["image"])


def test_compose_writes_no_secret_down() -> None:
    secrets = {
        f"{service}.{name}": value
        for service, settings in SERVICES.items()
        for name, value in settings.get("environment", {}).items()
        if re.search("PASSWORD|AUTH|URL", name)
    }
    assert secrets
    assert [name for name, value in secrets.items() if "${" not in value] == []


def test_image_runs_as_nobody_and_copies_only_what_runs() -> None:
    dockerfile = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"^USER \d{4,}$", dockerfile, re.MULTILINE)
    assert dockerfile.count("FROM ") == 2
    assert (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()[1] == "*"


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: str(path.relative_to(ROOT)))
def test_compiled_translations_are_those_of_the_source(path: Path) -> None:
    with path.open("rb") as source, path.with_suffix(".mo").open("rb") as compiled:
        written = {_key(message): _forms(message.string) for message in read_po(source) if _counts(message)}
        known = {_key(message): _forms(message.string) for message in read_mo(compiled) if message.id}
    assert {key: known.get(key) for key in written} == written


def _counts(message: Message) -> bool:
    return bool(message.id and message.string and not message.fuzzy)


def _key(message: Message) -> tuple[str, str | None]:
    return _forms(message.id)[0], message.context


def _forms(string: str | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(string) if isinstance(string, tuple | list) else (string,)


def test_loop_on_one_page_does_what_it_shows() -> None:
    shown = subprocess.run([sys.executable, "docs/loop_demo.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines() == [
        "A refund of 42.00 is ready. Please confirm it: nothing has been paid yet.",
        "before: 0",
        "mallory confirms: {'error': 'nothing to confirm'}",
        "alice confirms: {'refunded': 4200}",
        "alice confirms again: {'error': 'nothing to confirm'}",
        "after: 4200",
    ]


def test_loop_on_one_page_ends_a_model_that_never_does() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "loop_demo.py"))
    turns = []

    def endless(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        turns.append(len(messages))
        return [{"type": "tool_use", "id": "a", "name": "order_status", "input": {"order_number": "DZ-10423"}}]

    assert page["run"]("?", user="alice", model=endless) == "I could not finish this. A person will look at it."
    assert len(turns) == page["MAX_STEPS"]
