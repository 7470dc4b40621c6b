"""Redis hangs under a site and a worker, with the times that a shop has: who asks meanwhile is answered afterwards."""

import threading
import time

import pytest
from django.contrib.auth.models import User

from agent.models import AgentRun
from agent.testing import text, tool_use
from tests.agent.conftest import paid_order
from tests.kill.workers import Stateless, ended, wait_for, worker
from tests.serving import OwnRedis, cookie_of, site

pytestmark = [pytest.mark.kill, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("postgres")]

HANGS_SECONDS = 3.0  # as with 80 of them
LEASE_SECONDS = "20"


def test_who_asks_while_redis_hangs_waits_no_longer_and_is_answered(own_redis: OwnRedis) -> None:
    customers = [User.objects.create_user(f"customer-{number}") for number in range(1, 4)]
    for number, each in enumerate(customers, start=1):
        paid_order(each, number=f"DZ-{number}")
    cookies = [cookie_of(each) for each in customers]
    script = [[tool_use("order_status", order_number="DZ-1", id="toolu_1")], [text("It is on its way.")]]
    with Stateless(lambda number: script) as model:
        service = {"ANTHROPIC_API_KEY": "test", "ANTHROPIC_BASE_URL": model.url, "AGENT_PROVIDER": "anthropic"}
        where = {"redis_url": own_redis.url, "model_url": model.url, "AGENT_LEASE_SECONDS": LEASE_SECONDS}
        with site(REDIS_URL=own_redis.url, **service) as served, worker(**where) as process:
            threading.Thread(target=served.process.stdout.read, daemon=True).start()  # or a full pipe would block it
            served.ask("Where is DZ-1?", cookie=cookies[0])
            wait_for(lambda: ended(AgentRun.objects.get()), "the first answer")
            own_redis.hang()
            began = time.monotonic()
            for number, cookie in enumerate(cookies[1:], start=2):
                asked = time.monotonic()
                served.ask(f"Where is DZ-{number}?", cookie=cookie)
                assert time.monotonic() - asked < 2.0
            threading.Event().wait(max(0.0, began + HANGS_SECONDS - time.monotonic()))
            assert AgentRun.objects.filter(state=AgentRun.State.QUEUED).count() == 2
            own_redis.go_on()
            back = time.monotonic()
            wait_for(lambda: not AgentRun.objects.filter(state__in=AgentRun.OPEN).exists(), "the end of all runs")
            assert time.monotonic() - back < 60
            assert (process.poll(), model.refused) == (None, [])
    assert set(AgentRun.objects.values_list("state", "attempt")) == {("done", 1)}
