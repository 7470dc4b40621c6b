"""The official inspector, as a program of a customer's would be used."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conformance.node import INSPECTOR, Node

ERAS = {"2026-07-28": "modern", "2025-11-25": "legacy"}
PATIENCE = 60  # seconds


class Refused(Exception):
    """The inspector ended with an error; its own words."""


@dataclass(frozen=True)
class Inspector:
    """With the token of one customer, in one revision."""

    node: Node
    url: str
    token: str
    revision: str
    home: Path

    def tools(self) -> list[str]:
        """The names that are listed. Refused where a schema is one that clients cannot use (`--strict`)."""
        return [tool["name"] for tool in self._ask("tools/list", "--strict")["tools"]]

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """What a call is answered with."""
        given = ["--tool-name", name, "--tool-args-json", json.dumps(arguments)]
        return self._ask("tools/call", *given)

    def is_refused(self, name: str, **arguments: Any) -> bool:
        """Whether a call is answered with an error of the tool."""
        try:
            self.call(name, **arguments)
        except Refused as refusal:
            return "tool_is_error" in str(refusal)
        return False

    def _ask(self, method: str, *more: str) -> dict[str, Any]:
        command = self.node.command(INSPECTOR, "--cli", f"{self.url}/mcp", "--transport", "http", "--format", "json")
        command += ["--header", f"Authorization: Bearer {self.token}", "--protocol-era", ERAS[self.revision]]
        command += ["--stored-auth-only", "--method", method, *more]
        told = subprocess.run(
            command, env=self.node.environment(self.home), capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        if told.returncode:
            raise Refused((told.stderr or told.stdout).strip())
        found: dict[str, Any] = json.loads(told.stdout)["result"]
        return found
