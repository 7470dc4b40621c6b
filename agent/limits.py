"""How often a customer may ask and decide. The counts live in the cache, per account, in fixed minutes."""

import time
from typing import Any

from django.core.cache import cache
from django.utils.translation import gettext as _

from agent.conf import setting
from agent.errors import TooMuch

MINUTE = 60


def count_start(user: Any) -> None:
    """Count a message. Raises TooMuch."""
    _count("start", user, setting("STARTS_A_MINUTE"))


def count_decision(user: Any) -> None:
    """Count a decision about an action. Raises TooMuch."""
    _count("confirm", user, setting("CONFIRMS_A_MINUTE"))


def _count(what: str, user: Any, most: int) -> None:
    now = time.time()
    key = f"agent:{what}:{user.pk}:{int(now // MINUTE)}"
    if _counted(key) > most:
        wait = MINUTE - int(now % MINUTE)
        raise TooMuch(_("That was too quick. Try again in %(seconds)s seconds.") % {"seconds": wait}, retry_after=wait)


def _counted(key: str) -> int:
    """This request's number in its minute. Where the cache has dropped the count, it begins anew."""
    if cache.add(key, 1, timeout=2 * MINUTE):
        return 1
    try:
        return cache.incr(key)
    except ValueError:
        return 1
