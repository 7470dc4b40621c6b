"""Failures of a model service, sorted: what may succeed when it is asked again, and what will not."""

import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agent.errors import ProviderError

logger = logging.getLogger(__name__)

BUSY = _("The assistant's language model is busy at the moment.")
AWAY = _("The assistant's language model cannot be reached at the moment.")
SILENT = _("The assistant's language model did not answer in time.")
BROKEN_OFF = _("The assistant's answer broke off before it was complete.")
CLOSED = _("The assistant is not available at the moment; our staff have to look at it.")

# code: (the sentence for the customer, whether the same request may succeed later)
FAILURES = {
    "overloaded": (BUSY, True),
    "rate_limited": (BUSY, True),
    "conflict": (BUSY, True),
    "unavailable": (AWAY, True),
    "connection": (AWAY, True),
    "timeout": (SILENT, True),
    "truncated": (BROKEN_OFF, True),
    "bad_turn": (BROKEN_OFF, True),
    "authentication": (CLOSED, False),
    "permission": (CLOSED, False),
    "billing": (CLOSED, False),
    "not_found": (CLOSED, False),
    "too_large": (CLOSED, False),
    "invalid_request": (CLOSED, False),
}

# By what the body says first: an error event in a stream comes with status 200.
BY_NAME = {
    "overloaded_error": "overloaded",
    "rate_limit_error": "rate_limited",
    "api_error": "unavailable",
    "timeout_error": "timeout",
    "authentication_error": "authentication",
    "permission_error": "permission",
    "billing_error": "billing",
    "not_found_error": "not_found",
    "request_too_large": "too_large",
    "spend_limit_reached": "billing",  # it comes as 429, and no waiting within a run mends it
    "rate_limit_exceeded": "rate_limited",
    "insufficient_quota": "billing",
    "billing_not_active": "billing",
    "billing_hard_limit_reached": "billing",
    "server_error": "unavailable",
    "server_is_overloaded": "overloaded",
    "slow_down": "overloaded",
    "vector_store_timeout": "timeout",
    "model_not_found": "not_found",
    "invalid_api_key": "authentication",
    "context_length_exceeded": "too_large",
}
# In a stream, where there is no status. In the body of an answer it says less than the status does.
FINAL_IN_STREAM = {"invalid_request_error", "invalid_prompt"}
# A proxy in between answers without any such body.
BY_STATUS = {
    401: "authentication",
    402: "billing",
    403: "permission",
    404: "not_found",
    408: "timeout",
    409: "conflict",
    413: "too_large",
    429: "rate_limited",
    504: "timeout",
    529: "overloaded",
}
SDKS = {"anthropic": "AnthropicError", "openai": "OpenAIError"}  # each with the base of its exceptions


def failure(code: str, *, retryable: bool | None = None, retry_after: float | None = None) -> ProviderError:
    """The error of that code, in words for a customer. `retryable` where the service said otherwise."""
    sentence, usually = FAILURES[code]
    again = usually if retryable is None else retryable
    return ProviderError(str(sentence), code=code, retryable=again, retry_after=retry_after)


@contextmanager
def sorted_failures() -> Iterator[None]:
    """Raise ProviderError in the place of what an SDK raises. The cause is logged, without anything that was said."""
    try:
        yield
    except ProviderError as error:
        _log(error, cause=error.__cause__)
        raise
    except Exception as error:
        known = failure_of(error)
        if known is None:
            raise
        _log(known, cause=error)
        raise known from error


def failure_of(error: Exception) -> ProviderError | None:
    """The failure that an exception of an SDK or of their HTTP client stands for; None for anybody else's.

    The libraries are looked up, not imported: where they are not loaded, the exception is not theirs.
    """
    http = sys.modules.get("httpx2")
    if http and isinstance(error, http.TimeoutException):
        return failure("timeout")
    if http and isinstance(error, http.TransportError):
        return failure("connection")
    if http and isinstance(error, http.DecodingError):
        return failure("bad_turn")
    for name, base in SDKS.items():
        sdk = sys.modules.get(name)
        if sdk and isinstance(error, getattr(sdk, base)):
            return _of_sdk(error, sdk)
    return None


def failure_in_stream(event: Mapping[str, Any]) -> ProviderError:
    """The failure that an event tells of, after HTTP 200. An unknown kind may pass: the request was taken."""
    details = event.get("error")
    said = details if isinstance(details, dict) else event
    code, kind = said.get("code"), said.get("type")
    if {code, kind} & FINAL_IN_STREAM or code == 400:
        return failure("invalid_request")
    by_status = BY_STATUS.get(code) if isinstance(code, int) else None
    return failure(_named(code, kind) or by_status or "unavailable")


def _of_sdk(error: Any, sdk: Any) -> ProviderError:
    if isinstance(error, sdk.APIStatusError):
        return _of_answer(error)
    if isinstance(error, sdk.APITimeoutError):
        return failure("timeout")
    return failure("connection" if isinstance(error, sdk.APIConnectionError) else "invalid_request")


def _of_answer(error: Any) -> ProviderError:
    headers = error.response.headers
    code = _named(getattr(error, "error_code", None), getattr(error, "code", None), error.type)
    code = code or BY_STATUS.get(error.status_code)
    code = code or ("unavailable" if error.status_code >= 500 else "invalid_request")
    said = {"true": True, "false": False}.get(headers.get("x-should-retry", ""))
    return failure(code, retryable=said, retry_after=_retry_after(headers))


def _named(*names: Any) -> str | None:
    """By the first name that is known, also at the end of a longer one."""
    texts = [name for name in names if isinstance(name, str)]
    return next((code for text in texts for known, code in BY_NAME.items() if text.endswith(known)), None)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from either header; a date is a wait from now on."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("retry-after", "")
        if not value or value.replace(".", "", 1).isdigit():
            return float(value) if value else None
        return max(0.0, (parsedate_to_datetime(value) - timezone.now()).total_seconds())
    except (TypeError, ValueError):
        return None


def _log(error: ProviderError, *, cause: BaseException | None) -> None:
    body = getattr(cause, "body", None)
    told = body.get("message") if isinstance(body, dict) else None
    logger.warning(
        "the model service failed: %s (%s)",
        error.code,
        type(cause).__name__ if cause else "no cause",
        extra={
            "code": error.code,
            "retryable": error.retryable,
            "status": getattr(cause, "status_code", None),
            "request_id": getattr(cause, "request_id", None),
            "detail": str(getattr(cause, "api_message", None) or told or "")[:500],
        },
    )
