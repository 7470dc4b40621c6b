"""Who reads a page, and whether anybody does."""

from django.http import HttpRequest

from agent import actions
from agent.models import PendingAction
from agent.untrusted import clean_text

AHEAD = ("Sec-Purpose", "Purpose", "X-Moz", "X-Purpose")  # how browsers say that nobody looks yet


def reader(request: HttpRequest, action: PendingAction) -> actions.Witness:
    """The signed-in customer before the page of this action, as the request tells of them."""
    address, agent = request.META.get("REMOTE_ADDR", ""), request.headers.get("User-Agent", "")
    return actions.reader(action, user=request.user, address=address, agent=clean_text(agent, 200))


def is_prefetch(request: HttpRequest) -> bool:
    """Whether the browser fetches the page in case somebody asks for it."""
    said = " ".join(request.headers.get(name, "") for name in AHEAD).lower()
    return any(word in said for word in ("prefetch", "prerender", "preview"))
