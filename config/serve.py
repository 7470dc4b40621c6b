"""`python -m config.serve`: the site on uvicorn, one process; without a broker with the worker inside.

Ends within ten seconds of Ctrl-C or SIGTERM, also with streams open and a run at work.
"""

import errno
import logging
import os
import signal
import socket
import sys
from types import FrameType

import uvicorn
from django.core.exceptions import ImproperlyConfigured

from config import env as environment

GRACE_SECONDS = 5

logger = logging.getLogger("config.serve")  # also where it is the program itself


class Server(uvicorn.Server):
    """Ends the streams when it is told to stop: they would not end by themselves."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        from agent import relay  # the applications are there only once the server runs

        relay.look_again(end=True)
        super().handle_exit(sig, frame)


def main() -> int:
    """Serve until told to stop. Returns the exit status; says in a sentence why it cannot start."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    end_by_exception()
    try:
        env = environment.read()
        return serve(env, access_log=True)
    except KeyboardInterrupt:
        return 0
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{error}\n")
        return 1


def serve(env: environment.Environment, *, access_log: bool) -> int:
    """Run the server in this thread until a signal. Raises ImproperlyConfigured where it must not be started."""
    check_free(env.host, env.port)
    from config.asgi import application  # sets up Django
    from config.checks import refuse_several_processes

    refuse_several_processes()
    if env.https and not env.forwarded_allow_ips:  # this server speaks no TLS, so there is a proxy
        logger.warning(
            "FORWARDED_ALLOW_IPS names no proxy: the limits of sign-ins count all customers behind it as one address"
        )
    config = uvicorn.Config(
        application,
        host=env.host,
        port=env.port,
        workers=1,
        lifespan="on",
        log_config=None,
        access_log=access_log,
        server_header=False,
        # A client's word for its own address counts only from the proxies that are named.
        proxy_headers=bool(env.forwarded_allow_ips),
        forwarded_allow_ips=env.forwarded_allow_ips or None,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = Server(config)
    try:
        server.run()
    except KeyboardInterrupt:
        return 0
    return 0 if server.started else 1


def end_by_exception() -> None:
    """Make both signals an exception, so that what is left is cleaned up: uvicorn raises them anew when it has ended.

    A shell that starts a program in the background has it ignore Ctrl-C; this one listens all the same.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)


def check_free(host: str, port: int) -> None:
    """Raises ImproperlyConfigured where the port is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            mend = "stop what uses it, or set PORT to another one"
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                mend = "set HOST to an address of this machine, such as 127.0.0.1 or 0.0.0.0"
            raise ImproperlyConfigured(f"Port {port} cannot be used at {host} ({error.strerror}): {mend}.") from error


def leave(status: int) -> None:
    """End the process, also while a run waits for its model: the next start takes the run up again.

    An ordinary exit would wait for the threads of the pool.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    leave(main())
