"""How often a customer may ask and decide, and a program on their behalf. The counts live in the cache, in fixed
minutes.
"""

import hashlib
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
    """Count a decision about an action or a program. Raises TooMuch."""
    _count("confirm", user, setting("CONFIRMS_A_MINUTE"))


def count_page(user: Any) -> None:
    """Count a page that is to be read. Raises TooMuch."""
    _count("page", user, setting("PAGES_A_MINUTE"))


def count_registration(address: str) -> None:
    """Count a program that registers itself, by the network address it comes from and of all. Raises TooMuch."""
    _counted_or_refused("register", address, setting("REGISTRATIONS_A_MINUTE"))
    _counted_or_refused("register", "all", setting("REGISTRATIONS_A_MINUTE") * 5)


def count_call(user: Any, *, client_id: str) -> None:
    """Count a request of a program: among those on this customer's behalf, and among all of this program's.

    Raises TooMuch.
    """
    _count("call", user, setting("CALLS_A_MINUTE"))
    _counted_or_refused("client", hashlib.sha256(client_id.encode()).hexdigest(), setting("CLIENT_CALLS_A_MINUTE"))


def _count(what: str, user: Any, most: int) -> None:
    _counted_or_refused(what, str(user.pk), most)


def _counted_or_refused(what: str, who: str, most: int) -> None:
    now = time.time()
    key = f"agent:{what}:{who}:{int(now // MINUTE)}"
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
