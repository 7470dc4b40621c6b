"""Nothing of a customer's, and no secret, in what the site writes beside its rows (SECURITY 43)."""

import json
import logging
import logging.config
from collections.abc import Iterator
from inspect import signature
from typing import Any

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.test import Client

from agent import tasks
from agent.models import PendingAction
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from agent.tools import registry, tool
from config.celery import app
from config.logs import logging_settings

KEY = "sk-ant-canary-4711"
SAID = "my-canary-question"
STREET = "Canary Lane 9"
CARD = "4000-0000-CANARY"


class Lines(logging.Handler):
    """Every record as the site's own formatter writes it, at the finest level."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture(params=["json", "text"])
def written(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    made = logging.config.DictConfigurator(logging_settings(form=request.param, level="INFO"))
    handler = Lines()
    handler.setFormatter(made.configure_formatter(made.config["formatters"]["line"]))
    names = ["", "django", "agent", "orders", "billing", "celery"]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.INFO)
    logging.getLogger().addHandler(handler)
    yield handler.lines
    logging.getLogger().removeHandler(handler)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool with a bug, whose exception quotes what it was called with."""

    @tool
    def look_up(street: str, *, user: Any) -> dict[str, Any]:
        """Look something up."""
        raise ValueError(f"no street {street} for {user.email}, card {CARD}")

    known = {**registry.all_tools(), "look_up": look_up}
    monkeypatch.setattr(registry, "_tools", known)


@pytest.mark.django_db
def test_log_holds_no_words_of_a_customer_and_no_secret(
    alice: User, order: Any, written: list[str], breaking: None, settings: Any, client: Client
) -> None:
    settings.ANTHROPIC_API_KEY = KEY
    script = ScriptedClient(
        [tool_use("look_up", street=STREET)],
        [tool_use("refund_order", order_number=order.number, amount="10.00")],
        [text("Please confirm.")],
    )
    run = run_agent_for_user(f"{SAID}: refund 10.00 of {order.number}, I live in {STREET}", user=alice, client=script)
    client.force_login(alice)
    action = PendingAction.objects.get(run=run)
    client.get(f"/agent/runs/{run.pk}/?q={SAID}")
    client.post(f"/agent/actions/{action.pk}/", {"decision": "confirm", "digest": action.digest})
    client.post("/agent/start/", {"q": ""})
    client.get("/nowhere/")

    assert any("tool call failed" in line for line in written)
    assert all("\n" not in line.strip() for line in written if line.startswith("{"))
    session = client.session.session_key
    secrets = [KEY, SAID, STREET, CARD, alice.email, session, site.SECRET_KEY, action.digest, "10.00"]
    assert [secret for secret in secrets if any(secret in line for line in written)] == []


def test_tasks_carry_ids_alone() -> None:
    carried = {
        name: set(signature(task.run).parameters) for name, task in app.tasks.items() if not name.startswith("celery.")
    }
    assert carried == {tasks.run_agent_task.name: {"run_id"}}


@pytest.mark.django_db
def test_trace_says_where_and_what_kind_but_not_with_which_values(
    alice: User, written: list[str], breaking: None
) -> None:
    run_agent_for_user("x", user=alice, client=ScriptedClient([tool_use("look_up", street=STREET)], [text("Sorry.")]))
    (line,) = [line for line in written if "tool call failed" in line]
    assert "ValueError" in line
    assert "test_canary.py" in line
    assert STREET not in line
    if line.startswith("{"):
        assert json.loads(line)["reference"]


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/agent/?q=my-canary-question", "/agent/"),
        ("/accounts/password/reset/key/3-c4nary-k3y/", "/accounts/password/reset/key/.../"),
    ],
)
def test_access_log_holds_no_address_no_query_and_no_key(written: list[str], path: str, logged: str) -> None:
    record = ("203.0.113.9:4711", "GET", path, "1.1", 200)
    logging.getLogger("uvicorn.access").info('%s - "%s %s HTTP/%s" %d', *record)
    assert logged in written[-1]
    assert all(secret not in written[-1] for secret in ("203.0.113", "canary", "c4nary"))
