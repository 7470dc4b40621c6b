"""Public pages of the shop's own sites, kept for some minutes: they are the same for every customer."""

import hashlib
from typing import NotRequired

from django.core.cache import cache
from django.utils import timezone
from typing_extensions import TypedDict

from agent import db
from agent.conf import setting
from agent.untrusted import fence
from agent.untrusted.addresses import read_address

TITLE_CHARS = 200


class Page(TypedDict):
    """What a page said when it was fetched, its title and words fenced."""

    url: str
    fetched_at: str
    title: NotRequired[str]
    text: str


def are_allowed() -> bool:
    """Whether the shop lets the agent read any page at all."""
    return bool(setting("READ_PAGE_HOSTS"))


def read(url: str) -> Page:
    """The page at the address with its source, its words fenced. Waits for seconds. Raises PageNotRead."""
    hosts = setting("READ_PAGE_HOSTS")
    address = read_address(url, hosts=hosts)
    # Of the address alone: nothing of the customer goes out with the request, and nothing of theirs comes back.
    key = f"agent:page:{hashlib.sha256(address.url.encode()).hexdigest()}"
    kept: dict[str, str] | None = cache.get(key)
    if kept is None:
        kept = _fetched(address.url, hosts=hosts)
        cache.set(key, kept, timeout=setting("PAGE_SECONDS"))
    text = fence(kept["text"], kept["url"])
    if not kept["title"]:
        return Page(url=kept["url"], fetched_at=kept["fetched_at"], text=text)
    title = fence(kept["title"], "page title", limit=TITLE_CHARS)
    return Page(url=kept["url"], fetched_at=kept["fetched_at"], title=title, text=text)


def _fetched(url: str, *, hosts: list[str]) -> dict[str, str]:
    # Imported here: its HTTP takes up to a second, and most processes never read a page.
    from agent.untrusted.fetch import fetch

    db.release()
    page = fetch(url, hosts=hosts)
    return {
        "url": page.url,
        "title": page.title,
        "text": page.text,
        "fetched_at": f"{timezone.now():%Y-%m-%d %H:%M} UTC",
    }
