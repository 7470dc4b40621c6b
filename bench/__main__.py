"""`python -m bench [PART ...] [--small]`: measure, print, and write docs/benchmarks.md.

`--small` only shows that it works.
Each part has a process of its own and so much time; what it started is ended with it.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from importlib import import_module
from typing import Any, NoReturn

from bench import page, place, section

PARTS = {"steps": 150.0, "runs": 120.0, "streams": 120.0, "cost": 45.0}  # seconds; together below eight minutes
INSTALLING = 240.0  # once, where the peers are not installed yet


def main() -> int:
    """Returns 1 where a part failed or a figure is not what it has to be."""
    asked = _arguments()
    if asked.alone:
        return _alone(asked.alone, small=asked.small)
    good = [_measured(part, small=asked.small) for part in asked.parts or PARTS]
    return 0 if all(good) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description="Measure what Countersign costs.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--small", action="store_true", help="a few seconds, nothing written: shows that it works")
    parser.add_argument("--alone", choices=PARTS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if set(asked.parts) - PARTS.keys():
        parser.error(f"there are {', '.join(PARTS)}")
    return asked


def _measured(part: str, *, small: bool) -> bool:
    load = os.getloadavg()[0]
    _say(f"{part} (load {load:.1f}) ...")
    command = [sys.executable, "-m", "bench", "--alone", part, *(["--small"] if small else [])]
    found = _answer(command, seconds=PARTS[part] + (0 if place.PEERS.exists() else INSTALLING))
    if "failed" in found:
        _say(f"{part} failed: {found['failed']}")
        return False
    if "skipped" in found:
        text, good = page.skipped(part, why=found["skipped"]), True
    else:
        measured = section.read(found)
        text, good = page.drawn(measured, load=load), all(each.is_kept for each in measured.verdicts)
    _say(text)
    if not small:
        page.write(part, text, order=list(PARTS))
    return good or small


def _answer(command: list[str], *, seconds: float) -> dict[str, Any]:
    """What the part prints last. One that takes too long is told to end what it started."""
    running = subprocess.Popen(command, cwd=place.ROOT, stdout=subprocess.PIPE, text=True)
    try:
        said, _ = running.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        running.terminate()
        running.communicate(timeout=2 * place.PATIENCE)
        return {"failed": f"not done after {seconds:.0f} s"}
    if running.returncode:
        return {"failed": f"it ended with {running.returncode}"}
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    return found


def _alone(part: str, *, small: bool) -> int:
    """Measure in this process."""
    signal.signal(signal.SIGTERM, _end)
    try:
        found = import_module(f"bench.{part}").measure(small=small).as_json()
    except place.Missing as missing:
        found = {"skipped": str(missing)}
    _say(json.dumps(found))
    return 0


def _end(*_: object) -> NoReturn:
    raise SystemExit(1)  # through every block, so that each ends what it started


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
