"""What a tool is: a typed function, its published schema, and the hooks by which the agent handles it blindly.

A read runs. A gated write is planned, proposed and confirmed; its function is reached from `agent.actions` alone.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, Protocol, overload

from django.utils.functional import Promise
from pydantic import BaseModel

from agent.db import left_whole
from agent.errors import ToolArgumentError
from agent.tools import schema as schemas

RESERVED_CONTEXT = frozenset({"user", "request", "account", "conversation", "run"})

Words = str | Promise  # text through gettext, translated when it is shown


@dataclass(frozen=True)
class Example:
    """What a customer may say, and the call that serves it.

    `answer` is a pattern over the result's keys ("Order %(order_number)s is %(status_text)s."): the demo model
    speaks with it, and it shows a reader what the result is good for.
    """

    says: str
    arguments: Mapping[str, Any]
    answer: str = ""
    language: str = "en"


@dataclass(frozen=True)
class Description:
    """A proposal in the customer's words, made from the facts of its plan alone."""

    title: str  # the act, as on the button: "Refund €42.00"
    sentence: str  # the whole of it in one sentence
    lines: Sequence[tuple[str, str]]  # label and value
    warning: str = ""  # what cannot be undone
    decline: str = ""  # the other button: "Don't refund"


@dataclass(frozen=True)
class Card:
    """What the chat shows of a result: a template and JSON-able facts, read from the database."""

    template: str
    context: Mapping[str, Any]


@dataclass(frozen=True)
class Settlement:
    """How far what a write set off outside has come."""

    state: Literal["done", "failed", "underway", "unknown"]
    words: str = ""  # of a failure, for the customer: what did not happen, and what did all the same
    needs_person: bool = False  # nothing more can be found out or done without staff


class Outside(Protocol):
    """What a write sets off that no transaction holds: a payment provider's refund, a carrier's label.

    `key` is the action's id; whatever the provider takes to do a thing once is made from it.
    """

    def filed_under(self, key: str) -> AbstractContextManager[None]:
        """Around the effect, in its transaction: what is due outside is noted under the key, and nothing is sent."""
        ...

    def is_due(self, key: str) -> bool:
        """Whether anything was noted; asked in the same transaction."""
        ...

    def settle(self, key: str, *, user: Any) -> Settlement:
        """After the commit: send what is due, or find out what became of it. May wait for seconds.

        Repeated, late, or in two processes at once, everything is done once. Words are in the active language.
        """
        ...


@dataclass(frozen=True)
class Tool:
    """One thing the agent can do. Made by `@tool`, never changed; `bound` gives a copy for one user.

    `plan(arguments, *, user)` reads only and returns the facts of a write (JSON, money in minor units), or raises
    Refusal. `lock(arguments, *, user)` locks the rows that the plan reads. `describe(facts)` puts them in words.
    `outside` carries out what a write owes outside the database. `subject(arguments)` names what a proposal is about:
    a newer one about the same takes its place. `amount(facts)` is the money at stake, in minor units, and its currency.

    `records` names the keys of a read's result that hold the shop's own identifiers and amounts, never what others
    wrote: an argument found there is known to be real. `labels` names the arguments of a write that a customer can be
    expected to say, each by the label of its line; `spoken` has the phrases by which customers say a choice.
    """

    name: str
    description: str
    fn: Callable[..., Any]
    model: type[BaseModel]
    needs: frozenset[str]  # the context that `fn` takes
    writes: bool = False
    gated: bool = False
    plan: Callable[..., dict[str, Any]] | None = None
    lock: Callable[..., None] | None = None
    describe: Callable[[dict[str, Any]], Description] | None = None
    card: Callable[..., Card | None] | None = None
    outside: Outside | None = None
    subject: Callable[[dict[str, Any]], str] | None = None
    amount: Callable[[dict[str, Any]], tuple[int, str] | None] | None = None
    records: frozenset[str] = frozenset()
    labels: Mapping[str, Words] = field(default_factory=lambda: MappingProxyType({}))
    spoken: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    progress: Words = ""
    title: Words = ""
    permission: str = ""  # a Django permission that the user must hold; empty: every customer
    reads_rows: bool = True  # False: it asks the database for nothing, and may wait without holding a connection
    available: Callable[[], bool] | None = None  # whether this shop has what the tool needs; None: it needs nothing
    examples: tuple[Example, ...] = ()
    context: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments: closed, without anything that only the host may set."""
        return schemas.published(self.model)

    @cached_property
    def output_schema(self) -> dict[str, Any] | None:
        """The JSON schema of a result that is no error, where the function's return type says it; else None."""
        return schemas.of_result(self.fn)

    @cached_property
    def schema_hash(self) -> str:
        """Changes with anything that a model or a customer would notice of this tool."""
        return schemas.digest(self.name, self.description, self.schema, self.writes, self.gated, self.permission)

    def bound(self, **context: Any) -> "Tool":
        """A copy that always receives this context, whatever a model supplies."""
        unknown = context.keys() - RESERVED_CONTEXT
        if unknown:
            raise TypeError(f"not a context: {', '.join(sorted(unknown))}")
        return replace(self, context=MappingProxyType({**self.context, **context}))

    def parse(self, arguments: object) -> dict[str, Any]:
        """The arguments, checked against the very schema that was published. Raises ToolArgumentError; no query."""
        if isinstance(arguments, dict):
            reserved = sorted(key for key in arguments if str(key).strip().lower() in RESERVED_CONTEXT)
            if reserved:
                raise ToolArgumentError(f"invalid arguments: {', '.join(reserved)[:80]} is set by the host, not by you")
        return schemas.parse(self.model, arguments)

    def run(self, /, **arguments: Any) -> dict[str, Any]:
        """Check the arguments and call the tool. A gated write refuses: it is confirmed by its customer."""
        if self.gated:
            raise ToolArgumentError(f"{self.name} needs the customer's confirmation and cannot be run directly")
        return self.call(self.parse(arguments))

    def call(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call with arguments that `parse` returned. For a gated write, `agent.actions` is the one caller."""
        missing = self.needs - self.context.keys()
        if missing:
            raise TypeError(f"{self.name} must be bound to {', '.join(sorted(missing))} first")
        with left_whole():
            return self.fn(**arguments, **{name: self.context[name] for name in self.needs})


@overload
def tool(fn: Callable[..., Mapping[str, Any]], /) -> Tool: ...
@overload
def tool(**options: Any) -> Callable[[Callable[..., Mapping[str, Any]]], Tool]: ...
def tool(fn: Callable[..., Mapping[str, Any]] | None = None, /, **options: Any) -> Any:
    """Make a Tool of a typed function: `@tool` or `@tool(writes=True, plan=..., lock=..., describe=...)`.

    What stands before `*` is the model's to choose; what stands behind it is context. The docstring is the
    description that the model reads. A write is gated unless `gated=False`. Options are the fields of Tool.
    A return type that is a TypedDict, alone or beside Failed, is published as the schema of the result.
    """
    if fn is None:
        return lambda function: _made(function, options)
    return _made(fn, {})


def _made(fn: Callable[..., Any], options: Mapping[str, Any]) -> Tool:
    parameters = inspect.signature(fn).parameters.values()
    needs = frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
    misplaced = {p.name for p in parameters} - needs & RESERVED_CONTEXT
    if needs - RESERVED_CONTEXT or misplaced & RESERVED_CONTEXT:
        raise TypeError(f"{fn.__name__}: context stands behind '*', arguments before it")
    writes = options.get("writes", False)
    given = {"gated": writes, **options, "examples": tuple(options.get("examples", ()))}
    return Tool(
        name=given.pop("name", fn.__name__),
        description=inspect.getdoc(fn) or "",
        fn=fn,
        model=schemas.arguments_model(fn),
        needs=needs,
        **given,
    )
