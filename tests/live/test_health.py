"""Alive and ready are two questions."""

from typing import Any

import pytest
from django.test import Client

from agent.tools import registry


def test_alive_asks_nothing_else(client: Client) -> None:
    assert client.get("/healthz").status_code == 200  # without a database: the test has none


@pytest.mark.django_db
def test_ready_needs_no_separate_worker(client: Client, settings: Any) -> None:
    settings.EMBEDDED = False
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"ready": True, "database": True, "broken_tool_modules": []})


@pytest.mark.django_db
def test_embedded_without_its_worker_is_not_ready(client: Client, settings: Any) -> None:
    settings.EMBEDDED, settings.EMBEDDED_THREAD = True, "a thread that is not there"
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["worker"]) == (503, False)


@pytest.mark.django_db
def test_broken_tool_module_is_named_and_takes_nothing_down(client: Client, settings: Any) -> None:
    settings.EMBEDDED = False
    try:
        registry.load(["agent.own_tools", "no.such.tools"])
        answer = client.get("/readyz")
    finally:
        registry.load()
    assert (answer.status_code, answer.json()["broken_tool_modules"]) == (200, ["no.such.tools"])
