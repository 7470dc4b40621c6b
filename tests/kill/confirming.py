"""A process of its own that confirms one action and dies by the test's hand: confirming.py ACTION STRIPE_ADDRESS."""

import os
import sys

import django


def main(action_id: str, stripe_address: str) -> None:
    """As the confirmation page does it, without its web server."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from django.conf import settings

    from agent import actions
    from agent.models import PendingAction
    from tests.billing.stripe_server import API_KEY

    own = {"API_KEY": API_KEY, "API_BASE": stripe_address, "TIMEOUT": 60}
    settings.BILLING = {**settings.BILLING, "GATEWAYS": {"credit_card": "stripe"}, "STRIPE": own}
    action = PendingAction.objects.get(pk=action_id)
    actions.decide(action.pk, user=action.user, decision=actions.CONFIRM, digest=action.digest)


if __name__ == "__main__":
    main(*sys.argv[1:])
