"""What in a clause says that one of our actions was done, is being done or will come: the rules, in their order."""

from collections.abc import Callable

from agent.claims import happening, money, ours, states
from agent.claims.clauses import Clause
from agent.claims.found import Found

RULES: tuple[Callable[[Clause, list[Clause]], Found | None], ...] = (
    ours.we_did,
    ours.we_had_done,
    states.ended,
    happening.done_to,
    ours.declared,
    happening.event,
    money.money,
    happening.doing,
    happening.future,
    money.gets_it,
    money.richer,
    states.thing,
    states.from_now,
    happening.finished,
    states.passive,
    happening.telegram,
    states.subject,
    states.anything,
)
_LITTLE = frozenset({"DETERMINER", "YOURS", "CONDITION", "MODAL", "NEGATION"})


def asserts(clause: Clause, before: list[Clause]) -> Found | None:
    """The first rule that finds something in the clause; `before` are the clauses of its sentence that precede it."""
    if clause.all_tags <= _LITTLE and all(len(word) < 5 for word in clause.words):
        return None
    for rule in RULES:
        found = rule(clause, before)
        if found is not None:
            return found
    return None
