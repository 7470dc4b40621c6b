"""`python -m tests.conformance.shop cast|state`: the sample shop, its tokens and what stands in its books, as JSON."""

import json
import sys
from io import StringIO

import django

STAFF = "reviewer"


def cast() -> dict[str, str]:
    """Tables, the sample shop, and a token for each who calls: by name, and what it may do."""
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from agent.access import personal

    call_command("migrate", verbosity=0, interactive=False)
    call_command("load_sample_shop", stdout=StringIO())
    return {
        name: personal.make_token(User.objects.get(username=name), name="Conformance", scopes=scopes, days=7)[1]
        for name, scopes in {"anna": ["read", "propose"], "ben": ["read"], STAFF: ["read", "propose"]}.items()
    }


def state() -> dict[str, object]:
    """What a proposal must leave alone, and the proposals."""
    from agent.models import AgentStep, PendingAction
    from billing.models import Entry, Refund, Transfer

    return {
        "moved": [model.objects.count() for model in (Entry, Refund, Transfer)],
        "proposals": list(PendingAction.objects.values_list("tool", "state", "user__username")),
        "steps": AgentStep.objects.count(),
    }


if __name__ == "__main__":
    django.setup()
    sys.stdout.write(json.dumps({"cast": cast, "state": state}[sys.argv[1]]()) + "\n")
