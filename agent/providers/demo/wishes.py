"""What is asked for: a tool, and the sentences that hold its arguments, over several turns where we had to ask."""

from dataclasses import dataclass, field
from typing import Any

from agent.providers.demo.choosing import QUESTION, Known, choose, vocabulary
from agent.providers.demo.memory import Call, Memory
from agent.providers.demo.records import ALL, COUNTS
from agent.providers.demo.words import stems, tokens


@dataclass
class Wish:
    """`texts` are the customer's, newest first. The rest is what is found out: the arguments, and what stands in the
    way of the call: calls to make first, or words that end the turn, as a question does."""

    tool: Known
    texts: list[str]
    questions: list[str] = field(default_factory=lambda: [""])  # ours, before each of the texts
    arguments: dict[str, Any] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    words: str = ""

    @property
    def text(self) -> str:
        """Everything that was said of it."""
        return "\n".join(self.texts)

    @property
    def history(self) -> list[tuple[str, str]]:
        """Our questions with the customer's texts, oldest first; the first has no question."""
        return list(zip(reversed(self.questions), reversed(self.texts), strict=True))

    def call_first(self, name: str, arguments: dict[str, Any]) -> None:
        """A call that has to be made before."""
        if not any((call.name, call.arguments) == (name, arguments) for call in self.calls):
            self.calls.append(Call(name, arguments))

    def say(self, words: str) -> None:
        """What ends the turn. Only the first counts: one question at a time."""
        self.words = self.words or words

    @property
    def is_held_up(self) -> bool:
        """Whether something comes before the call."""
        return bool(self.calls or self.words)


def wish_of(ask: str, memory: Memory, tools: list[Known]) -> Wish | None:
    """The wish that a sentence begins or, where we had asked something, goes on with."""
    wish, question = None, ""
    for exchange in memory.open_exchanges:
        for before in exchange.asks:
            wish = _with(before, wish, question, tools)
        question = exchange.answer
    found = _with(ask, wish, question, tools)
    if found is None:
        lookup = _lookup(ask, tools) or _reading(ask, tools)
        return Wish(lookup, [ask]) if lookup else None
    return found


def _with(ask: str, wish: Wish | None, question: str, tools: list[Known]) -> Wish | None:
    """The wish with a further sentence; another one where that is no answer to the question."""
    chosen = choose(ask, tools)
    if wish is not None and _is_reply(ask, chosen, wish, question, tools):
        return Wish(wish.tool, [ask, *wish.texts], [question, *wish.questions])
    return Wish(chosen, [ask]) if chosen else None


def _is_reply(ask: str, chosen: Known | None, wish: Wish, question: str, tools: list[Known]) -> bool:
    parts = {item.name for item in wish.tool.parameters if item.kind == "address"}
    if parts and QUESTION.match(ask):
        return False  # nearly anything could be a street; a question is none
    if chosen in (None, wish.tool):
        return True
    said = stems(ask)
    if said <= stems(" ".join([*ALL, *COUNTS])):
        return True  # how many
    kinds = frozenset[str]().union(*(vocabulary(item.name, tools) for item in wish.tool.parameters))
    if tokens(ask) and tokens(ask) <= kinds:
        return True  # a value of its kind, also one that was not among the choices
    choices = tokens(question.partition("\n")[2])
    if tokens(ask) & choices and not chosen.writes and not QUESTION.match(ask) and not chosen.ids_in(ask):
        return True  # it names one of the choices, and asks nothing
    if tokens(ask) and said <= stems(question) and not (said & stems(chosen.name.replace("_", " ")) - stems(question)):
        return True  # nothing but words of the question
    return bool(parts and chosen.parameters) and parts >= {item.name for item in chosen.parameters}


def _lookup(ask: str, tools: list[Known]) -> Known | None:
    """Little but a number: what can be looked up by it."""
    strange = stems(ask).difference(*(tool.words for tool in tools))
    lookups = [tool for tool in tools if not tool.writes and tool.ids_in(ask)]
    return lookups[0] if lookups and not strange else None


def _reading(ask: str, tools: list[Known]) -> Known | None:
    """What can be searched with a whole question, where the question has a word of what it holds."""
    if not QUESTION.match(ask):
        return None
    takes_text = (tool for tool in tools if not tool.writes and any(item.kind == "text" for item in tool.parameters))
    return next((tool for tool in takes_text if stems(ask) & tool.words), None)
