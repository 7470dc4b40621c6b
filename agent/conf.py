"""The agent's settings, each with what it is when the shop says nothing."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _

DEFAULTS: dict[str, Any] = {
    "TOOL_MODULES": [],
    "PROVIDER": "demo",
    "MODEL": "claude-sonnet-5-5",
    "FALLBACK_PROVIDER": "",  # takes over while the first is down; empty: none
    "FALLBACK_MODEL": "",
    "SHOP_NAME": "the shop",
    "SYSTEM_PROMPT": "You are the customer service assistant of an online shop.",
    "MAX_TOKENS": 8192,  # a turn, thinking included
    "MAX_STEPS": 16,  # model calls a run
    "RUN_SECONDS": 120,  # wall clock from the first claim
    "RUN_TOKENS": 400_000,  # in and out, what came from the cache too
    "RUN_DOLLARS": "0.50",
    "CONVERSATION_DOLLARS": "2.00",
    "CUSTOMER_DAY_DOLLARS": "5.00",  # a day is one of TIME_ZONE
    "SITE_DAY_DOLLARS": "200.00",
    "RUNS_AT_ONCE": 2,  # a customer's; further ones wait
    "SAME_CALLS": 3,  # identical calls in a row that end a run
    "PRICES": [],  # rows of agent.prices
    "LEASE_SECONDS": 20,
    "MAX_ATTEMPTS": 5,  # claims of one run; a run that kills its worker each time must end in words
    "MAX_TRIES": 3,  # requests for one turn
    "MAX_CALLS_A_TURN": 16,
    "MAX_RESULT_CHARS": 12_000,
    "MAX_QUESTION_CHARS": 4_000,
    "CONFIRM_MINUTES": 15,
    "COSIGN": {},  # {tool: {currency: minor units}}: what is above waits for a member of staff too
    "MAX_OPEN_ACTIONS": 5,  # proposals that wait for one customer; further ones are refused
    "STARTS_A_MINUTE": 20,
    "CONFIRMS_A_MINUTE": 30,
    "ACTION_MAILS": True,  # a mail for each proposal and each receipt, where the account has a confirmed address
    "ANSWER_HOURS": _("within one business day"),  # when a person answers a hand-off; empty: not promised
    "STAFF_EMAIL": "",  # who is told of a hand-off; empty: nobody, staff look at their list
    "DEMO_WORD_DELAY": 0.02,
}


def setting(name: str) -> Any:
    """`settings.AGENT[name]`, or the default above. A name that is in neither is a mistake: KeyError."""
    return {**DEFAULTS, **settings.AGENT}[name]
