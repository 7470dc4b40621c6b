"""Plays cases one after the other, each undone at its end, and says what is not as it should be."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection, transaction
from django.test import override_settings

from agent.evals import Customer, Play, Played
from agent.evals.mentions import is_mentioned
from agent.evals.play import Decide
from agent.evals.snapshot import Rows, changes, rows_of
from agent.models import Handoff
from billing.money import default_currency
from config.cases import calls, differences, looks
from config.cases.calls import Step
from config.cases.folder import Case

logger = logging.getLogger(__name__)

EVERY = 50  # cases between two words of progress


@dataclass
class Replay:
    """A shop as it was imported, the cases that begin from it, and the habit of their customers."""

    before: Rows = field(default_factory=lambda: rows_of(differences.shop_tables()))
    decide: Decide = Customer.confirm

    def problems_of(self, case: Case) -> list[str]:
        """Play one case and undo it. Returns a line for each thing that is wrong; nothing where all is right."""
        with undone():
            try:
                return self._played(case)
            except Exception as error:
                logger.exception("a case could not be played", extra={"case": case.id})
                return [f"could not be played: {type(error).__name__}: {error}"]

    def _played(self, case: Case) -> list[str]:
        user, problems = _sign_in(case)
        if user is None:
            return problems
        facts = differences.facts_of(user)
        play, steps = Play(user, decide=self.decide), steps_of(case)
        played = play.perform([step.call for step in steps], says=case.instruction.reason) if steps else []
        problems += _call_problems(case, steps, played)
        problems += _handoff_problems(case, play)
        problems += self._unmentioned(case, play, played)
        return problems + self._state_problems(case, user=user, before=facts)

    def _unmentioned(self, case: Case, play: Play, played: list[Played]) -> list[str]:
        """What no tool returned, also where the model looks further than the one that was recorded."""
        missing = _missing(case.communicate, played)
        if missing:
            further = looks.further(case, before=self.before, wanted=missing)
            missing = _missing(missing, play.perform(further, says=looks.QUESTION))
        return [f"no tool returned {words!r}, which the answer must hold" for words in missing]

    def _state_problems(self, case: Case, *, user: User, before: differences.Facts) -> list[str]:
        """What the shop holds now and should not, or the other way round."""
        connection.check_constraints()  # those that a commit would have checked
        expected = {key: value for key, value in differences.named(case.right).items() if before.get(key) != value}
        found = differences.moved(before, differences.facts_of(user))
        return differences.compared(expected, found) + self.strays(user=user)

    def strays(self, *, user: User) -> list[str]:
        """Rows that changed and are none of this customer's affairs."""
        changed = changes(self.before, rows_of(differences.shop_tables()))
        return differences.strays(changed, user=user)


def replay(cases: Sequence[Case], *, say: Callable[[str], object]) -> bool:
    """Play all of them; `say` is given lines. Returns whether all passed."""
    failed = 0
    with without_limits():
        play = Replay()
        for count, case in enumerate(cases, 1):
            problems = play.problems_of(case)
            if problems:
                failed += 1
                say("\n".join([f"FAILED {case.id} ({case.customer})", *(f"    {problem}" for problem in problems)]))
            if count % EVERY == 0 and count < len(cases):
                say(f"{count} of {len(cases)} cases played ...")
    say(f"{len(cases) - failed} passed, {failed} failed")
    return not failed


@contextmanager
def undone() -> Iterator[None]:
    """Whatever happens inside has not happened afterwards; also what the cache counted, for cases follow at once."""
    with transaction.atomic():
        try:
            yield
        finally:
            transaction.set_rollback(True)
            cache.clear()


@contextmanager
def without_limits() -> Iterator[None]:
    """The cases were recorded in a shop that sets no limits of its own: only what was paid bounds a refund."""
    with override_settings(BILLING={"CURRENCY": default_currency()}):
        yield


# Before, during and after the conversation -----------------------------------------------------------------------


def _sign_in(case: Case) -> tuple[User | None, list[str]]:
    """The customer, and what was wrong with how the recorded calls find them."""
    problems = []
    for gold in case.gold:
        if not calls.is_sign_in(gold):
            continue
        found, wanted = calls.signed_in(gold), None if gold.error else case.customer
        if (found and found.username) != wanted:
            problems.append(f"{gold.name}({gold.arguments}) signs in {found}, expected {wanted}")
    user = get_user_model().objects.filter(username=case.customer).first()
    return user, problems if user else [*problems, f"there is no customer {case.customer}"]


def steps_of(case: Case) -> list[Step]:
    """The calls of the conversation; the customer was found before it began."""
    steps = [calls.step_of(gold, place=place) for place, gold in enumerate(case.gold) if not calls.is_sign_in(gold)]
    return looks.before_writes(steps) if case.communicate else steps


def _call_problems(case: Case, steps: list[Step], played: list[Played]) -> Iterator[str]:
    for step, done in zip(steps, played, strict=False):
        must_refuse = step.place is not None and case.must_refuse(step.place)
        if done.is_broken:
            yield f"{step}: broke: {done.result}"
        elif must_refuse and not done.refusal:
            yield f"{step}: was done, and had to be refused"
        elif not must_refuse and done.refusal:
            yield f"{step}: was refused: {done.refusal}"
        elif not must_refuse:
            missing = sorted(word for word in step.holds if not is_mentioned(word, done.texts))
            yield from [f"{step}: its answer does not hold {', '.join(missing)}"] if missing else []
    for step in steps[len(played) :]:
        yield f"{step}: was never made; the conversation had ended"


def _handoff_problems(case: Case, play: Play) -> list[str]:
    wanted = [gold.arguments["summary"] for gold in case.gold if gold.name == "transfer_to_human_agents"]
    tickets = Handoff.objects.filter(conversation=play.conversation).values_list("summary", flat=True)
    found = list(tickets) if play.conversation else []
    return [] if found == wanted else [f"hand-offs: expected {wanted}, found {found}"]


def _missing(wanted: Sequence[str], played: list[Played]) -> list[str]:
    texts = [text for done in played for text in done.texts]
    return [words for words in wanted if not is_mentioned(words, texts)]
