"""`make check-mcp`. Ends with figures, and with 1 where something is not as it is expected."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import place
from tests.conformance import suite
from tests.conformance.doorman import with_token
from tests.conformance.inspector import Inspector, Refused
from tests.conformance.node import HERE, Missing, Node, installed
from tests.conformance.shop import STAFF
from tests.conformance.suite import REVISIONS

ORDER, AMOUNT = "DZ-10414", "20.00"  # of the sample shop: delivered, and paid by card
SITE, WITH_FIXTURES = "config.serve", "tests.conformance.fixtures"
PENDING = ["refund_order", "pending", "anna"]


def main() -> int:
    """Returns the exit status."""
    try:
        node = installed()
    except Missing as lack:
        _say(f"Not checked: {lack}.")
        return 1 if os.environ.get("CI") == "true" else 0
    pinned = json.loads((HERE / "package.json").read_text())["dependencies"]
    _say(f"Node {node.version}, " + ", ".join(f"{name.split('/')[1]} {number}" for name, number in pinned.items()))
    with place.folder() as folder:
        faults = [fault for name, url in _databases(folder) for fault in _checked(node, name, url, folder / name)]
    for fault in faults:
        _say(f"FAILED  {fault}")
    _say(f"{len(faults)} unexpected failures.")
    return 1 if faults else 0


def _databases(folder: Path) -> Iterator[tuple[str, str]]:
    yield "SQLite", f"sqlite:///{folder / 'shop.sqlite3'}"
    try:
        with place.own_database() as url:
            yield "PostgreSQL", url
    except place.Missing as lack:
        _say(f"On PostgreSQL nothing was checked: {lack}.")


def _checked(node: Node, database: str, url: str, folder: Path) -> list[str]:
    """Run everything over one database; what was not as expected, in lines."""
    folder.mkdir()
    env = place.environment(
        DJANGO_SETTINGS_MODULE="tests.conformance.settings", DATABASE_URL=url, AGENT_PROVIDER="demo", LOG_LEVEL="ERROR"
    )
    tokens = _shop(env, "cast")
    faults = []
    with _served(SITE, env) as site:
        with with_token(site, tokens["anna"]) as door:
            for revision in REVISIONS:
                found = suite.plain(node, door, revision, folder / f"plain-{revision}")
                faults += _reported(f"{database}, {revision}, the site as it is", found)
        for revision in REVISIONS:
            faults += _inspected(node, env, site, tokens, f"{database}, {revision}, the inspector", folder)
    with _served(WITH_FIXTURES, env) as site:
        with with_token(site, tokens["anna"]) as door:
            for revision in REVISIONS:
                found = suite.required(node, door, revision, folder / f"all-{revision}")
                faults += _reported(f"{database}, {revision}, all that is required", found)
        faults += _roles(node, site, tokens, f"{database}, roles, the inspector", folder)
    return faults


def _reported(what: str, found: suite.Found) -> list[str]:
    _say(f"{what}: {found}")
    return [] if found.is_as_expected else [f"{what}\n{found.told}"]


def _inspected(node: Node, env: place.Environ, site: str, tokens: dict[str, str], what: str, folder: Path) -> list[str]:
    """Lists are each customer's own, a read answers, and a refund waits while nothing moves."""
    revision = what.split(", ")[1]
    anna, ben = (Inspector(node, site, tokens[name], revision, folder) for name in ("anna", "ben"))
    before = _shop(env, "state")
    try:
        hers, his = anna.tools(), ben.tools()
        read = anna.call("order_status", order_number=ORDER)
        proposed = anna.call("refund_order", order_number=ORDER, amount=AMOUNT)
    except Refused as refusal:
        return [f"{what}: {refusal}"]
    after = _shop(env, "state")
    told = {
        "who may propose is shown more than who may read": set(his) < set(hers) and "refund_order" not in his,
        "a read answers": read["structuredContent"]["order_number"] == ORDER,
        "a stranger's order is not found": ben.is_refused("order_status", order_number=ORDER),
        "a refund waits for its customer": proposed["structuredContent"]["status"] == "confirmation_required"
        and after["proposals"] == [PENDING],
        "no entry, refund or transfer came of it": after["moved"] == before["moved"],
    }
    return _judged(f"{what}: {len(hers)} tools for one customer, {len(his)} for another", told)


def _roles(node: Node, site: str, tokens: dict[str, str], what: str, folder: Path) -> list[str]:
    """A tool that takes a permission is listed to whoever holds it."""
    lists = {name: set(Inspector(node, site, tokens[name], REVISIONS[0], folder).tools()) for name in ("anna", STAFF)}
    return _judged(what, {"a tool for staff is shown to staff alone": lists[STAFF] - lists["anna"] == {"staff_only"}})


def _judged(what: str, told: dict[str, bool]) -> list[str]:
    wrong = [f"{what}: not so: {fact}" for fact, is_so in told.items() if not is_so]
    _say(f"{what}: {len(told) - len(wrong)} of {len(told)} facts hold")
    return wrong


def _shop(env: place.Environ, what: str) -> Any:
    command = [sys.executable, "-m", "tests.conformance.shop", what]
    told = subprocess.run(command, env=env, cwd=place.ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(told.stdout.splitlines()[-1])


@contextmanager
def _served(module: str, env: place.Environ) -> Iterator[str]:
    """The address of a site, until the block ends."""
    port = place.free_port()
    url = f"http://127.0.0.1:{port}"
    with place.process(sys.executable, "-m", module, env={**env, "PORT": str(port)}):
        until = time.monotonic() + place.PATIENCE
        while not _answers(url):
            if time.monotonic() > until:
                raise RuntimeError(f"{module} does not answer")
            time.sleep(0.1)
        yield url


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
