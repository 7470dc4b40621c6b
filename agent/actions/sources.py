"""Where the arguments of a write come from: the customer's own words, the shop's records, or neither.

What stands only in a text from outside (a note, a page) is nobody's wish: a proposal that rests on it is refused.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from agent.actions.showing import program_of
from agent.actions.spelling import Text
from agent.errors import Refusal
from agent.models import AgentRun, AgentStep, Message, PendingAction
from agent.tools import Tool, registry

LAST_MESSAGES = 200
LAST_STEPS = 200

SAID, RECORD, NEITHER = "said", "record", "neither"
_OUTSIDE = "outside"  # never on a row: it is refused
_WORST_LAST = (SAID, RECORD, NEITHER, _OUTSIDE)

_FENCED = re.compile(r"<untrusted_content\b.*?(?:</untrusted_content[^>]*>|\Z)", re.DOTALL)
_MARK = re.compile(r"</?untrusted_content\b[^>]*>?")
_ESCAPED = re.compile(r'\\[nrtu"\\/]')


@dataclass(frozen=True)
class Doubt:
    """An argument that the customer did not write: the label of its line, where it has one, and what to say.

    `program` is the one that wrote it, where it was not the assistant of the chat.
    """

    label: str
    source: str
    program: str = ""

    @property
    def words(self) -> str:
        if self.program and self.source == RECORD:
            return _("The program “%(program)s” chose this from the shop's records.") % {"program": self.program}
        if self.program:
            return _("The program “%(program)s” filled this in: please check it.") % {"program": self.program}
        if self.source == RECORD:
            return _("You did not write this in the chat. It is from the shop's records.")
        return _("You did not mention this in the chat. The assistant filled it in: please check it.")


@dataclass(frozen=True)
class Heard:
    """All that was said and read in a conversation, by whose words it is."""

    own: list[Text]
    records: list[Text]
    outside: list[Text]

    def source_of(self, value: Any, *, tool: Tool) -> str:
        """The best that can be said for one value."""
        phrases = tool.spoken.get(value, ()) if isinstance(value, str) else ()
        if any(text.holds(value, loosely=True) or any(map(text.says, phrases)) for text in self.own):
            return SAID
        if any(text.holds(value) for text in self.records):
            return RECORD
        if any(text.holds(value, loosely=True) or any(map(text.says, phrases)) for text in self.outside):
            return _OUTSIDE
        return NEITHER


def trace(run: AgentRun, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, str]:
    """The source of each argument, the least certain where it holds several values. What is empty has none.

    Raises Refusal where one stands in a text from outside alone: its customer has to say it.
    """
    heard = _heard(run)
    found = {name: [heard.source_of(leaf, tool=tool) for leaf in _leaves(value)] for name, value in arguments.items()}
    sources = {name: max(of, key=_WORST_LAST.index) for name, of in found.items() if of}
    foreign = [str(tool.labels.get(name, name)) for name, source in sources.items() if source == _OUTSIDE]
    if foreign:
        raise Refusal(
            _(
                "Nothing was prepared: %(names)s comes only from a text by others, such as a note or a page. The "
                "customer has to write it in the chat first."
            )
            % {"names": ", ".join(foreign)}
        )
    return sources


def doubts(action: PendingAction) -> list[Doubt]:
    """What the customer is told of the arguments that are not their own words, in the active language.

    What the tool has no label for (an item's number, which nobody writes) is told only where nobody knows it.
    """
    tool = registry.all_tools().get(action.tool)
    labels: Mapping[str, str | Promise] = tool.labels if tool else {}
    program = program_of(action)
    found = [
        Doubt(str(labels.get(name, "")), source, program)
        for name, source in action.sources.items()
        if source == NEITHER or (source == RECORD and name in labels)
    ]
    return sorted(set(found), key=found.index)


def _heard(run: AgentRun) -> Heard:
    own = Message.objects.filter(conversation_id=run.conversation_id, author=Message.Author.CUSTOMER)
    said = own.order_by("-pk").values_list("text", flat=True)[:LAST_MESSAGES]
    heard = Heard([Text(text) for text in said], [], [])
    steps = AgentStep.objects.filter(run__conversation_id=run.conversation_id).exclude(result="").order_by("-pk")
    for step in steps[:LAST_STEPS]:
        result = _parsed(step.result)
        heard.records.extend(Text(text) for text in _records(step, result))
        heard.outside.extend(Text(text) for leaf in _leaves(result) for text in _foreign(leaf))
    return heard


def _records(step: AgentStep, result: Any) -> Iterator[str]:
    """What a read of this customer's rows returned under the keys that its tool vouches for.

    What the caller asked for comes back as an echo, and stands for nothing.
    """
    tool = registry.all_tools().get(step.tool)
    if tool is None or tool.writes or step.outcome != AgentStep.Outcome.OK:
        return
    asked = [leaf for leaf in _leaves(step.arguments) if isinstance(leaf, str)]
    for leaf in _under(result, tool.records):
        text = _FENCED.sub(" ", str(leaf))
        if not any(Text(text).words == Text(echo).words for echo in asked):
            yield text


def _foreign(leaf: Any) -> list[str]:
    """The fenced texts in a value; in a result that was cut off the line ends are still signs."""
    found = _FENCED.findall(leaf) if isinstance(leaf, str) else []
    return [_ESCAPED.sub(" ", _MARK.sub(" ", text)) for text in found]


def _under(value: Any, keys: frozenset[str]) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from _under(item, keys)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item) if key in keys else _under(item, keys)


def _leaves(value: Any) -> Iterator[Any]:
    """Every single value, also of lists in lists; nothing where there is none."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    elif value is not None and value != "":
        yield value


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
