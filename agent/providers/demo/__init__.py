"""A model for demonstrations: no network, no key, no learning. It knows no shop: only the tools it is offered.

words, vocabulary: sentences as words, German ones in English · addresses, arguments: what a sentence holds · choosing:
which tool it asks for · memory, wishes: the conversation, and what is asked for over several turns · sources, records,
options, picking, filling: what a sentence only describes, looked up · planning: the next step · speaking: its words.
"""

import secrets
import time
from collections.abc import Callable
from typing import Any

from agent.conf import setting
from agent.providers.base import Request, Turn, Watch
from agent.providers.demo.choosing import offered
from agent.providers.demo.memory import Call, remember
from agent.providers.demo.planning import next_step
from agent.tools.registry import all_tools


class DemoProvider:
    """Answers by rules, word by word, at the pace of settings.AGENT["DEMO_WORD_DELAY"] (seconds)."""

    name = "demo"

    def turn(
        self, request: Request, *, on_text: Callable[[str], None], deadline: float, stopped: Callable[[], bool]
    ) -> Turn:
        """See Provider.turn."""
        started, watch = time.monotonic(), Watch(deadline=deadline, stopped=stopped)
        watch.check()
        step = next_step(remember(request.messages), offered(request.tools, all_tools()))
        if step.calls:
            return _turn([_block(call) for call in step.calls], stop_reason="tool_use", started=started)
        text = "\n\n".join(step.words)
        _speak(text, on_text=on_text, watch=watch)
        return _turn([{"type": "text", "text": text}], stop_reason="end_turn", started=started)


def _speak(text: str, *, on_text: Callable[[str], None], watch: Watch) -> None:
    delay = setting("DEMO_WORD_DELAY")
    for number, word in enumerate(text.split(" ")):
        watch.check()
        if number and delay:
            time.sleep(min(delay, watch.left()))
        on_text(f" {word}" if number else word)


def _block(call: Call) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{secrets.token_hex(12)}", "name": call.name, "input": call.arguments}


def _turn(content: list[dict[str, Any]], *, stop_reason: str, started: float) -> Turn:
    took = round((time.monotonic() - started) * 1000)
    return Turn(content=content, stop_reason=stop_reason, model="demo", duration_ms=took)
