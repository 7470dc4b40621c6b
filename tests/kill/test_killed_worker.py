"""A worker dies by SIGKILL in the middle of a run; another one ends the run, and no call is made twice."""

import signal

import pytest
from django.conf import settings

from agent.models import AgentRun, AgentStep, Event, PendingAction
from agent.runs import start
from agent.testing import tool_use
from agent.tools import registry
from tests.agent.conftest import paid_order
from tests.kill.workers import ended, queue_of, send, wait_for, worker
from tests.providers.messages_server import MessagesServer, Reply

pytestmark = [pytest.mark.kill, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def queue(redis_url):
    return queue_of(redis_url)


@pytest.fixture
def shop_with_slow_tool(postgres):
    registry.load([*settings.AGENT["TOOL_MODULES"], "tests.kill.slow_tool"])
    yield
    registry.load()


def asked(customer, queue) -> AgentRun:
    run = start.accept(customer, "Look, then give me 10 euros of DZ-10001 back.")
    send(queue, run)
    return run


def assert_whole(run, *, calls: list[str]) -> None:
    steps = list(run.steps.values_list("tool", "outcome"))
    assert steps == [(name, "proposed" if name == "refund_order" else "ok") for name in calls]
    assert (run.state, run.attempt, PendingAction.objects.count()) == (AgentRun.State.DONE, 2, 1)
    numbers = list(Event.objects.filter(conversation=run.conversation).values_list("seq", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))


REFUND = tool_use("refund_order", order_number="DZ-10001", amount="10.00", id="toolu_refund")
STATUS = tool_use("order_status", order_number="DZ-10001", id="toolu_status")


def test_worker_killed_while_the_model_thinks_is_replaced(alice, queue, redis_url, shop_with_slow_tool):
    paid_order(alice, number="DZ-10001")
    replies = [Reply([STATUS]), Reply(fault="hang"), Reply([REFUND]), Reply("Please confirm.")]
    with MessagesServer(*replies) as model:
        with worker(redis_url=redis_url, model_url=model.url) as first:
            run = asked(alice, queue)
            wait_for(lambda: len(model.requests) == 2, "the second request")
            first.send_signal(signal.SIGKILL)
            first.wait(timeout=10)
        with worker(redis_url=redis_url, model_url=model.url):
            run = wait_for(lambda: ended(run), "the end of the run")
        assert model.refused == []
    assert_whole(run, calls=["order_status", "refund_order"])


def test_worker_killed_inside_a_read_leaves_it_to_be_run_again(alice, queue, redis_url, shop_with_slow_tool):
    paid_order(alice, number="DZ-10001")
    slow = tool_use("slow_look", id="toolu_slow")
    replies = [Reply([slow]), Reply([REFUND]), Reply("Please confirm.")]
    started = AgentStep.objects.filter(tool="slow_look", outcome=AgentStep.Outcome.STARTED)
    with MessagesServer(*replies) as model:
        with worker(redis_url=redis_url, model_url=model.url) as first:
            run = asked(alice, queue)
            wait_for(started.exists, "the first call")
            first.send_signal(signal.SIGKILL)
            first.wait(timeout=10)
        with worker(redis_url=redis_url, model_url=model.url):
            run = wait_for(lambda: ended(run), "the end of the run")
        assert model.refused == []
    assert_whole(run, calls=["slow_look", "refund_order"])
    assert run.steps.get(tool="slow_look").result == '{"looked": true, "attempt": 2}'
