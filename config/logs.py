"""The log: one JSON object a line, or lines to read. Whatever text comes in, no record passes for two.

A line of JSON is a record. In the form to read a record begins at the left edge and goes on, if it does, further in.

It says what happened to which row, never what a person wrote, who they are or where they sit: an exception is told by
its kind and its place, without its message, which may quote anything. Only LOG_LEVEL=DEBUG, for a developer's own
machine, shows messages too.
"""

import logging
import re
import traceback
from collections.abc import MutableMapping
from typing import Any

import structlog

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
# The key in a mailed link opens an account.
_KEY = re.compile(r"(/(?:key|confirm-email)/)[^/]+")
# What ends a line somewhere, moves a terminal's cursor or turns its text round.
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class RequestLine(logging.Filter):
    """A line of the server's access log without address, query and keys in mailed links."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple) and len(record.args) == 5:
            _address, method, path, _version, status = record.args
            record.msg, record.args = "request", ()
            record.method, record.status = method, status
            record.path = _KEY.sub(r"\1...", str(path).partition("?")[0])
        return True


def _loggers(level: str) -> dict[str, dict[str, Any]]:
    """What others say by themselves, as far as it tells somebody something."""
    # Django brings its own handlers; one line a record is enough.
    as_all = {"handlers": [], "level": level, "propagate": True}
    # A line for every listener that comes, every message that passes, every request with its whole address.
    too_much = ("django_eventstream", "celery.worker.strategy", "celery.app.trace", "httpx2")
    return {
        "django": as_all,
        "django.server": as_all,
        "uvicorn.access": {"filters": ["request_line"]},
        **{name: {"level": "WARNING"} for name in too_much},
    }


def logging_settings(*, form: str, level: str) -> dict[str, Any]:
    """Django's LOGGING for the form `json` or `text`; also makes structlog's own loggers end there."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED[:3],
            SHARED[4],
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": "structlog.stdlib.ProcessorFormatter",
                "foreign_pre_chain": SHARED,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    place_of_request,
                    *([] if level == "DEBUG" else [place_of_error]),
                    *_rendering(form),
                ],
            }
        },
        "filters": {"request_line": {"()": RequestLine}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": _loggers(level),
    }


def place_of_request(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Django's own lines about a request without its query and without keys in mailed links."""
    event.pop("message", None)  # the event once more, where another handler has formatted the record before
    if "request" in event:
        event["method"] = getattr(event.pop("request"), "method", "")
        event["event"] = _KEY.sub(r"\1...", str(event["event"]))
    return event


def place_of_error(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A traceback without the messages of its exceptions."""
    found = event.pop("exc_info", None)
    error = found[1] if isinstance(found, tuple) else found
    if isinstance(error, BaseException):
        event["exception"] = _places(error)
    return event


def _places(error: BaseException) -> str:
    """Kinds and places, the first cause first."""
    parts: list[str] = []
    seen: BaseException | None = error
    while seen is not None and len(parts) < 10:
        frames = (f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(seen.__traceback__))
        parts.insert(0, "; ".join([f"{type(seen).__module__}.{type(seen).__qualname__}", *frames]))
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return " | then ".join(parts)


def kept_apart(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A record to read, in which only a traceback has further lines, each of them further in."""
    trace = str(event.pop("exception", "")).splitlines()
    safe = {_escaped(name): _escaped(value) if isinstance(value, str) else value for name, value in event.items()}
    return {**safe, "exception": "\n".join("    " + _escaped(line) for line in trace)} if trace else safe


def _escaped(text: str) -> str:
    return _UNSEEN.sub(lambda found: repr(found[0])[1:-1], text)


def _rendering(form: str) -> list[Any]:
    if form == "text":
        return [structlog.processors.format_exc_info, kept_apart, structlog.dev.ConsoleRenderer(colors=False)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(default=str)]
