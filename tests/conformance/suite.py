"""The official conformance suite, and what it found."""

import json
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.conformance.node import FOLDER, HERE, SUITE, Node

REVISIONS = ("2026-07-28", "2025-11-25")
# What asks for nothing by a name of the suite's own, so that the site as it is can be asked.
PLAIN = {
    "2026-07-28": [
        "tools-list",
        "resources-list",
        "prompts-list",
        "sep-2164-resource-not-found",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
        "caching",
        "http-header-validation",
        "input-required-result-unsupported-methods",
    ],
    "2025-11-25": [
        "server-initialize",
        "ping",
        "tools-list",
        "resources-list",
        "prompts-list",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
    ],
}
REQUIREMENTS = "node_modules/@modelcontextprotocol/conformance/requirements"
PATIENCE = 300  # seconds, for one run of it


@dataclass(frozen=True)
class Found:
    """What a run came to. `is_as_expected` is the suite's own verdict."""

    scenarios: int
    passed: int
    failed: int
    is_as_expected: bool
    told: str

    def __str__(self) -> str:
        verdict = "as expected" if self.is_as_expected else "NOT AS EXPECTED"
        return f"{self.scenarios} scenarios, {self.passed} checks passed, {self.failed} failed: {verdict}"


def required(node: Node, url: str, revision: str, folder: Path) -> Found:
    """Everything that the revision requires, but for what is expected to fail."""
    expected = HERE / f"expected-{revision}.yml"
    required_set = yaml.safe_load((FOLDER / REQUIREMENTS / f"{revision}.yaml").read_text())
    return _run(
        node,
        url,
        folder,
        ["--requirements", revision, "--expected-failures", str(expected)],
        names=required_set["server"],
    )


def plain(node: Node, url: str, revision: str, folder: Path) -> Found:
    """The scenarios that need nothing of the suite's own, none of which may fail."""
    runs = [
        _run(node, url, folder / name, ["--scenario", name, "--spec-version", revision], names=[name])
        for name in PLAIN[revision]
    ]
    return Found(
        scenarios=len(runs),
        passed=sum(run.passed for run in runs),
        failed=sum(run.failed for run in runs),
        is_as_expected=all(run.is_as_expected for run in runs),
        told="\n".join(run.told for run in runs if not run.is_as_expected),
    )


def _run(node: Node, url: str, folder: Path, which: list[str], *, names: list[str]) -> Found:
    """Run it and count the checks of the scenarios that are named; it runs others too, which nothing requires."""
    folder.mkdir(parents=True)
    command = node.command(SUITE, "server", "--url", f"{url}/mcp", *which, "--output-dir", str(folder))
    told = subprocess.run(
        command, env=node.environment(folder), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    files = [file for name in names for file in folder.glob(f"server-{name}-2*/checks.json")]
    counted = Counter(check["status"] for file in files for check in json.loads(file.read_text()))
    return Found(
        scenarios=len(files),
        passed=counted["SUCCESS"],
        failed=counted["FAILURE"],
        is_as_expected=told.returncode == 0 and len(files) == len(names),
        told=(told.stdout + told.stderr).rpartition("=== SUMMARY ===")[2].strip(),
    )
