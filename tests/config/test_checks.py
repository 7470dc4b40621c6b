"""Ways to start the site that would harm it are refused."""

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client, RequestFactory

from config import checks


@pytest.mark.parametrize(
    ("arguments", "environ", "count"),
    [
        (["uvicorn", "config.asgi:application"], {}, 1),
        (["uvicorn", "config.asgi:application", "--workers", "4"], {}, 4),
        (["gunicorn", "-w", "3", "-k", "uvicorn.workers.UvicornWorker", "config.asgi"], {}, 3),
        (["gunicorn", "--workers=2", "config.asgi"], {}, 2),
        (["/app/config/serve.py"], {"WEB_CONCURRENCY": "5"}, 5),
        (["/venv/bin/celery", "worker", "-c", "50"], {"WEB_CONCURRENCY": "5"}, 1),
        ([], {}, 1),
    ],
)
def test_processes_are_counted(arguments: list[str], environ: dict[str, str], count: int) -> None:
    assert checks.processes_asked_for(arguments, environ) == count


@pytest.mark.parametrize(("embedded", "found"), [(True, ["site.E001"]), (False, [])])
def test_several_processes_are_refused_without_a_broker(
    embedded: bool, found: list[str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMBEDDED = embedded
    monkeypatch.setenv("WEB_CONCURRENCY", "2")
    assert [problem.id for problem in checks.check_processes()] == found


def test_runserver_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["manage.py", "runserver"])
    assert [problem.id for problem in checks.check_server()] == ["site.E002"]


def test_wsgi_request_fails_loudly() -> None:
    environ = RequestFactory().get("/healthz").environ
    environ["wsgi.input"] = __import__("io").BytesIO()
    with pytest.raises(ImproperlyConfigured):
        checks.asgi_only(lambda request: pytest.fail("was answered"))(WSGIHandler.request_class(environ))


def test_test_client_is_no_server(client: Client) -> None:
    assert client.get("/healthz").status_code == 200


def test_wsgi_server_gets_a_sentence() -> None:
    said: list[str] = []
    body = b"".join(checks.wsgi_refused({}, lambda status, headers: said.append(status)))
    assert (said, body) == (["500 Internal Server Error"], checks.NOT_WSGI.encode())
