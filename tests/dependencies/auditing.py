"""What pip-audit said, as a verdict: clean, vulnerable, or not audited. An answer about nothing is no clean one."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ("requirements/runtime.txt", "requirements/dev.txt")
PATIENCE = 300  # seconds for one file


@dataclass(frozen=True)
class Verdict:
    """`asked` is None where the service could not be asked; `unknown` are packages of which it knows nothing."""

    asked: int | None
    unknown: int = 0
    vulnerable: list[str] = field(default_factory=list)

    @property
    def is_audited(self) -> bool:
        """A service, or a mirror in its place, that knows none of the packages has audited none of them."""
        return bool(self.asked) and self.asked != self.unknown


def audit(file: str) -> Verdict:
    """Ask the advisory service about every pinned package of a file; nothing is installed or resolved."""
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "--progress-spinner", "off"]
    try:
        done = subprocess.run(
            [*command, "--format", "json", "--requirement", str(ROOT / file)],
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Verdict(asked=None)
    return judged(done.stdout)


def judged(output: str) -> Verdict:
    """The verdict on pip-audit's JSON; what is none means that it broke off."""
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return Verdict(asked=None)
    unknown = sum("skip_reason" in package for package in packages)
    found = [_told(package, flaw) for package in packages for flaw in package.get("vulns", [])]
    return Verdict(asked=len(packages), unknown=unknown, vulnerable=found)


def _told(package: dict, flaw: dict) -> str:
    fixed = ", ".join(flaw.get("fix_versions") or []) or "no version yet"
    return f"{package['name']} {package['version']}: {flaw['id']}, fixed in {fixed}"


def sentence(file: str, verdict: Verdict) -> str:
    """One line for people."""
    if verdict.vulnerable:
        return f"{file}: {len(verdict.vulnerable)} known vulnerabilities: " + "; ".join(verdict.vulnerable)
    if not verdict.is_audited:
        return f"{file}: not audited, the advisory service could not be reached or knows none of the packages."
    rest = f", {verdict.unknown} it does not know" if verdict.unknown else ""
    return f"{file}: no known vulnerability in {(verdict.asked or 0) - verdict.unknown} packages{rest}."
