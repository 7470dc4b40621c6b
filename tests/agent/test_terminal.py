"""The chat on a terminal: each line as soon as it is so, the link, no way to confirm, no words that move the cursor."""

import subprocess
import sys
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import transaction

from agent import actions, events
from agent.management.terminal import Talk
from agent.models import AgentRun, Conversation, PendingAction
from billing.models import Refund
from tests.agent.conftest import paid_order
from tests.serving import PATIENCE, ROOT, environment

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def order(alice: User) -> Any:
    return paid_order(alice, number="DZ-10001")


def asked(text: str) -> str:
    said = StringIO()
    call_command("chat", "alice", text, stdout=said)
    return said.getvalue()


def tell(talk: Talk, kind: str, **data: Any) -> list[str]:
    """What the terminal says of an event as soon as it is stored."""
    assert talk.conversation is not None
    with transaction.atomic():
        events.append(talk.conversation.pk, (kind, data))
    return list(talk.news())


@pytest.fixture
def talk(alice: User) -> Talk:
    talk = Talk(alice)
    assert list(talk.ask("Hello"))
    return talk


def test_question_is_answered_with_its_steps(order: Any) -> None:
    lines = asked("Where is my order DZ-10001?").splitlines()
    assert lines[0] == "  ... Looking up order DZ-10001"
    assert lines[1].startswith("  done: Looking up order DZ-10001 (")
    assert "DZ-10001" in lines[3]
    assert AgentRun.objects.get().state == "done"


def test_write_waits_for_its_page_and_is_told_when_it_was_decided(alice: User, order: Any) -> None:
    talk = Talk(alice)
    said = "\n".join(talk.ask("Please refund 1.50 for order DZ-10001"))
    action = PendingAction.objects.get()
    assert actions.address(action) in said
    assert (action.state, Refund.objects.count()) == ("pending", 0)
    actions.decide(action.pk, user=alice, decision=actions.CONFIRM, digest=action.digest)
    action.refresh_from_db()
    assert action.state == "executed"
    assert f"  {action.summary}: {action.get_state_display()}" in list(talk.news())


def test_no_words_confirm(alice: User, order: Any) -> None:
    talk = Talk(alice)
    list(talk.ask("Please refund 1.50 for order DZ-10001"))
    for words in ("yes", "confirm", f"confirm {PendingAction.objects.get().pk}"):
        list(talk.ask(words))
    assert Refund.objects.count() == 0


def test_questions_go_on_in_one_conversation(alice: User, order: Any) -> None:
    talk = Talk(alice)
    for question in ("Where is my order DZ-10001?", "And where is DZ-10001 now?"):
        assert list(talk.ask(question))
    assert (Conversation.objects.count(), AgentRun.objects.count()) == (1, 2)


def test_step_is_told_while_its_run_is_at_work(talk: Talk) -> None:
    step = {"run": "r", "call_id": "c", "label": "Looking up order DZ-10001"}
    assert tell(talk, "step", state="started", milliseconds=None, **step) == ["  ... Looking up order DZ-10001"]
    assert tell(talk, "step", state="ok", milliseconds=210, **step) == ["  done: Looking up order DZ-10001 (0.2 s)"]
    assert tell(talk, "step", state="error", milliseconds=9, **step)[0].startswith("  did not work: ")


def test_run_that_failed_and_a_person_are_told(talk: Talk) -> None:
    told = tell(talk, "run", run="r", state="out_of_budget", reference="7F3K")
    assert told == ["  The run ended: out of budget. Reference 7F3K."]
    assert tell(talk, "handoff", number=12) == ["  A person has your request. Your number is T-12."]


def test_words_cannot_write_to_the_terminal(talk: Talk) -> None:
    hostile = "a\x1b[2J\x1b]0;title\x07b\u202ec\r\nd"
    lines = tell(talk, "message", author="agent", text=hostile, run="r")
    lines += tell(talk, "step", run="r", call_id="c", label=hostile, state="started", milliseconds=None)
    assert not set("\x1b\x07\u202e\r") & set("".join(lines))


def test_line_comes_while_the_run_is_at_work_and_an_interrupt_stops_it(alice: User, order: Any, settings: Any) -> None:
    settings.AGENT = {**settings.AGENT, "DEMO_WORD_DELAY": 0.5}  # the answer has some twenty words
    lines = Talk(alice).ask("Where is my order DZ-10001?")
    assert next(lines) == "  ... Looking up order DZ-10001"
    assert AgentRun.objects.get().state == "running"
    assert lines.throw(KeyboardInterrupt) == "  Stopping ..."
    list(lines)
    run = AgentRun.objects.get()
    assert (run.state, run.stop_requested_by) == ("stopped", alice)


@pytest.mark.parametrize(
    ("who", "text", "sentence"),
    [("nobody", "Hello", "There is nobody called nobody."), ("alice", " ", "Write a question first.")],
)
def test_what_cannot_be_asked_is_a_sentence(alice: User, who: str, text: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("chat", who, text)
    assert AgentRun.objects.count() == 0


def test_conversation_is_read_line_by_line_until_its_end(alice: User, order: Any) -> None:
    process = subprocess.run(
        [sys.executable, "manage.py", "chat", "alice"],
        input="Where is my order DZ-10001?\n\nPlease refund 1.50 for order DZ-10001\n",
        cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=4 * PATIENCE,
    )  # fmt: skip
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.index("... Looking up") < process.stdout.index("Write a question first.")
    assert process.stdout.index("Write a question first.") < process.stdout.index("/agent/actions/")
    assert Conversation.objects.count() == 1
