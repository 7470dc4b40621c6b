"""A streamed answer, read by a thread of its own, so that the caller can leave it at any moment."""

import json
import logging
import queue
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, Self

from agent.providers.base import Turn, Watch
from agent.providers.failures import failure

logger = logging.getLogger(__name__)

END_MARK = b"[DONE]"  # how chat completions end; it is no JSON


class Builder(Protocol):
    """Puts a turn together from the events of one API, given as the dicts that were sent."""

    def add(self, event: dict[str, Any]) -> str:
        """Take one event; returns the text that it adds to the answer. Raises ProviderError."""

    def is_last(self, event: dict[str, Any]) -> bool:
        """Whether nothing of the answer follows. Asked in the reading thread, before the event is added."""

    def turn(self, *, request_id: str) -> Turn:
        """The turn, once the stream has ended. Raises ProviderError where it ended too early."""


def read_turn(
    open_stream: Callable[[], Any], builder: Builder, *, on_text: Callable[[str], None], watch: Watch
) -> Turn:
    """The turn of a streamed request. `open_stream` sends it and returns the SDK's stream."""
    with _Reading(open_stream, builder) as reading:
        for event in reading.events(watch):
            text = builder.add(event)
            if text:
                on_text(text)
    return builder.turn(request_id=reading.request_id)


class _Reading:
    """One streamed request, read by a thread of its own.

    A blocking read can neither look at the clock nor at the stop button, and a service that sends a ping now and
    then never runs into a read timeout. So the thread blocks and the caller waits for it, as long as it wants to.
    Leaving ends the thread: at once while the answer streams, at the deadline where none has begun.
    """

    def __init__(self, open_stream: Callable[[], Any], builder: Builder) -> None:
        self.request_id = ""
        self._open_stream = open_stream
        self._builder = builder
        self._items: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._response: Any = None  # while there is something to hang up on
        self._left = False

    def __enter__(self) -> Self:
        threading.Thread(target=self._read, name="model-stream", daemon=True).start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._left = True
        response = self._response
        if response is not None and not response.is_closed:
            _hang_up(response)

    def events(self, watch: Watch) -> Iterator[dict[str, Any]]:
        """The events as dicts, to the end of the message or of the stream."""
        while True:
            watch.check()
            try:
                item = self._items.get(timeout=watch.pause())
            except queue.Empty:
                continue
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            yield item

    def _read(self) -> None:
        try:
            with self._open_stream() as stream:
                headers = stream.response.headers
                self.request_id = headers.get("request-id") or headers.get("x-request-id", "")
                self._response = stream.response
                self._pass_on(stream.response)
            self._items.put(None)
        except BaseException as error:  # raised again by the caller, or moot where it has left
            self._items.put(error)

    def _pass_on(self, response: Any) -> None:
        """Each event as it was sent, before the SDK's types can bend a kind that they do not know."""
        if self._left:  # while the request was on its way
            return
        for data in sent_data(response.iter_bytes()):
            event = None if data == END_MARK else _parsed(data)
            if event is None or self._builder.is_last(event):
                # The rest is read to its end, for the connection goes back to the pool: nobody may cut it now.
                self._response = None
            self._items.put(event)
            if self._response is None:
                self._items.put(None)  # the caller waits no longer


def sent_data(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The data of each server-sent event that is whole.

    Lines end at a line feed alone: a text may hold U+2028 or U+0085, at which a decoder of texts would cut it.
    """
    data: list[bytes] = []
    for line in _lines(pieces):
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line:
            if any(data):
                yield b"\n".join(data)
            data = []


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r")


def _hang_up(response: Any) -> None:
    """Wake the reading thread. Closing the socket under it would not, and its number might be another's by then."""
    stream = response.extensions.get("network_stream")
    connection = stream.get_extra_info("socket") if stream else None
    if connection is None:
        return
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        logger.debug("the other side had hung up before")


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        event = json.loads(data)
    except ValueError as error:
        raise failure("bad_turn") from error
    if not isinstance(event, dict):
        raise failure("bad_turn")
    return event
