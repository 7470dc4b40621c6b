"""A call that no model asked for: by another program, or from Python. The same path, limits, gate and rows.

What one program asks for on a customer's behalf is filed in one conversation; each call is a run of its own, which has
ended when it begins, with one step.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone, translation

from agent import accounts, flags, selectors
from agent.db import insert
from agent.fields import storable
from agent.models import AgentRun, AgentStep, Conversation
from agent.runs import calls, words
from agent.runs.calls import Outcome

CALL_ID = "call"  # the one call of its run


@dataclass(frozen=True)
class Client:
    """The program that asks. `name` is what it calls itself, and proves nothing."""

    id: str
    name: str


def call(user: Any, name: str, arguments: Any, *, client: Client, offered: Collection[str]) -> AgentStep:
    """Carry out a call as `user` and return its row, which holds the result as JSON text.

    A read has run; a gated write waits for its customer as `step.action`; what was refused says why. Only tools named
    in `offered` may be asked for. Raises where the database is away, and NotFound where the person was forgotten
    meanwhile: then nothing was done.
    """
    step = _started(user, client, name=name, arguments=arguments)
    with translation.override(step.run.conversation.language):
        if flags.agent_is_on():
            answer = calls.decide(step.run, step, offered=offered)
        else:
            answer = calls.failed(Outcome.SWITCHED_OFF, str(words.SWITCHED_OFF))
        with transaction.atomic():
            calls.keep_all(step.run, [(step, answer)])
    return step


@transaction.atomic(savepoint=False)
def conversation_with(user: Any, client: Client) -> Conversation:
    """Where everything is filed that this program asks for on behalf of this customer.

    Raises NotFound where the person was forgotten meanwhile.
    """
    accounts.keep_open(user)
    name = " ".join(storable(client.name).split())[:80] or client.id[:80]
    newest = selectors.conversations_of(user).values_list("language", flat=True).first()
    defaults = {
        "client_name": name,
        "title": name,
        "language": newest or settings.LANGUAGE_CODE,
        "system_prompt": "",
        "tools": [],
        "prefix_hash": "",
        "provider": "",
        "model": "",
    }
    found, _ = Conversation.objects.get_or_create(**_key(user, client), defaults=defaults)
    return found


def _key(user: Any, client: Client) -> dict[str, Any]:
    return {"user": user, "channel": Conversation.Channel.MCP, "client_id": client.id[:255]}


@transaction.atomic
def _started(user: Any, client: Client, *, name: str, arguments: Any) -> AgentStep:
    """The rows before anything is done. In a transaction of their own: the order of locks is actions first,
    conversations last, and the number of a run needs the conversation's lock."""
    conversation = _locked(user, client)
    last = AgentRun.objects.filter(conversation=conversation).aggregate(last=Max("number"))["last"] or 0
    run = AgentRun.objects.create(
        conversation=conversation,
        user=user,
        number=last + 1,
        prompt=f"{conversation.client_name}: {storable(name)[:128]}",
        state=AgentRun.State.DONE,
        finished_at=timezone.now(),
    )
    step = calls.start(run, sequence=1, call_id=CALL_ID, name=name, arguments=arguments)
    insert([step])
    return step


def _locked(user: Any, client: Client) -> Conversation:
    """The conversation, nobody else's to write in until the end of the transaction."""
    known = Conversation.objects.select_for_update().filter(**_key(user, client)).first()
    return known or Conversation.objects.select_for_update().get(pk=conversation_with(user, client).pk)
