"""A sentence beside the facts: shown as it is, or the host's words in its place."""

from collections.abc import Callable
from dataclasses import dataclass, field

from agent.claims.facts import Fact, Facts
from agent.claims.finding import Claim, claim_in
from agent.claims.sentences import split
from agent.claims.words import in_its_place


@dataclass(frozen=True)
class Verdict:
    """What the customer is shown of a text, and the sentences that they are not shown."""

    text: str
    unbacked: tuple[str, ...] = ()


@dataclass
class Judge:
    """Judges the sentences of one turn. `facts` is asked at each claim, and only then."""

    facts: Callable[[], Facts]
    unbacked: list[str] = field(default_factory=list)

    def allows(self, sentence: str) -> bool:
        """Whether the sentence claims nothing, or nothing but what the facts hold."""
        claim = claim_in(sentence)
        if claim is None or is_backed(claim, self.facts()):
            return True
        self.unbacked.append(sentence.strip())
        return False

    def whole(self, text: str) -> Verdict:
        """A text that is all there. The host's words stand once where several claims follow each other."""
        before = len(self.unbacked)
        shown = ""
        for sentence in split(text):
            shown = shown + sentence if self.allows(sentence) else replaced(shown, sentence)
        return Verdict(shown, tuple(self.unbacked[before:]))


def replaced(shown: str, sentence: str) -> str:
    """What is shown so far, and the host's words in the place of the sentence."""
    words, start = in_its_place(), sentence[: len(sentence) - len(sentence.lstrip())]
    return shown if shown.rstrip().endswith(words) else f"{shown}{start}{words}"


def is_backed(claim: Claim, facts: Facts) -> bool:
    """State, identifiers and amounts have to be held by facts. What names no order may only mean this conversation."""
    if not claim.ids and not claim.amounts and claim.kinds & facts.waiting:
        return False
    kinds = claim.kinds - {"done"}
    near = [
        fact
        for fact in facts.done
        if (fact.is_settled or claim.is_under_way)
        and (bool(claim.ids & fact.ids) if claim.ids else fact.is_here)
        and (not kinds or bool(kinds & fact.kinds))
    ]
    return bool(near) and _cover(near, claim, kinds)


def _cover(near: list[Fact], claim: Claim, kinds: frozenset[str]) -> bool:
    return (
        kinds <= frozenset().union(*(fact.kinds for fact in near))
        and claim.ids <= frozenset().union(*(fact.ids for fact in near))
        and claim.amounts <= frozenset().union(*(fact.amounts for fact in near))
    )
