"""A program that is known by an address: the document there says what it is (client ID metadata document)."""

import json
from typing import Any
from urllib.parse import urlsplit

from agent import db
from agent.errors import ClientRefused, PageNotRead

SECONDS = 5.0
_LONGEST = 16_000  # characters; the draft asks for no more than 5 KB


def read_document(url: str) -> dict[str, Any]:
    """The document at the address, which has to name that very address as its own. Waits for seconds.

    It is fetched as pages are: https, the public internet only, from the address that was looked up once, with nothing
    of the customer's. Raises ClientRefused.
    """
    # Imported here: its HTTP takes up to a second, and most processes never need it.
    from agent.untrusted.fetch import fetch_json

    check_address(url)
    db.release()
    try:
        text = fetch_json(url, seconds=SECONDS)
    except PageNotRead as error:
        raise ClientRefused(f"The program's document could not be read: {error}.") from None
    try:
        document = json.loads(text) if len(text) <= _LONGEST else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise ClientRefused("The program's document is not a JSON object.")
    if document.get("client_id") != url:
        raise ClientRefused("The program's document does not name its own address as client_id.")
    return document


def check_address(url: str) -> None:
    """Raises ClientRefused for an address that names no document: without a path, or not in its plainest form."""
    parts = urlsplit(url)
    segments = parts.path.split("/")
    is_plain = parts.scheme == "https" and parts.netloc == parts.netloc.lower() and not {".", ".."} & set(segments)
    if not is_plain or parts.path in ("", "/") or "?" in url or "#" in url or "@" in parts.netloc:
        raise ClientRefused("The address of a program's document has to be https, with a path and nothing after it.")
