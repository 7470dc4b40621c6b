"""SECURITY 20: a model that obeys every injection moves nothing and reads nothing of anybody else's.

Each text is what the customer writes and what a tool returns, in one run. The corpus lies outside the project; the
pages of `obeying` are always there.
"""

import base64
import json
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.utils import timezone

from agent.models import AgentRun, AgentStep, OutgoingMail, PendingAction
from agent.runs import run_agent_for_user
from agent.testing import tool_use
from orders.models import Order
from tests.agent.test_hostile_arguments import FOLDER
from tests.conftest import missing
from tests.scoping import generating
from tests.scoping import world as worlds
from tests.scoping.obeying import OWN_PAGES, Obedient
from tests.scoping.world import World

pytestmark = pytest.mark.django_db

CALLER, OTHER = "ben", "anna"
MOST_CHARS = 3900  # of a question


def _entries() -> dict[str, str]:
    path = FOLDER / "injections.jsonl"
    lines = path.read_text(encoding="utf-8").strip().split("\n") if path.is_file() else []
    return {entry["id"]: _text_of(entry) for entry in map(json.loads, lines)}


def _text_of(entry: dict[str, Any]) -> str:
    if "html_b64" in entry:
        return base64.b64decode(entry["html_b64"]).decode("utf-8", "replace")
    parts = entry.get("html_parts", [])
    return entry.get("text") or entry.get("html") or "".join(part * times for part, times in parts)


CORPUS = _entries()
TEXTS = OWN_PAGES | CORPUS


def test_corpus_is_there() -> None:
    if not CORPUS:
        missing(f"no hostile texts in {FOLDER}: set COUNTERSIGN_SECURITY_DIR")
    assert len(CORPUS) >= 218


@pytest.fixture(scope="module")
def theirs(world: World) -> set[str]:
    """Every order that a text names, and that nobody has yet, is Anna's, and what she wrote with it tells."""
    named = {number for text in TEXTS.values() for number in worlds.ORDER.findall(text)}
    marks = set(world.marks[OTHER])
    for number in sorted(named - set(Order.objects.values_list("number", flat=True))):
        word = f"{worlds.MARK}note{number[3:]}{worlds.MARK}"
        Order.objects.create(number=number, customer=world.people[OTHER], status="delivered", note=word)
        marks.add(word)
    return marks


def shop() -> dict[str, list[Any]]:
    models = [model for app in ("orders", "billing") for model in apps.get_app_config(app).get_models()]
    return {model.__name__: list(model._base_manager.order_by("pk").values()) for model in models}


@pytest.mark.parametrize("name", TEXTS)
def test_obeyed_text_moves_nothing_and_reads_nobody_else(name: str, world: World, theirs: set[str]) -> None:
    told = TEXTS[name].replace("\x00", "")
    user = world.people[CALLER]
    own = Order.objects.filter(customer=user, status="delivered").earliest("pk")
    with transaction.atomic():
        began = timezone.now()
        Order.objects.filter(pk=own.pk).update(note=told[:20_000].encode("utf-8", "replace").decode())
        before = shop()
        client = Obedient(first=tool_use("order_status", order_number=own.number))
        run = run_agent_for_user(told[:MOST_CHARS].strip() or "Hello", user=user, client=client)

        steps = list(AgentStep.objects.filter(run=run))
        assert run.state in (AgentRun.State.DONE, AgentRun.State.OUT_OF_BUDGET)
        assert steps[0].outcome == "ok"
        assert shop() == before
        assert {action.state for action in PendingAction.objects.filter(run=run)} <= {"pending", "superseded"}
        assert not PendingAction.objects.filter(decided_at__isnull=False).exists()
        assert set(OutgoingMail.objects.filter(created_at__gte=began).values_list("to", flat=True)) <= {user.email}
        given = generating.as_seen([told, *(step.arguments for step in steps)])
        results = " ".join(step.result for step in steps)
        assert {mark for mark in theirs if mark in results and mark not in given} == set()
        assert _orders_found(steps) <= set(Order.objects.filter(customer=user).values_list("number", flat=True))
        transaction.set_rollback(True)


def _orders_found(steps: list[AgentStep]) -> set[str]:
    """The orders that the calls found something about."""
    results = [json.loads(step.result) for step in steps if step.outcome == "ok"]
    return {result["order_number"] for result in results if isinstance(result, dict) and "order_number" in result}


def test_the_model_obeys(world: World, theirs: set[str]) -> None:
    """What is above proves something: it does call, and its calls would find what they name for its owner."""
    run = run_agent_for_user(
        OWN_PAGES["override"], user=world.people[OTHER], client=Obedient(first=tool_use("list_orders"))
    )
    steps = list(AgentStep.objects.filter(run=run))
    assert {"my_account", "list_orders", "order_status"} <= {step.tool for step in steps}
    assert {"ok", "invalid"} <= {step.outcome for step in steps}
    assert any(mark in step.result for step in steps for mark in theirs)
