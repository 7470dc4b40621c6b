"""docs/mcp.md: its program runs, its configurations are JSON, and its numbers are those of the code."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from agent.conf import setting
from agent.mcp.guard import MAX_BODY
from tests.docs.pages import ROOT, blocks
from tests.mcp.conftest import token_of
from tests.serving import Site

PAGE = ROOT / "docs" / "mcp.md"
TEXT = PAGE.read_text(encoding="utf-8")
[PROGRAM] = blocks(PAGE, "python")


@pytest.mark.django_db(transaction=True)
def test_program_of_the_page_lists_and_reads(served: Site, alice: User, order: object, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    own = {"SHOP_MCP": f"{served.url}/mcp", "SHOP_TOKEN": token_of(alice, "read"), "PATH": os.environ["PATH"]}
    ran = subprocess.run([sys.executable, str(file)], env=own, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert "order_status" in ran.stdout.splitlines()
    assert "DZ-10001" in ran.stdout


def test_configurations_are_json_with_the_address() -> None:
    found = [json.loads(span) for span in re.findall(r"`(\{.*?\})`", TEXT)]
    assert [list(each) for each in found] == [["mcpServers"], ["servers"]]
    assert {json.dumps(each).count("https://shop.example.com/mcp") for each in found} == {1}


@pytest.mark.parametrize(
    ("said", "so"),
    [
        (r"(\d+) requests a minute for one customer", lambda: setting("CALLS_A_MINUTE")),
        (r"and (\d+) for one program", lambda: setting("CLIENT_CALLS_A_MINUTE")),
        (r"(\d+) KB for a request", lambda: MAX_BODY // 1024),
        (r"(\d+) registrations a minute", lambda: setting("REGISTRATIONS_A_MINUTE")),
        (r"(\d+) tokens for one customer", lambda: setting("TOKENS_A_CUSTOMER")),
        (r"Access tokens live (\d+) minutes", lambda: settings.IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN // 60),
        (r"and for (\d+) days after", lambda: settings.IDP_OIDC_REFRESH_TOKEN_EXPIRES_IN // 86400),
    ],
)
def test_number_of_the_page_is_the_codes(said: str, so: Callable[[], int]) -> None:
    [number] = re.findall(said, TEXT.replace("\n", " "))
    assert int(number) == so()
