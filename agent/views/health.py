"""Is the process alive, and can it work? For supervisors and load balancers."""

import logging
import threading

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from agent.tools import registry

logger = logging.getLogger(__name__)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; nothing else is asked."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """503 while the database, or the worker in this process, is away. A separate worker is not asked after.

    A tool module that could not be loaded is named, and no reason to take the rest out of service.
    """
    parts = {"database": _database_answers()}
    if settings.EMBEDDED:
        parts["worker"] = any(thread.name == settings.EMBEDDED_THREAD for thread in threading.enumerate())
    ready = all(parts.values())
    body = {"ready": ready, **parts, "broken_tool_modules": sorted(registry.broken_modules())}
    return JsonResponse(body, status=200 if ready else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        logger.exception("the database does not answer")
        return False
    return True
