"""A connection to an address that was checked, within one time limit and one number of bytes.

The HTTP of httpcore2 runs on it. That library takes no proxy from the environment, keeps no cookies, follows no
redirect and undoes no compression: what it does not do cannot be turned against the host.
docs/decisions/0012-pages-from-outside.md says more.
"""

import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from httpcore2 import NetworkBackend, NetworkError, NetworkStream, SyncBackend, TimeoutException, default_ssl_context

from agent.errors import PageNotRead
from agent.untrusted.addresses import is_public

MAX_ON_THE_WIRE = 1024 * 1024  # headers, chunk sizes and redirects included
_MAX_ADDRESSES = 4  # that are tried, where a name has many
TOO_SLOW = "the page did not come in time"
TOO_MUCH = "the page is too large to be read"

Lookup = Callable[[str], list[str]]


def look_up(host: str) -> list[str]:
    """All IP addresses of a name. Raises OSError."""
    found = socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


@dataclass(frozen=True)
class Internet:
    """What lies between this host and a page. A test puts a server of its own there; the checks stay as they are."""

    look_up: Lookup = look_up
    backend: NetworkBackend = field(default_factory=SyncBackend)
    tls: ssl.SSLContext = field(default_factory=default_ssl_context)


class Watch:
    """What one page may cost from its first lookup to its last byte, redirects included."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._bytes = 0

    def left(self) -> float:
        """Seconds, above zero. Raises PageNotRead when there are none."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise PageNotRead(TOO_SLOW)
        return left

    def count(self, received: int) -> None:
        """Raises PageNotRead when more than MAX_ON_THE_WIRE came in all."""
        self._bytes += received
        if self._bytes > MAX_ON_THE_WIRE:
            raise PageNotRead(TOO_MUCH)


def public_addresses(host: str, *, look_up: Lookup, watch: Watch) -> list[str]:
    """Look a name up, once. Raises PageNotRead where a single address of it is not the internet's."""
    answers: queue.SimpleQueue[list[str] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(look_up(host))
        except Exception as error:  # told in the thread that waits
            answers.put(error)

    # getaddrinfo takes no time limit. The thread is left to the system's own, which ends it within half a minute.
    threading.Thread(target=ask, name="look-up", daemon=True).start()
    try:
        found = answers.get(timeout=watch.left())
    except queue.Empty:
        raise PageNotRead(TOO_SLOW) from None
    if isinstance(found, (OSError, UnicodeError)) or found == []:
        raise PageNotRead(f"{host} was not found")
    if isinstance(found, Exception):
        raise found
    if not all(map(is_public, found)):
        raise PageNotRead(f"{host} does not lie in the public internet")
    return found[:_MAX_ADDRESSES]


class Pinned(NetworkBackend):
    """Connects to the addresses that were checked and to nothing else; the name is only for the certificate."""

    def __init__(self, addresses: Iterable[str], *, backend: NetworkBackend, watch: Watch) -> None:
        self._addresses, self._backend, self._watch = list(addresses), backend, watch

    def connect_tcp(self, host: str, port: int, *_: object, **__: object) -> NetworkStream:
        for place, address in enumerate(self._addresses, start=1):
            share = self._watch.left() / (len(self._addresses) + 1 - place)
            try:
                return _Watched(self._backend.connect_tcp(address, port, timeout=share), self._watch)
            except (NetworkError, TimeoutException):
                if place == len(self._addresses):
                    raise
        raise PageNotRead(f"{host} was not found")


class _Watched(NetworkStream):
    """Every wait is the rest of the whole page's time, whatever the caller asks for; every byte is counted."""

    def __init__(self, stream: NetworkStream, watch: Watch) -> None:
        self._stream, self._watch = stream, watch

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._stream.read(max_bytes, timeout=self._watch.left())
        self._watch.count(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout=self._watch.left())

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, timeout=self._watch.left())
        return _Watched(stream, self._watch)

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)
