"""What the agent is told of money that a payment provider moves. Tools that refund name one of the two at the end."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from agent.tools import Settlement
from billing import transfers
from billing.models import Transfer
from billing.money import shown
from billing.words import method_facts, method_words

State = Transfer.State


@dataclass(frozen=True)
class Refunds:
    """The tools' hook `outside`: the refunds of one action, filed under its id."""

    is_all: bool  # whether nothing but the refund was done: one that fails leaves everything as it was

    def filed_under(self, key: str) -> AbstractContextManager[None]:
        return transfers.caused_by(key)

    def is_due(self, key: str) -> bool:
        return transfers.filed_under(key).exists()

    def settle(self, key: str, *, user: User) -> Settlement:
        return self._told(transfers.settle(key))

    def _told(self, parts: Sequence[Transfer]) -> Settlement:
        states = {part.state for part in parts}
        if State.UNKNOWN in states:
            return Settlement("unknown", needs_person=any(transfers.is_for_staff(part) for part in parts))
        if states & set(Transfer.OPEN):
            return Settlement("underway")
        if State.FAILED not in states:
            return Settlement("done")
        nothing_changed = self.is_all and states == {State.FAILED}
        words = _nothing_words() if nothing_changed else _mixed_words(parts, is_all=self.is_all)
        return Settlement("failed", words=words, needs_person=not nothing_changed)


def _nothing_words() -> str:
    return _("The payment provider did not accept the refund. Nothing was refunded, and nothing was taken from you.")


def _mixed_words(parts: Sequence[Transfer], *, is_all: bool) -> str:
    """Which money went back and which did not, and that the rest of what was confirmed stands."""
    failed = [part for part in parts if part.state == State.FAILED]
    done = [part for part in parts if part.state != State.FAILED]
    sentences = [
        _("The payment provider did not accept this part of the refund: %(parts)s.") % {"parts": _listed(failed)},
        _("Nothing was taken from you; the money is still owed to you, and a member of staff takes care of it."),
    ]
    if done:
        sentences.append(_("This was refunded: %(parts)s.") % {"parts": _listed(done)})
    if not is_all:
        sentences.append(_("Everything else that you confirmed was done."))
    return " ".join(sentences)


def _listed(parts: Sequence[Transfer]) -> str:
    return ", ".join(
        _("%(amount)s to %(method)s")
        % {
            "amount": shown(part.entry.amount_minor, currency=part.entry.currency),
            "method": method_words(method_facts(part.entry.method)),
        }
        for part in parts
    )


REFUND = Refunds(is_all=True)
REFUND_WITH_A_CHANGE = Refunds(is_all=False)
