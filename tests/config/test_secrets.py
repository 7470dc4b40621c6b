"""No key, token or password lies in a tracked file (SECURITY 46)."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = {
    "private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}",
    "AWS": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "GitHub": r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,})",
    "GitLab": r"\bglpat-[A-Za-z0-9_-]{20}",
    "Slack": r"\bxox[abprs]-[0-9A-Za-z-]{20,}",
    "Google": r"\bAIza[0-9A-Za-z_-]{35}",
    "Anthropic": r"\bsk-ant-[A-Za-z0-9_-]{40,}",
    "OpenAI": r"\bsk-(?:proj-)?[A-Za-z0-9]{40,}",
    "Stripe": r"\b[rs]k_live_[0-9A-Za-z]{16,}",
    "our own token": r"\bcsgn_[0-9A-Za-z]{38}\b",
    "signed token": r"\beyJ[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}",
    # A name, a reserved domain or this machine behind the @ is an example.
    "password in a URL": r"\b(?:postgres(?:ql)?|rediss?|amqps?|smtps?|https?)://[^\s:/@\"'{}$<]*:"
    r"(?![Pp]assword|p%40ss|hunter2|s3cret)[^\s/@\"'{}$<:]{6,}@"
    r"(?!127\.0\.0\.1|localhost|\[::1\]|host\b|[\w.-]*\.?(?:example|test|invalid|internal)\b|h/)[\w.-]+",
}


def tracked() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is no checkout of git")
    return [ROOT / name for name in done.stdout.split("\0") if name]


def test_no_tracked_file_holds_a_secret() -> None:
    """SECURITY 46. Only the place is told, not what was found."""
    found = []
    for path in tracked():
        if not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        found += [
            f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {kind}"
            for kind, pattern in PATTERNS.items()
            for match in re.finditer(pattern, text)
        ]
    assert found == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("private key", "-----BEGIN RSA PRIVATE KEY" + "-----\n" + "A" * 64),
        ("AWS", "AKIA" + "ABCDEFGHIJKLMNOP"),
        ("GitHub", "ghp" + "_" + "a" * 36),
        ("Anthropic", "sk-" + "ant-api03-" + "a" * 60),
        ("OpenAI", "sk-" + "proj-" + "a" * 48),
        ("Stripe", "sk" + "_live_" + "a" * 24),
        ("our own token", "csgn" + "_" + "a" * 38),
        ("password in a URL", "postgresql://shop:" + "kT7wq2Lm9@db.shop.de/shop"),
    ],
)
def test_scan_knows_a_secret_when_it_sees_one(kind: str, text: str) -> None:
    assert re.search(PATTERNS[kind], text)


def test_no_environment_of_somebodys_is_tracked() -> None:
    names = {path.name for path in tracked()}
    assert {name for name in names if name == ".env" or name.endswith((".pem", ".key", ".p12", ".sqlite3"))} == set()
