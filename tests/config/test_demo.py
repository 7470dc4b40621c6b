"""The demonstration: from nothing to a shop that answers, and nothing left of it."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.serve import check_free
from tests.serving import PATIENCE, ROOT, Site, free_port, wait_until

END_SECONDS = 10


def start(tmp_path: Path, *, port: int) -> subprocess.Popen[str]:
    """`python -m config.demo` with an environment that sets nothing but the port."""
    return subprocess.Popen(
        [sys.executable, "-m", "config.demo"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PORT": str(port)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Site]:
    served = Site(start(tmp_path, port=(port := free_port())), port)
    try:
        wait_until(served.answers, process=served.process)
        yield served
    finally:
        if served.process.poll() is None:
            served.process.kill()
        served.process.wait(timeout=PATIENCE)
        assert served.process.stdout is not None
        served.process.stdout.close()


def test_demo_says_where_to_go_serves_and_leaves_nothing(demo: Site, tmp_path: Path) -> None:
    with urllib.request.urlopen(f"{demo.url}/readyz", timeout=10) as ready:
        assert ready.status == 200
    page = urllib.request.urlopen(f"{demo.url}/accounts/login/", timeout=10).read().decode()
    assert demo.answers(re.findall(r'href="(/static/[^"]+\.css)"', page)[0])
    assert demo.stop(signal.SIGINT) < END_SECONDS
    assert demo.process.stdout is not None
    said = demo.process.stdout.read()
    assert (demo.process.returncode, "Traceback" in said, "warning" in said) == (0, False, False)
    assert demo.url in said
    assert "demonstration" in said
    assert re.search(r"anna +demo", said)
    assert list(tmp_path.glob("countersign-demo-*")) == []


def test_taken_port_is_named_in_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = start(tmp_path, port=port)
        said, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, "Traceback" in said) == (1, False)
    assert f"Port {port} cannot be used" in said
    assert "set PORT" in said


@pytest.mark.parametrize("host", ["203.0.113.9", "no such host"])
def test_host_that_is_not_this_machine_is_named_in_a_sentence(host: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"at {host} .*set HOST"):
        check_free(host, 8000)


def test_chat_in_the_terminal_has_a_shop_of_its_own_and_leaves_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:  # where another demonstration is served already
        port = taken.getsockname()[1]
        process = subprocess.run(
            [sys.executable, "-m", "config.chat"],
            input="Please refund 1.50 for order DZ-10414\n",
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PORT": str(port)},
            capture_output=True,
            text=True,
            timeout=4 * PATIENCE,
        )
    assert (process.returncode, process.stderr) == (0, "")
    assert "... Preparing a refund for DZ-10414" in process.stdout
    [address] = re.findall(r"http://127\.0\.0\.1:(\d+)/agent/actions/", process.stdout)
    assert int(address) != port
    assert not Site(None, int(address)).answers()  # type: ignore[arg-type] - it has ended with the conversation
    assert list(tmp_path.glob("countersign-demo-*")) == []
