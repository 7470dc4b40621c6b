"""How the site must not be started, found before it harms anyone, and while it does where that is not possible.

Without a broker (settings.EMBEDDED) the queue and the live events exist in one process only.
"""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.utils.decorators import sync_and_async_middleware

NOT_WSGI = "This site needs an ASGI server: start it with `make serve` or `python -m config.serve`."


@register(Tags.compatibility)
def check_processes(app_configs: Any = None, **_: Any) -> list[CheckMessage]:
    """One process where the broker is in memory."""
    count = processes_asked_for(sys.argv, os.environ)
    if not settings.EMBEDDED or count <= 1:
        return []
    hint = "Set REDIS_URL (and start `make worker`), or start one process."
    return [
        Error(f"{count} processes with a broker in memory: most would never see a task.", hint=hint, id="site.E001")
    ]


@register(Tags.compatibility)
def check_server(app_configs: Any = None, **_: Any) -> list[CheckMessage]:
    """Not the development server: it speaks WSGI, where a stream blocks a thread and never ends."""
    if sys.argv[1:2] != ["runserver"]:
        return []
    return [Error("runserver speaks WSGI, and live answers need ASGI.", hint=NOT_WSGI, id="site.E002")]


def processes_asked_for(arguments: list[str], environ: Mapping[str, str]) -> int:
    """How many web processes the command line or WEB_CONCURRENCY asks for; 1 where neither says."""
    if os.path.basename(arguments[0] if arguments else "") == "celery":
        return 1
    counts = [environ.get("WEB_CONCURRENCY", "")]
    for at, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name in ("--workers", "-w"):
            counts.append(value or "".join(arguments[at + 1 : at + 2]))
    return max((int(count) for count in counts if count.isdigit()), default=1)


def refuse_several_processes() -> None:
    """For the start of a process. Raises ImproperlyConfigured."""
    problems = check_processes()
    if problems:
        raise ImproperlyConfigured(f"{problems[0].msg} {problems[0].hint}")


@sync_and_async_middleware
def asgi_only(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Refuses every request that came by WSGI, but for those of Django's own test client."""
    if iscoroutinefunction(get_response):  # there is no such thing under WSGI
        return get_response

    def refuse_wsgi(request: HttpRequest) -> Any:
        if isinstance(request, WSGIRequest) and not _from_test_client(request):
            raise ImproperlyConfigured(NOT_WSGI)
        return get_response(request)

    return refuse_wsgi


def _from_test_client(request: WSGIRequest) -> bool:
    return type(request.environ.get("wsgi.input")).__module__ == "django.test.client"


def wsgi_refused(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The whole WSGI application: a sentence."""
    start_response("500 Internal Server Error", [("Content-Type", "text/plain; charset=utf-8")])
    return [NOT_WSGI.encode()]
