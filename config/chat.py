"""`python -m config.chat [CUSTOMER]`: the demonstration, served in the background, and its chat in this terminal."""

import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from config import env as environment
from config import serve
from config.demo import demo_environment, say

START_SECONDS = 60
LOOK_SECONDS = 0.2
CUSTOMER = "anna"


def main(customer: str) -> int:
    """Serve the sample shop until the conversation ends. Returns the exit status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # and what is left is cleaned up
    with demo_environment(os.environ):
        try:
            os.environ["PORT"] = str(_free_port())
            env = environment.read()
            say("Setting up the sample shop ...\n")
            with _served(f"http://{env.host}:{env.port}/readyz"):
                django.setup()
                say(f"\nIt is at {env.public_url}/, where {customer} (password demo) signs in to confirm.\n")
                call_command("chat", customer)
        except KeyboardInterrupt:
            return 0
        except (ImproperlyConfigured, CommandError) as error:
            sys.stderr.write(f"{error}\n")
            return 1
    return 0


def _free_port() -> int:
    """The one that is set, or one that is free where another process has it."""
    env = environment.read()
    try:
        serve.check_free(env.host, env.port)
    except ImproperlyConfigured:
        with socket.socket() as probe:
            probe.bind((env.host, 0))
            return int(probe.getsockname()[1])
    return env.port


@contextmanager
def _served(ready: str) -> Iterator[None]:
    """The demonstration in a process of its own, which Ctrl-C in this terminal does not reach."""
    process = subprocess.Popen(
        [sys.executable, "-m", "config.demo"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_until_ready(ready, process)
        yield
    finally:
        process.terminate()
        process.wait()


def _wait_until_ready(address: str, process: "subprocess.Popen[bytes]") -> None:
    pause = threading.Event()
    for _ in range(int(START_SECONDS / LOOK_SECONDS)):
        with suppress(OSError), urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 - our own address
            if answer.status == 200:
                return
        if process.poll() is not None:
            break
        pause.wait(LOOK_SECONDS)
    raise ImproperlyConfigured("The sample shop did not start.")


if __name__ == "__main__":
    serve.leave(main(*(sys.argv[1:2] or [CUSTOMER])))
