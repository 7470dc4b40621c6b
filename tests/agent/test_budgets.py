"""SECURITY 38: what a run may use up; each purse ends it in words, before the call that would be too many."""

from contextlib import suppress
from datetime import date, timedelta

import pytest
from django.utils import timezone

from agent.models import AgentRun, ModelTurn
from agent.prices import cost_of
from agent.providers.anthropic import AnthropicProvider
from agent.providers.base import Usage
from agent.runs import leases, loop, start
from agent.runs.budgets import spent_micro
from agent.testing import ScriptedClient, text, tool_use
from config.prices import PRICES
from tests.agent.test_loop import ask

State = AgentRun.State
TODAY = date(2026, 11, 30)


@pytest.fixture
def priced(settings):
    """A dollar a thousand tokens, whatever kind."""
    price = {"model": "scripted", "since": "2026-01-01", "above": 0}
    price |= dict.fromkeys(("input", "cache_read", "cache_write", "output"), "1000")
    settings.AGENT = {**settings.AGENT, "MODEL": "scripted", "PRICES": [price]}
    return settings


def spending(dollars, number=0):
    """A turn that costs so much and asks for one more."""
    usage = {"input_tokens": round(dollars * 1000), "output_tokens": 0}
    return {"content": [tool_use("calculate", expression=str(number))], "usage": usage}


@pytest.mark.django_db
class TestMoney:
    def test_turn_keeps_its_cost(self, customer, priced):
        run, _ = ask(customer, spending(0.25), [text("ok")])
        assert run.turns.first().cost_micro == 250_000

    def test_run_that_spent_its_money_asks_no_more(self, customer, priced):
        run, client = ask(customer, spending(0.30, 1), spending(0.30, 2), [text("never")])
        assert (run.state, run.error_code, len(client.requests)) == (State.OUT_OF_BUDGET, "money_run", 2)
        assert run.reference in run.messages.last().text

    @pytest.mark.parametrize(
        ("purse", "code"),
        [
            ("CONVERSATION_DOLLARS", "money_conversation"),
            ("CUSTOMER_DAY_DOLLARS", "money_customer_day"),
            ("SITE_DAY_DOLLARS", "money_site_day"),
        ],
    )
    def test_larger_purse_ends_a_run_too(self, customer, priced, purse, code):
        priced.AGENT = {**priced.AGENT, purse: "0.20"}
        run, client = ask(customer, spending(0.20), [text("never")])
        assert (run.error_code, len(client.requests)) == (code, 1)

    def test_another_customers_spending_counts_for_the_site_alone(self, customer, stranger, priced):
        priced.AGENT = {**priced.AGENT, "CUSTOMER_DAY_DOLLARS": "0.20"}
        ask(stranger, spending(0.20), [text("never")])
        run, _ = ask(customer, [text("Hello.")])
        assert run.state == State.DONE

    def test_yesterdays_spending_is_forgotten(self, customer, priced):
        priced.AGENT = {**priced.AGENT, "CUSTOMER_DAY_DOLLARS": "0.20"}
        ask(customer, spending(0.20), [text("never")])
        ModelTurn.objects.update(created_at=timezone.now() - timedelta(days=2))
        run, _ = ask(customer, [text("Hello.")])
        assert run.state == State.DONE

    def test_unknown_model_has_an_unknown_cost_and_not_none(self, customer, priced):
        priced.AGENT = {**priced.AGENT, "MODEL": "somebody-elses"}
        run, _ = ask(customer, spending(0.25), [text("ok")])
        assert list(run.turns.values_list("cost_micro", flat=True)) == [None, None]
        assert spent_micro(run.turns.all()) == 0


class Died(BaseException):
    """A worker that ends within a call of the model."""


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("limits", "code"),
    [({"RUN_DOLLARS": "0.50"}, "money_run"), ({"MAX_STEPS": 2}, "steps"), ({"RUN_TOKENS": 500}, "tokens")],
)
def test_next_worker_counts_what_the_one_before_used(customer, priced, limits, code):
    """SECURITY 38: neither a death nor a second delivery of the task brings a new purse."""
    priced.AGENT = {**priced.AGENT, "RUN_DOLLARS": "9", **limits}
    run = start.accept(customer, "Hello?")
    asked = []
    for script in ([spending(0.30, 1), Died()], [spending(0.30, 2), [text("never")]]):
        lease = leases.claim(run.pk)
        client = ScriptedClient(*script)
        with suppress(Died):
            loop.carry_out(lease, provider=AnthropicProvider(client=client, stream=False))
        asked.append(len(client.requests))
        AgentRun.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(minutes=1))
    run.refresh_from_db()
    assert (run.attempt, run.state, run.error_code, asked) == (2, State.OUT_OF_BUDGET, code, [2, 1])


@pytest.mark.django_db
def test_run_that_used_up_its_tokens_ends_in_words(customer, settings):
    settings.AGENT = {**settings.AGENT, "RUN_TOKENS": 5}
    usage = {"input_tokens": 3, "cache_read_input_tokens": 1, "output_tokens": 1}
    run, client = ask(customer, {"content": [tool_use("list_orders")], "usage": usage}, [text("never")])
    assert (run.error_code, len(client.requests)) == ("tokens", 1)


@pytest.mark.django_db
def test_three_identical_calls_end_a_run_before_the_third_is_made(customer):
    run, client = ask(customer, *[[tool_use("list_orders")] for _ in range(5)])
    assert (run.error_code, len(client.requests)) == ("repeating", 3)
    assert list(run.steps.values_list("outcome", flat=True)) == ["ok", "ok", "refused"]


@pytest.mark.django_db
def test_customers_third_run_waits_for_one_of_the_others(customer):
    runs = [start.accept(customer, "Hello?") for _ in range(3)]
    claimed = [leases.claim(run.pk) for run in runs]
    assert [lease is not None for lease in claimed] == [True, True, False]
    AgentRun.objects.filter(pk=runs[0].pk).update(state=State.DONE)
    assert leases.claim(runs[2].pk) is not None


@pytest.mark.parametrize(
    ("model", "usage", "micro"),
    [
        ("claude-sonnet-5-5", Usage(input_tokens=1000, output_tokens=100), 3000),
        ("claude-sonnet-5-5", Usage(cache_read_tokens=1000, cache_write_tokens=100), 350),
        ("claude-haiku-5-5", Usage(input_tokens=1), 1),
        ("claude-haiku-5-5", Usage(input_tokens=100_000), 10_000),
        ("claude-haiku-5-5", Usage(input_tokens=1, cache_read_tokens=100_000), 5_001),
        ("demo", Usage(input_tokens=5), 0),
        ("nobody-knows", Usage(input_tokens=5), None),
    ],
)
def test_cost_follows_the_price_table(settings, model, usage, micro):
    settings.AGENT = {**settings.AGENT, "PRICES": PRICES}
    assert cost_of(model, usage, on=TODAY) == micro


def test_price_of_an_older_day_is_the_older_price(settings):
    rows = [dict(PRICES[2], since="2026-01-01", input="3"), dict(PRICES[2], since="2026-10-07")]
    settings.AGENT = {**settings.AGENT, "PRICES": rows}
    usage = Usage(input_tokens=1000)
    assert [cost_of("claude-sonnet-5-5", usage, on=day) for day in (date(2026, 10, 6), TODAY)] == [3000, 2000]
