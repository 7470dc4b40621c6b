"""Failures of a model service, sorted: what may succeed when it is asked again, and what will not."""

import sys
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agent.errors import ProviderError

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

# By the type in the body first: an error event in a stream comes with status 200.
BY_TYPE = {
    "overloaded_error": "overloaded",
    "rate_limit_error": "rate_limited",
    "api_error": "unavailable",
    "timeout_error": "timeout",
    "authentication_error": "authentication",
    "permission_error": "permission",
    "billing_error": "billing",
    "not_found_error": "not_found",
    "request_too_large": "too_large",
    "invalid_request_error": "invalid_request",
}
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


def failure(code: str, *, retryable: bool | None = None, retry_after: float | None = None) -> ProviderError:
    """The error of that code, in words for a customer. `retryable` where the service said otherwise."""
    sentence, usually = FAILURES[code]
    again = usually if retryable is None else retryable
    return ProviderError(str(sentence), code=code, retryable=again, retry_after=retry_after)


def failure_of(error: Exception) -> ProviderError | None:
    """The failure that an exception of the SDK or of its HTTP client stands for; None for anybody else's.

    The libraries are looked up, not imported: where they are not loaded, the exception is not theirs.
    """
    sdk, http = sys.modules.get("anthropic"), sys.modules.get("httpx2")
    if sdk and isinstance(error, sdk.APIStatusError):
        return _of_answer(error)
    if (sdk and isinstance(error, sdk.APITimeoutError)) or (http and isinstance(error, http.TimeoutException)):
        return failure("timeout")
    if (sdk and isinstance(error, sdk.APIConnectionError)) or (http and isinstance(error, http.TransportError)):
        return failure("connection")
    if http and isinstance(error, http.DecodingError):
        return failure("bad_turn")
    if sdk and isinstance(error, sdk.AnthropicError):
        return failure("invalid_request")
    return None


def failure_in_stream(event: Mapping[str, Any]) -> ProviderError:
    """The failure of an `error` event, which comes after HTTP 200. An unknown kind may pass: the request was taken."""
    details = event.get("error")
    kind = details.get("type") if isinstance(details, dict) else None
    return failure(BY_TYPE.get(str(kind), "unavailable"))


def _of_answer(error: Any) -> ProviderError:
    headers = error.response.headers
    code = BY_TYPE.get(error.type or "") or BY_STATUS.get(error.status_code)
    code = code or ("unavailable" if error.status_code >= 500 else "invalid_request")
    if str(error.error_code or "").endswith("spend_limit_reached"):
        code = "billing"  # it comes as 429, and no waiting within a run mends it
    said = {"true": True, "false": False}.get(headers.get("x-should-retry", ""))
    return failure(code, retryable=said, retry_after=_retry_after(headers))


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
