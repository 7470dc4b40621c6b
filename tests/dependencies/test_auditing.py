"""The verdict on an audit, without a network, and the pins it rests on (SECURITY 55)."""

import json
import re

import pytest

from tests.dependencies import __main__ as command
from tests.dependencies.auditing import FILES, ROOT, Verdict, judged, sentence

CLEAN = {"name": "django", "version": "5.2.19", "vulns": []}
ABSENT = {"name": "amqp", "skip_reason": "Dependency not found on PyPI and could not be audited: amqp (5.4.2)"}
FLAW = {"id": "PYSEC-1", "fix_versions": ["2.1"], "aliases": [], "description": ""}
BAD = {"name": "left", "version": "2.0", "vulns": [FLAW]}


def output(*packages: dict) -> str:
    return json.dumps({"dependencies": list(packages), "fixes": []})


@pytest.mark.parametrize("said", ["", "Traceback", "[]", "{}", "null"])
def test_audit_that_broke_off_is_none(said: str) -> None:
    assert judged(said) == Verdict(asked=None)
    assert "not audited" in sentence("runtime.txt", judged(said))


def test_service_that_knows_no_package_has_audited_none() -> None:
    """A mirror without advisories answers "not found" for all, and pip-audit then ends as if all were well."""
    verdict = judged(output(ABSENT, ABSENT))
    assert not verdict.is_audited
    assert "not audited" in sentence("runtime.txt", verdict)


def test_clean_audit_counts_what_it_does_not_know() -> None:
    assert sentence("r.txt", judged(output(CLEAN, ABSENT))) == (
        "r.txt: no known vulnerability in 1 packages, 1 it does not know."
    )


def test_vulnerability_is_named_with_the_version_that_mends_it() -> None:
    assert judged(output(CLEAN, BAD)).vulnerable == ["left 2.0: PYSEC-1, fixed in 2.1"]
    assert "left 2.0: PYSEC-1, fixed in 2.1" in sentence("r.txt", judged(output(BAD, ABSENT)))


@pytest.mark.parametrize(("verdict", "status"), [(judged(output(BAD)), 1), (judged(""), 0), (judged(output(CLEAN)), 0)])
def test_only_a_vulnerability_fails(verdict: Verdict, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "audit", lambda file: verdict)
    assert command.main() == status


@pytest.mark.parametrize("file", FILES)
def test_every_requirement_is_one_version_with_its_hashes(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    loose = [line for line in lines if not re.match(r"[A-Za-z0-9._-]+(\[[\w,-]+\])?==\S+.*--hash=sha256:", line)]
    assert (loose, len(lines) > 20) == ([], True)
