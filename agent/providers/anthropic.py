"""The Messages API, streamed, through its SDK."""

import json
import logging
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Self

from django.conf import settings

from agent.errors import ProviderError
from agent.providers.assembly import TurnBuilder, turn_of
from agent.providers.base import Request, Turn, Watch
from agent.providers.failures import failure, failure_of

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 5.0

_clients: dict[tuple[str, str | None], Any] = {}
_clients_lock = threading.Lock()


class AnthropicProvider:
    """The Messages API; `client` is anything with `messages.create(**kwargs)`, by default the SDK's.

    `stream=False` is for a client that returns whole messages (content, stop_reason, usage). Such a call is not
    interrupted: its client has its own time limit.
    """

    name = "anthropic"

    def __init__(self, client: Any = None, *, stream: bool = True) -> None:
        self._client = client
        self._stream = stream

    def turn(
        self, request: Request, *, on_text: Callable[[str], None], deadline: float, stopped: Callable[[], bool]
    ) -> Turn:
        """See Provider.turn. The cause of a failure is logged here, without anything that was said."""
        watch = Watch(deadline=deadline, stopped=stopped)
        watch.check()
        client = self._client or _sdk_client()
        ask = self._streamed if self._stream else self._whole
        try:
            return ask(client, _arguments(request), on_text=on_text, watch=watch)
        except ProviderError as error:
            _log(error, cause=error.__cause__)
            raise
        except Exception as error:
            known = failure_of(error)
            if known is None:
                raise
            _log(known, cause=error)
            raise known from error

    def _streamed(
        self, client: Any, arguments: dict[str, Any], *, on_text: Callable[[str], None], watch: Watch
    ) -> Turn:
        builder = TurnBuilder()
        timeout = _timeout(watch.left())
        with _Reading(lambda: client.messages.create(**arguments, stream=True, timeout=timeout)) as reading:
            for event in reading.events(watch):
                text = builder.add(event)
                if text:
                    on_text(text)
        return builder.turn(request_id=reading.request_id)

    def _whole(self, client: Any, arguments: dict[str, Any], *, on_text: Callable[[str], None], watch: Watch) -> Turn:
        turn = turn_of(client.messages.create(**arguments), started=time.monotonic())
        watch.check()
        for block in turn.content:
            if block["type"] == "text":
                on_text(block["text"])
        return turn


class _Reading:
    """One streamed request, read by a thread of its own.

    A blocking read can neither look at the clock nor at the stop button, and a service that sends a ping now and
    then never runs into a read timeout. So the thread blocks and the caller waits for it, as long as it wants to.
    Leaving ends the thread: at once while the answer streams, at the deadline where none has begun.
    """

    def __init__(self, open_stream: Callable[[], Any]) -> None:
        self.request_id = ""
        self._open_stream = open_stream
        self._items: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._response: Any = None  # while there is something to hang up on
        self._left = False

    def __enter__(self) -> Self:
        threading.Thread(target=self._read, name="messages-api", daemon=True).start()
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
            if item.get("type") == "message_stop":
                return

    def _read(self) -> None:
        try:
            with self._open_stream() as stream:
                self.request_id = stream.response.headers.get("request-id", "")
                self._response = stream.response
                self._pass_on(stream)
            self._items.put(None)
        except BaseException as error:  # raised again by the caller, or moot where it has left
            self._items.put(error)

    def _pass_on(self, stream: Any) -> None:
        """Each event as it was sent, before the SDK's types can bend a kind that they do not know."""
        if self._left:  # while the request was on its way
            return
        for sent in stream.raw_events(stream.response):
            if not sent.data:
                continue
            event = _parsed(sent.data)
            if event.get("type") in ("message_stop", "error"):
                # The rest is read to its end, for the connection goes back to the pool: nobody may cut it now.
                self._response = None
            self._items.put(event)


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


def _parsed(data: str) -> dict[str, Any]:
    try:
        event = json.loads(data)
    except ValueError as error:
        raise failure("bad_turn") from error
    if not isinstance(event, dict):
        raise failure("bad_turn")
    return event


def _arguments(request: Request) -> dict[str, Any]:
    """The request as keywords. The cache mark at the top moves along with the end of the conversation."""
    arguments: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": request.messages,
        "cache_control": {"type": "ephemeral"},
    }
    if request.system:
        arguments["system"] = request.system
    if request.tools:
        arguments["tools"] = request.tools
    if settings.AGENT.get("THINKING"):  # left out, each model thinks as is usual for it
        arguments["thinking"] = settings.AGENT["THINKING"]
    return arguments


def _timeout(left: float) -> Any:
    from anthropic import Timeout  # slow; see _sdk_client

    return Timeout(left, connect=min(CONNECT_SECONDS, left))


def _sdk_client() -> Any:
    """One client a process and address: it keeps the connections. Raises ProviderError where there is no key."""
    key, base_url = settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL or None
    if not key:
        raise failure("authentication")
    with _clients_lock:
        if (key, base_url) not in _clients:
            # Imported here: it takes two seconds and 86 MB, and most processes never call a model.
            from anthropic import Anthropic

            # The key explicitly, or the SDK may find somebody's credentials on the disk. No retries: those are the
            # loop's, inside the run's deadline, and a retry-after header is obeyed by the SDK without any limit.
            _clients[key, base_url] = Anthropic(api_key=key, base_url=base_url, max_retries=0)
        return _clients[key, base_url]


def _log(error: ProviderError, *, cause: BaseException | None) -> None:
    logger.warning(
        "the model service failed: %s (%s)",
        error.code,
        type(cause).__name__ if cause else "no cause",
        extra={
            "code": error.code,
            "retryable": error.retryable,
            "status": getattr(cause, "status_code", None),
            "request_id": getattr(cause, "request_id", None),
            "detail": str(getattr(cause, "api_message", None) or "")[:500],
        },
    )
