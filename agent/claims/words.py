"""The host's own sentences, from rows alone."""

import re
from collections.abc import Sequence

from django.utils.translation import gettext as _

_SAYS_SO = re.compile(r"nothing (?:has been|was|is) (?:changed|done)|(?:noch nichts|nichts) geändert", re.IGNORECASE)

NOTE = "Note on your answer of turn "


def in_its_place() -> str:
    """What a customer reads where nothing backs what the model claimed."""
    return _("I have no record that this was done.")


def with_nothing_changed(text: str, *, waiting: Sequence[str] = ()) -> str:
    """The answer, ended by what is so while a proposal is open; unchanged where it says so already.

    Below an answer to something else it says what it speaks of: `waiting` are the titles of earlier proposals.
    """
    if _SAYS_SO.search(text):
        return text
    said = _("Nothing has been changed yet.")
    if waiting:
        said = _("Still to be decided: %(proposals)s.") % {"proposals": "; ".join(waiting)} + f" {said}"
    return f"{text.rstrip()}\n\n{said}".strip()


def note_on(turn: int, *, count: int) -> str:
    """What the model hears of a turn of which something was not shown. Quotes nothing: it must not spread."""
    return (
        f"{NOTE}{turn}: {count} sentence(s) of it were not shown to the customer, because they say that something was "
        "done and no executed action or record backs that. Say only what the records show; what waits for a "
        "confirmation is not done."
    )


def is_note(text: str, *, turn: int | None = None) -> bool:
    """Whether a message of the host is such a note; on this turn, where one is named."""
    return text.startswith(NOTE if turn is None else f"{NOTE}{turn}: ")
