"""Rows to the messages that a model is sent. The same rows always give the same messages, byte for byte.

What is sent only ever grows at its end: a model's signed thinking is bound to everything before it, and what was
sent once is read from the provider's cache.
"""

from collections.abc import Iterable
from datetime import date
from typing import Any

from agent.claims import Verdict, is_note, note_on
from agent.models import AgentRun, AgentStep, Message, ModelTurn

Wire = dict[str, Any]

UNSPOKEN = ("thinking", "redacted_thinking", "openai_item")  # what no turn may consist of alone
ANSWERED = "tool_use"  # the one stop reason after which calls are run, and so have results


def messages_of(run: AgentRun) -> list[Wire]:
    """Everything of the conversation up to and with this run. Every call of its turns has been answered."""
    runs = (
        AgentRun.objects.filter(conversation_id=run.conversation_id, number__lte=run.number)
        .order_by("number")
        .prefetch_related("messages", "turns__steps")
    )
    messages: list[Wire] = []
    day: date | None = None
    owed: list[Wire] = []
    for each in runs:
        messages += _opening(each, day) + owed
        day, owed = each.created_at.date(), []
        for turn in each.turns.all():
            said, notes = exchange(turn, turn.steps.all()), _notes_among(each.messages.all(), turn)
            messages += with_notes(said, notes)
            owed += notes if not _can_take_notes(said) else []
    return messages


def notes_on(turn: ModelTurn, verdict: Verdict) -> list[Wire]:
    """What the host has to say about a turn: that sentences of it were not shown. As its row will say it."""
    count = len(verdict.unbacked)
    return [_text("system", note_on(turn.index, count=count))] if count else []


def _notes_among(messages: Iterable[Message], turn: ModelTurn) -> list[Wire]:
    return [_text("system", said.text) for said in messages if _is_news(said) and is_note(said.text, turn=turn.index)]


def with_notes(said: list[Wire], notes: list[Wire]) -> list[Wire]:
    """An exchange and the notes on it; those on one without results wait for the next run's opening."""
    return said + notes if _can_take_notes(said) else said


def _can_take_notes(said: list[Wire]) -> bool:
    return bool(said) and said[-1]["role"] == "user"


def _is_news(said: Message) -> bool:
    return said.author == Message.Author.SYSTEM


def _opening(run: AgentRun, day: date | None) -> list[Wire]:
    """What the run answers: the customer's words unaltered, news as system messages, the date where it is new."""
    roles: dict[str, str] = {Message.Author.CUSTOMER: "user", Message.Author.SYSTEM: "system"}
    heard = [said for said in run.messages.all() if said.author in roles]
    opening = [_text(roles[said.author], said.text) for said in heard if not (_is_news(said) and is_note(said.text))]
    today = run.created_at.date()
    return opening if day == today else [*opening, _text("system", f"Today is {today:%A, %d %B %Y} (UTC).")]


def exchange(turn: ModelTurn, steps: Iterable[AgentStep]) -> list[Wire]:
    """A turn as it is sent back, and the results of its calls."""
    content = sendable(turn)
    if not content:
        return []
    answer = {"role": "assistant", "content": content}
    results = [result_block(step) for step in steps]
    return [answer, {"role": "user", "content": results}] if results else [answer]


def sendable(turn: ModelTurn) -> list[dict[str, Any]]:
    """The content as it was received, or nothing where the API would not take it back.

    Blank text is refused; a call that was cut off was never run and so cannot be answered.
    """
    content = [block for block in turn.content if not _is_blank(block)]
    cut_off = turn.stop_reason != ANSWERED and any(block.get("type") == "tool_use" for block in content)
    says_something = any(block.get("type") not in UNSPOKEN for block in content)
    return [] if cut_off or not says_something else content


def result_block(step: AgentStep) -> dict[str, Any]:
    """The one result of a call."""
    block = {"type": "tool_result", "tool_use_id": step.call_id, "content": step.result}
    fine = (AgentStep.Outcome.OK, AgentStep.Outcome.PROPOSED)
    return block if step.outcome in fine else {**block, "is_error": True}


def _is_blank(block: dict[str, Any]) -> bool:
    return block.get("type") == "text" and not str(block.get("text", "")).strip()


def _text(role: str, text: str) -> Wire:
    return {"role": role, "content": [{"type": "text", "text": text}]}
