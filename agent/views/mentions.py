"""What the customer did not say: of a proposal's facts, those that the assistant filled in by itself.

A mark for the eye, not a rule: a stranger's words in a page or a note may have led the assistant, and the customer
is the one who can see that. Only the arguments of the call are asked about; the rest is the shop's own record.
"""

import re
from collections.abc import Iterable
from typing import Any

from agent.models import Message, PendingAction

_TOKEN = re.compile(r"[^\W_]+(?:[.,][0-9]+)*")
_CENTS = re.compile(r"[.,]00$")
LAST_MESSAGES = 50


def unmentioned(action: PendingAction, values: Iterable[str]) -> set[str]:
    """Those of the shown values that repeat an argument which no message of the customer contains."""
    if action.run is None:
        return set()
    said = _tokens(" ".join(_customer_texts(action)))
    doubtful = [tokens for tokens in map(_tokens, _texts(action.arguments)) if tokens and not tokens <= said]
    return {value for value in values if any(tokens <= _tokens(value) for tokens in doubtful)}


def _customer_texts(action: PendingAction) -> list[str]:
    rows = Message.objects.filter(
        conversation_id=action.run.conversation_id,  # type: ignore[union-attr]  # asked for above
        author=Message.Author.CUSTOMER,
        created_at__lte=action.created_at,
    )
    return list(rows.order_by("-id").values_list("text", flat=True)[:LAST_MESSAGES])


def _texts(arguments: Any) -> list[str]:
    """Every single value of the arguments, as text."""
    if isinstance(arguments, dict):
        return [text for value in arguments.values() for text in _texts(value)]
    if isinstance(arguments, list):
        return [text for value in arguments for text in _texts(value)]
    return [] if arguments is None or isinstance(arguments, bool) else [str(arguments)]


def _tokens(text: str) -> set[str]:
    """Words and numbers, so that "€42.00" and "42 euros" share the 42."""
    return {_CENTS.sub("", token.casefold()).replace(",", ".") for token in _TOKEN.findall(text)}
