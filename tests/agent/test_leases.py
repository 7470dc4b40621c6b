"""Who has a run: one claim wins, a lost lease writes nothing, and what a dead worker left is enqueued again."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agent import inbox
from agent.errors import LeaseLost
from agent.models import AgentRun, AgentStep, Message
from agent.providers.anthropic import AnthropicProvider
from agent.runs import budgets, leases, loop, speaking, start
from agent.testing import ScriptedClient, text, tool_use
from tests.agent.test_gate import at_once

pytestmark = pytest.mark.django_db

State = AgentRun.State
PAST = timedelta(seconds=60)


@pytest.fixture
def run(customer):
    return start.accept(customer, "Where is my order?")


@pytest.fixture
def enqueued(monkeypatch):
    """What the broker was told. The broker itself is not this test's subject."""
    told = []
    monkeypatch.setattr(inbox.current_app, "send_task", lambda name, args, **_: told.append(args[0]))
    return told


def lose(lease):
    """Let the lease run out, as if its worker had died."""
    AgentRun.objects.filter(pk=lease.run_id).update(lease_until=timezone.now() - PAST, enqueued_at=None)


def carry_out(lease, *turns):
    client = ScriptedClient(*turns)
    loop.carry_out(lease, provider=AnthropicProvider(client=client, stream=False))
    return client


def test_second_claim_finds_the_run_taken(run):
    assert leases.claim(run.pk) is not None
    assert leases.claim(run.pk) is None


def test_claim_sets_a_deadline_that_the_next_claim_keeps(run):
    lose(leases.claim(run.pk))
    run.refresh_from_db()
    first = run.deadline
    leases.claim(run.pk)
    run.refresh_from_db()
    assert (run.deadline, run.attempt) == (first, 2)


def test_ended_run_cannot_be_claimed(run):
    carry_out(leases.claim(run.pk), [text("Here.")])
    assert leases.claim(run.pk) is None


def test_lost_lease_writes_nothing(run):
    old = leases.claim(run.pk)
    lose(old)
    leases.claim(run.pk)
    with pytest.raises(LeaseLost):
        old.fence(error_code="late")
    carry_out(old, [text("Too late.")])
    run.refresh_from_db()
    assert (run.state, run.error_code, run.turns.count()) == (State.RUNNING, "", 0)
    assert not Message.objects.filter(author=Message.Author.AGENT).exists()


def test_next_worker_runs_open_calls_and_no_finished_one(run, customer, order):
    """SECURITY 40: nothing runs twice because a task is delivered twice."""
    old = leases.claim(run.pk)
    loop._begin(run, old)
    turn = scripted_turn(tool_use("order_status", order_number=order.number), tool_use("list_orders"))
    _, steps = loop._keep(run, old, turn, used=budgets.used_by(run), verdict=speaking.judged(run, ""))
    AgentStep.objects.filter(pk=steps[0].pk).update(outcome="ok", result='{"status": "kept"}')
    lose(old)
    client = carry_out(leases.claim(run.pk), [text("Here.")])
    results = [block["content"] for block in client.requests[0]["messages"][-1]["content"]]
    assert results[0] == '{"status": "kept"}'
    assert list(run.steps.values_list("outcome", flat=True)) == ["ok", "ok"]
    assert (run.turns.count(), len(client.requests)) == (2, 1)


def scripted_turn(*blocks):
    from agent.providers.base import Request

    request = Request(model="m", system="s", tools=[], messages=[], max_tokens=1)
    provider = AnthropicProvider(client=ScriptedClient({"content": list(blocks)}), stream=False)
    return provider.turn(request, on_text=lambda _: None, deadline=1e12, stopped=lambda: False)


def test_run_that_kills_its_workers_ends_in_words(run):
    AgentRun.objects.filter(pk=run.pk).update(attempt=5)
    client = carry_out(leases.claim(run.pk), [text("never asked")])
    run.refresh_from_db()
    assert (run.state, run.error_code, client.requests) == (State.OUT_OF_BUDGET, "attempts", [])
    assert run.reference in run.messages.last().text


def test_heartbeat_extends_what_this_process_holds_and_nothing_else(run, stranger):
    other = start.accept(stranger, "Hello?")
    mine, left = leases.claim(run.pk), leases.claim(other.pk)
    AgentRun.objects.update(lease_until=timezone.now())
    with leases.held(mine):
        leases.keeper.beat()
    now = timezone.now()
    assert AgentRun.objects.get(pk=mine.run_id).lease_until > now
    assert AgentRun.objects.get(pk=left.run_id).lease_until < now


def test_sweep_enqueues_what_the_broker_lost(run, enqueued):
    AgentRun.objects.update(enqueued_at=timezone.now() - PAST)
    assert (leases.sweep(), leases.sweep(), enqueued) == (1, 0, [str(run.pk)])


def test_sweep_leaves_fresh_and_held_runs_alone(run, stranger, enqueued):
    leases.claim(run.pk)
    start.accept(stranger, "Hello?")
    AgentRun.objects.filter(pk=run.pk).update(enqueued_at=None)
    assert (leases.sweep(), enqueued) == (0, [])


def test_sweep_enqueues_what_a_dead_worker_left(run, enqueued):
    lose(leases.claim(run.pk))
    assert (leases.sweep(), enqueued) == (1, [str(run.pk)])


def test_run_past_its_deadline_is_taken_even_from_a_worker_that_beats(run):
    leases.claim(run.pk, seconds=3600)
    AgentRun.objects.update(deadline=timezone.now() - PAST)
    lease = leases.claim(run.pk)
    carry_out(lease, [text("never asked")])
    run.refresh_from_db()
    assert (run.state, run.error_code) == (State.OUT_OF_BUDGET, "time")


def test_embedded_start_voids_every_lease(run):
    leases.claim(run.pk, seconds=3600)
    leases.void_all()
    assert leases.claim(run.pk) is not None


def test_broker_that_is_away_loses_nothing(run, monkeypatch):
    def away(*_, **__):
        raise ConnectionRefusedError

    monkeypatch.setattr(inbox.current_app, "send_task", away)
    assert inbox.enqueue(run.pk) is False
    run.refresh_from_db()
    assert run.state == State.QUEUED


# Stopping --------------------------------------------------------------------------------------------------


def test_stopped_run_asks_the_model_no_more(run, customer):
    lease = leases.claim(run.pk)
    start.request_stop(run, by=customer)
    client = carry_out(lease, [text("never asked")])
    run.refresh_from_db()
    assert (run.state, run.stop_requested_by, client.requests) == (State.STOPPED, customer, [])


def test_waiting_run_is_stopped_at_once(run, customer):
    start.request_stop(run, by=customer)
    run.refresh_from_db()
    assert (run.state, leases.claim(run.pk)) == (State.STOPPED, None)


def test_stop_after_the_end_changes_nothing(run, customer):
    carry_out(leases.claim(run.pk), [text("Here.")])
    start.request_stop(run, by=customer)
    run.refresh_from_db()
    assert (run.state, run.stop_requested_at) == (State.DONE, None)


@pytest.mark.django_db(transaction=True)
def test_eight_claims_at_once_give_one_lease(run):
    results = at_once([lambda: leases.claim(run.pk) for _ in range(8)])
    assert sum(isinstance(result, leases.Lease) for result in results) == 1
    assert all(result is None or isinstance(result, leases.Lease) for result in results)


@pytest.mark.django_db(transaction=True)
def test_eight_messages_at_once_wait_for_one_run(run):
    conversation = run.conversation
    results = at_once([lambda: start.accept(conversation.user, "More", conversation=conversation) for _ in range(8)])
    assert {result.pk for result in results} == {run.pk}
    assert run.messages.count() == 9


def test_fence_learns_whether_to_stop(run, customer):
    lease = leases.claim(run.pk)
    lease.fence()
    before = lease.is_stopping
    start.request_stop(run, by=customer)
    lease.fence()
    assert (before, lease.is_stopping) == (False, True)
