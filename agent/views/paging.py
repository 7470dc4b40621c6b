"""Pages by place, not by number: no counting, and a row that arrives meanwhile moves nothing."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware
from django.utils.translation import gettext as _

from agent.errors import BadQuestion


@dataclass(frozen=True)
class Page:
    """Some rows, and the query string of the next older ones, empty at the end."""

    rows: list[Any]
    older: str


def position(request: HttpRequest) -> tuple[datetime, str] | None:
    """The place after which to go on, from `?before=TIME~ID`. Raises BadQuestion for one that is none."""
    given = request.GET.get("before", "")
    if not given:
        return None
    time, _tilde, pk = given.partition("~")
    with suppress(ValueError, OverflowError):  # no time, or one that is in no year of UTC
        at = parse_datetime(time)
        if at is not None and is_aware(at) and pk:
            return at.astimezone(UTC), pk
    raise BadQuestion(_("This page's address is damaged. Begin again with the newest."))


def cut(rows: QuerySet[Any], *, size: int, time_of: Callable[[Any], datetime], **filters: str) -> Page:
    """The first rows, and where the next ones begin under the same filters. One query, one row more than is shown."""
    found = list(rows[: size + 1])
    if len(found) <= size:
        return Page(found, older="")
    last = found[size - 1]
    return Page(found[:size], older=urlencode({**filters, "before": f"{time_of(last).isoformat()}~{last.pk}"}))
