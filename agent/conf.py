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
    # Days after which a class of data goes, counted from its last use; None keeps it. See agent.personal_data.
    "RETENTION": {
        "runs": 90,
        "events": 730,
        "messages": 730,
        "calls": 730,
        "mails": 90,
        "tokens": 90,
        "sessions": 0,
    },
    "RETENTION_AUTOMATIC": False,  # let the workers do it, hourly
    "PERSONAL_DATA": [],  # a module of each application that holds data of people: see agent.personal_data.hooks
    "AUDIT_KEYS": [],  # the first signs, the others verify; SECRET_KEY and its fallbacks come after them
    "DATABASE_ROLE": "",  # that web and worker connect under, where another one owns the tables
    "LEASE_SECONDS": 20,
    "MAX_ATTEMPTS": 5,  # claims of one run; a run that kills its worker each time must end in words
    "MAX_TRIES": 3,  # requests for one turn
    "MAX_CALLS_A_TURN": 16,
    "MAX_RESULT_CHARS": 12_000,
    "MAX_TURN_CHARS": 200_000,  # of a model's turn, as JSON; MAX_TOKENS is far below
    "MAX_QUESTION_CHARS": 4_000,
    "READ_PAGE_HOSTS": [],  # whose public pages the agent may read; empty: none, and the tool is not offered
    "PAGES_A_MINUTE": 10,  # a customer's, cached ones included
    "PAGE_SECONDS": 300,  # how long a page that was read is kept for everybody
    "CONFIRM_MINUTES": 15,
    "COSIGN": {},  # {tool: {currency: minor units}}: what is above waits for a member of staff too
    "REAUTHENTICATE": {},  # the same shape: what is above is confirmed only after a fresh sign-in
    "REAUTHENTICATE_MINUTES": 5,  # how long a sign-in is fresh
    "MAX_OPEN_ACTIONS": 5,  # proposals that wait for one customer; further ones are refused
    "STARTS_A_MINUTE": 20,
    "CONFIRMS_A_MINUTE": 30,
    "STREAMS_AT_ONCE": 20,  # that a customer may have open in one web process; further ones are refused
    "MCP_CLIENTS": "any",  # who may ask for access: any, documents (known by an address), listed (in the admin)
    "REGISTRATIONS_A_MINUTE": 10,  # of one network address; five times as many of all
    "CALLS_A_MINUTE": 120,  # requests of all programs together on one customer's behalf
    "CLIENT_CALLS_A_MINUTE": 1200,  # requests of one program for all customers
    "DECISION_WAIT_SECONDS": 20,  # how long a program's call waits for a customer who went to the confirmation page
    "TOKENS_A_CUSTOMER": 5,  # personal tokens that are good at once
    "ACTION_MAILS": True,  # a mail for each proposal and each receipt, where the account has a confirmed address
    "ANSWER_HOURS": _("within one business day"),  # when a person answers a hand-off; empty: not promised
    "ROLES": {},  # {group: permissions}, made once; see agent.roles
    "STAFF_SECOND_FACTOR": False,  # whether staff see nothing of customers before they have set one up
    "STAFF_EMAIL": "",  # who is told of a hand-off; empty: nobody, staff look at their list
    "DEMO_WORD_DELAY": 0.02,
}


def setting(name: str) -> Any:
    """`settings.AGENT[name]`, or the default above. A name that is in neither is a mistake: KeyError."""
    given = settings.AGENT
    return given[name] if name in given else DEFAULTS[name]
