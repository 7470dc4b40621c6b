"""Makes customers with a conversation each, then stores events at a steady pace and says when each was committed."""

import json
import sys
import time
import uuid
from importlib import import_module

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse

from agent import events
from agent.events import channel_of
from agent.models import Conversation

RUN = str(uuid.uuid4())
WARM_SECONDS = 1.0


def opened(number: int) -> tuple[Conversation, dict[str, str]]:
    """A conversation, and what its customer's browser sends to listen to it."""
    user = User.objects.create(username=f"listener-{uuid.uuid4().hex[:12]}", password=f"!{number}")
    conversation = Conversation.objects.create(
        user=user, title="Where is my parcel", provider="demo", model="demo", tools=[]
    )
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session.save()
    path = f"{reverse('agent:events', args=[conversation.pk])}?lastEventId={channel_of(conversation.pk)}:0"
    return conversation, {"path": path, "cookie": f"{settings.SESSION_COOKIE_NAME}={session.session_key}"}


def speak(conversations: list[Conversation], *, rate: float, seconds: float) -> list[tuple[int, int, float]]:
    """One event after the other, round and round: [conversation, number, when it was committed]."""
    told: list[tuple[int, int, float]] = []
    began = time.monotonic()
    for number in range(int(rate * seconds)):
        time.sleep(max(0.0, began + number / rate - time.monotonic()))
        place = number % len(conversations)
        told.append((place, *said(conversations[place], number)))
    return told


def said(conversation: Conversation, number: int) -> tuple[int, float]:
    """An event's number, and the time after its commit, before it is published."""
    committed: list[float] = []
    data = {
        "run": RUN,
        "call_id": f"call-{number}",
        "state": "ok",
        "label": "Looking up the parcel",
        "milliseconds": 12,
    }
    with transaction.atomic():
        transaction.on_commit(lambda: committed.append(time.monotonic()))
        [row] = events.append(conversation.pk, ("step", data))
    return row.seq, committed[0]


def main() -> None:
    """Say how to listen; then speak as the next line asks for."""
    made = [opened(number) for number in range(int(sys.argv[1]))]
    _say([way for _, way in made])
    asked = json.loads(sys.stdin.readline())
    said(made[0][0], -1)  # with it the server reads templates and translations, as with the first page of a day
    time.sleep(WARM_SECONDS)
    _say(speak([conversation for conversation, _ in made], **asked))


def _say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
