"""The confirmed word only: what could move something without its customer's own click on exactly that, and does not."""

import ast
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agent import actions
from agent.models import PendingAction
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from billing.models import Refund
from orders.models import Order
from tests.pages.conftest import ORDER

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[2]
State = PendingAction.State
ENDED = sorted(set(State.values) - {State.PENDING})


def shop() -> dict[str, list[Any]]:
    models = [model for app in ("orders", "billing") for model in apps.get_app_config(app).get_models()]
    return {model.__name__: list(model._base_manager.order_by("pk").values()) for model in models}


def post(client: Client, action: PendingAction, digest: str = "") -> Any:
    address = reverse("agent:action", args=[action.pk])
    return client.post(address, {"decision": "confirm", "digest": digest or action.digest})


# Replay -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ENDED)
def test_what_is_no_longer_pending_is_never_done_by_a_post(
    state: str, as_alice: Client, proposal: PendingAction
) -> None:
    """SECURITY 13: a second POST, or one on what was declined, expired, replaced, or waits for somebody else."""
    PendingAction.objects.filter(pk=proposal.pk).update(
        state=state,
        decided_at=None if state in ("expired", "superseded") else timezone.now(),
        check_at=timezone.now() if state in ("executing", "unknown") else None,
    )
    before = shop()
    assert post(as_alice, proposal).status_code in (200, 302, 409, 410)
    proposal.refresh_from_db()
    assert (proposal.state, shop(), Refund.objects.count()) == (state, before, 0)


def test_looking_at_a_link_as_often_as_one_likes_does_nothing(as_alice: Client, proposal: PendingAction) -> None:
    """SECURITY 13: a link in a mail is opened by scanners and previews too, with whatever it is asked for."""
    before = shop()
    query = f"?decision=confirm&digest={proposal.digest}"
    for look in (as_alice.get, as_alice.head, as_alice.options):
        look(reverse("agent:action", args=[proposal.pk]) + query)
    proposal.refresh_from_db()
    assert (proposal.state, shop()) == (State.PENDING, before)


# What is shown is what is done --------------------------------------------------------------------------------------

TAMPERED: dict[str, dict[str, Any]] = {
    "another amount": {"arguments": {"order_number": ORDER, "amount": "60.00", "payment_method": None}},
    "another order": {"arguments": {"order_number": "DZ-99999", "amount": "10.00", "payment_method": None}},
    "another tool": {"tool": "cancel_order"},
    "another digest": {"digest": "0" * 64},
}


@pytest.mark.parametrize("change", TAMPERED.values(), ids=TAMPERED)
def test_row_that_was_changed_between_look_and_click_is_not_done(
    change: dict[str, Any],
    as_alice: Client,
    proposal: PendingAction,
) -> None:
    """SECURITY 16: the digest binds tool, arguments and facts; it stands in the form, in the row and in the plan."""
    seen, before = proposal.digest, shop()
    PendingAction.objects.filter(pk=proposal.pk).update(**change)
    post(as_alice, proposal, digest=seen)
    proposal.refresh_from_db()
    assert (proposal.state == State.EXECUTED, shop()) == (False, before)


def test_order_that_changed_hands_between_look_and_click_is_not_refunded(
    as_alice: Client,
    bob: Any,
    proposal: PendingAction,
) -> None:
    """SECURITY 16: the tool looks again, as its customer."""
    Order.objects.filter(number=ORDER).update(customer=bob)
    before = shop()
    post(as_alice, proposal)
    proposal.refresh_from_db()
    assert (proposal.state, shop()) == (State.FAILED, before)


SPOOFS = {
    "markup": "1 Road</dd><script>alert(1)</script>",
    "lines": "1 Road\nAmount: 0.00\nNothing will change",
    "turned": "1 Road \u202e00.0 :tnuomA",
    "hidden": "1 \u200bRo\u2060ad \U000e0041",
    "long": "1 Road " + "x" * 193,
}


@pytest.mark.parametrize("spoof", SPOOFS.values(), ids=SPOOFS)
def test_free_text_cannot_pass_for_a_fact_on_the_document(spoof: str, alice: Any, as_alice: Client) -> None:
    """SECURITY 17: escaped, isolated, without what nobody sees, on its own labelled line."""
    address = {"line1": spoof, "city": "Town", "state": "", "country": "Land", "zip": "1"}
    client = ScriptedClient([tool_use("change_default_address", address)], [text("Please confirm.")])
    run = run_agent_for_user(f"My address is {spoof}, 1 Town, Land", user=alice, client=client)
    made = PendingAction.objects.filter(run=run)
    for action in made:
        page = as_alice.get(reverse("agent:action", args=[action.pk])).text
        assert [
            bad
            for bad in ("<script>alert", "\u202e", "\u200b", "\u2060", "\U000e0041", "\nAmount: 0.00")
            if bad in page
        ] == []
        assert "<bdi>" in page
        assert "\n" not in actions.describe_action(action)
    assert made.exists() or run.steps.get().outcome in ("invalid", "refused")


# No other way -------------------------------------------------------------------------------------------------------

MODELS_SIDE = ("agent/runs/", "agent/providers/", "agent/mcp/", "agent/claims/", "agent/tools/", "agent/untrusted/")
DECIDES = {"decide", "cosign", "carry_out"}


def _calls(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "") for func in called}


def _imports_decisions(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    attributes = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "actions"
    }
    return bool(DECIDES & (names | attributes))


def sources() -> dict[str, Path]:
    files = [path for app in ("agent", "orders", "billing", "config") for path in (ROOT / app).rglob("*.py")]
    return {str(path.relative_to(ROOT)): path for path in files if "migrations" not in path.parts}


def test_the_effect_of_a_write_is_called_from_the_confirmation_alone() -> None:
    """SECURITY 20."""
    importing = {path for path, file in sources().items() if "agent.actions.executing" in file.read_text("utf-8")}
    assert importing == {"agent/actions/deciding.py", "agent/actions/cosigning.py"}
    assert {path for path, file in sources().items() if "_effect" in _calls(file)} == {"agent/actions/executing.py"}


def test_no_code_on_the_models_side_knows_how_to_decide() -> None:
    """SECURITY 20: neither the loop, nor a provider, nor MCP, nor a tool can release what waits."""
    asked = {path: file for path, file in sources().items() if path.startswith(MODELS_SIDE)}
    assert {path for path, file in asked.items() if _imports_decisions(file)} == set()
    deciding = {path for path, file in sources().items() if _imports_decisions(file)}
    assert {"agent/views/confirm.py", "agent/views/cosign.py"} <= deciding


RAW = {"extra", "RawSQL", "raw"}


def test_words_of_a_model_never_become_sql_or_the_name_of_a_column() -> None:
    """SECURITY 37: no raw SQL of the ORM's anywhere, no names from arguments in the shop's queries."""
    assert {path: RAW & _calls(file) for path, file in sources().items() if RAW & _calls(file)} == {}
    assert {
        path for path, file in sources().items() if path.startswith(("orders/", "billing/")) and _spreads(file)
    } == set()


def _spreads(path: Path) -> bool:
    """Whether a query takes its columns from a mapping or a list: `filter(**given)`, `order_by(*given)`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        is_query = node.func.attr in {
            "filter",
            "exclude",
            "get",
            "order_by",
            "values",
            "values_list",
            "annotate",
            "alias",
        }
        if is_query and (
            any(k.arg is None for k in node.keywords) or any(isinstance(a, ast.Starred) for a in node.args)
        ):
            return True
    return False
