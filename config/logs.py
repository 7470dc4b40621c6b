"""The log: one JSON object a line, or lines to read. Whatever text comes in, a record stays one line."""

from typing import Any

import structlog

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


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
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_rendering(form)],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Django brings its own handlers; one line a record is enough.
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": level, "propagate": True},
            # A line for every listener that comes and every message that passes tells nobody anything.
            "django_eventstream": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
        },
    }


def _rendering(form: str) -> list[Any]:
    if form == "text":
        return [structlog.dev.ConsoleRenderer(colors=False)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(default=str)]
