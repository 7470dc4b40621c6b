"""The demonstration shop in a process of its own, and a real Chromium in front of it."""

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import oauth
from tests.browser.oauth import Listener
from tests.conftest import missing

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "demo"
START_SECONDS = 60
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")

expect.set_options(timeout=15_000)

SayMore = Callable[[str, int], None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder drives a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not CHROMIUM:
        missing("no Chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def shop_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the shop's process runs with; another process with the same sees the same rows."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return demo_environment(port, database=tmp_path_factory.mktemp("shop") / "shop.sqlite3")


@pytest.fixture(scope="session")
def shop(chromium: Browser, shop_environment: dict[str, str]) -> Iterator[str]:
    """The address of a running sample shop with the demonstration model, as `make demo` starts it."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "config.demo"], cwd=ROOT, env=shop_environment, stdout=said, stderr=said
        )
        try:
            address = f"http://127.0.0.1:{shop_environment['PORT']}"
            wait_until_ready(address, process, said)
            yield address
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=15)


@pytest.fixture(scope="session")
def documents(shop: str, shop_environment: dict[str, str]) -> dict[str, str]:
    """The addresses of finn's proposals, one in each state."""
    made = json.loads(_made_by("tests.browser.documents", shop_environment))
    return {name: f"/agent/actions/{pk}/" for name, pk in made.items()}


@pytest.fixture
def long_conversation(shop: str, shop_environment: dict[str, str]) -> str:
    """The address of a new conversation of greta's: 120 messages over three days."""
    return f"/agent/conversations/{_made_by('tests.browser.correspondence', shop_environment).strip()}/"


@pytest.fixture
def say_more(shop: str, shop_environment: dict[str, str]) -> SayMore:
    """`say_more(conversation_id, 60)`: so many messages more in a conversation, as if others had gone on there."""

    def said(conversation_id: str, count: int) -> None:
        _made_by("tests.browser.correspondence", shop_environment, conversation_id, str(count))

    return said


def _made_by(module: str, environment: dict[str, str], *arguments: str) -> str:
    """What a module printed that made rows in the running shop's database."""
    made = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return made.stdout


def demo_environment(port: int, *, database: Path) -> dict[str, str]:
    kept = ("PATH", "HOME", "LANG", "VIRTUAL_ENV", "TMPDIR")
    own = {"PORT": str(port), "DATABASE_URL": f"sqlite:///{database}", "SECRET_KEY": secrets.token_urlsafe(50)}
    own |= {"AGENT_PROVIDER": "demo", "STATIC_FROM_SOURCE": "1", "TIME_ZONE": "Europe/Berlin"}
    return {name: os.environ[name] for name in kept if name in os.environ} | own


def wait_until_ready(address: str, process: subprocess.Popen, said: Any) -> None:
    pause = threading.Event()
    for _ in range(START_SECONDS * 10):
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/readyz", timeout=2) as answer:
            if answer.status == 200:
                return
        if process.poll() is not None:
            break
        pause.wait(0.1)
    said.seek(0)
    pytest.fail(f"the shop did not start:\n{said.read().decode()[-4000:]}")


@pytest.fixture(scope="session")
def callbacks() -> Iterator[list[Listener]]:
    """Where two programs wait for a browser. They outlive the pages, which may still be loading there."""
    with oauth.listening() as first, oauth.listening() as second:
        yield [first, second]


@pytest.fixture
def listeners(callbacks: list[Listener]) -> list[Listener]:
    for each in callbacks:
        each.came.clear()
    return callbacks


Visit = Callable[..., Page]


@pytest.fixture
def visit(chromium: Browser, shop: str) -> Iterator[Visit]:
    """`visit("anna")`: a page of a fresh browser in which that customer is signed in. Nobody: `visit(None)`.

    Whatever the console calls an error fails the test: a blocked script, an exception, a missing file. Nothing moves:
    a colour that is measured half-way belongs to no look.
    """
    contexts, complaints = [], []

    def open_page(user: str | None, *, path: str = "/agent/", **options: Any) -> Page:
        context = chromium.new_context(base_url=shop, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
        page.on("console", lambda line: note(page, line))
        if user:
            sign_in(page, user)
        page.goto(path)
        return page

    def note(page: Page, line: Any) -> None:
        # An answer that is an error by intention is one here too; a lost connection is what some tests are about.
        intended = "status of 4" in line.text or "net::ERR_INTERNET_DISCONNECTED" in line.text
        if line.type == "error" and not intended:
            complaints.append(f"{page.url}: {line.text}")

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def sign_in(page: Page, user: str) -> None:
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill(user)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=password]").press("Enter")
    page.wait_for_url("**/agent/")


def ask(page: Page, text: str) -> None:
    """Send a message as a customer would, and see it taken."""
    field = page.locator("#q")
    field.fill(text)
    with page.expect_response("**/agent/start/") as taken:
        field.press("Enter")
    assert taken.value.status == 202


def answered(page: Page) -> None:
    """Wait until nothing is at work any more."""
    expect(page.get_by_role("log")).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def ask_and_wait(page: Page, text: str) -> None:
    ask(page, text)
    page.wait_for_url("**/agent/runs/**")
    expect(page.locator(".message.agent:not(.live)").last).to_be_visible()
    answered(page)
