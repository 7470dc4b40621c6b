"""The one lock on an account: who makes something of a person's that hangs on nothing else meets who forgets them."""

from typing import Any

from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _

from agent.errors import NotFound


def keep_open(user: Any) -> None:
    """Nobody forgets this person until the end of the caller's transaction. Raises NotFound where they are forgotten.

    Whoever signed in a moment ago may be another by now. Call it before any other row is locked.
    """
    if not locked(user.pk).is_active:
        raise NotFound(_("There is nothing here for this account."))


def locked(user_id: int) -> Any:
    """The account's row, locked. Others may go on to make rows that refer to it: a foreign key waits for no one here,
    so that who forgets a person, and waits for a worker, is not waited for by that worker."""
    return get_user_model().objects.select_for_update(no_key=True).get(pk=user_id)
