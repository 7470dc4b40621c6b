"""`python -m tests.browser.correspondence`: 120 messages of greta over three days; prints the conversation's id.

With the id of a conversation and a number, so many messages more there, all of this moment.
"""

import os
import sys
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.contrib.auth import get_user_model  # noqa: E402 - the applications are there only now
from django.db import transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from agent import events  # noqa: E402
from agent.models import Event  # noqa: E402
from agent.runs.start import open_conversation  # noqa: E402

AUTHORS = ("customer", "agent")


def said(count: int) -> list[events.Item]:
    return [("message", {"author": AUTHORS[n % 2], "text": f"Message **number {n}**"}) for n in range(count)]


@transaction.atomic
def main() -> None:
    greta = get_user_model().objects.get(username="greta")
    conversation = open_conversation(greta, title="A long one", language="en")
    for event in events.append(conversation.pk, *said(120)):
        when = timezone.now() - timedelta(days=2 - (event.seq - 1) // 40)
        Event.objects.filter(pk=event.pk).update(created_at=when)
    print(conversation.pk)


@transaction.atomic
def more(conversation_id: str, count: str) -> None:
    events.append(conversation_id, *said(int(count)))


if __name__ == "__main__":
    more(*sys.argv[1:]) if len(sys.argv) > 1 else main()
