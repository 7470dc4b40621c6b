"""The marks around text from outside. The system prompt says what they mean."""

import re
import secrets
from typing import Any
from urllib.parse import urlsplit

from agent.untrusted.characters import LIMIT, clean_text, cut, defused

_HOST = re.compile(r"[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\]")
_UNKNOWN = "unknown"


def _address(source: str) -> str:
    """Scheme and host only: the rest of an address is room for somebody else's words."""
    try:
        parts = urlsplit(source)
        host = (parts.hostname or "").encode("idna").decode("ascii").lower()
    except ValueError:  # also what the idna codec raises
        return _UNKNOWN
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" if _HOST.fullmatch(host) else _UNKNOWN


def _label(source: str) -> str:
    """The name of a field, such as "order note"."""
    return " ".join(re.findall(r"[\w.-]+", clean_text(source, limit=60), flags=re.ASCII)) or _UNKNOWN


class Fenced(str):
    """Text between the marks, as `fence` made it: no text that only looks like it is one."""


def fence(text: str, source: str, *, limit: int = LIMIT) -> Fenced:
    """Fence text from outside: at most `limit` characters of it, between marks that it cannot know or imitate.

    `source` is an address, of which scheme and host are shown, or the name of a field ("order note").
    The closing mark stands alone on the last line.
    """
    name = _address(source) if re.match(r"\s*[a-z][a-z0-9+.-]*:", source, flags=re.IGNORECASE) else _label(source)
    key = secrets.token_hex(8)
    body = harmless_text(text, limit)
    return Fenced(f'<untrusted_content id="{key}" source="{name}">\n{body}\n</untrusted_content id="{key}">')


def harmless_text(text: str, limit: int = LIMIT) -> str:
    """Text as a reader sees it, at most `limit` characters, that can neither close a fence nor open one."""
    # Only the head can be shown; what follows is not worth the work, but what is invisible does not count.
    head = clean_text(text, limit=4 * limit)
    plain = defused(head)
    return cut(head, limit) if plain == head else clean_text(plain, limit=limit)  # clean once is clean


def harmless(result: Any) -> Any:
    """A tool's result as JSON can hold it: whatever is text in it is fenced, or harmless like `harmless_text`.

    The last wall before a model: a tool that fences nothing tells it no invisible orders all the same. What JSON does
    not know is told in its own words.
    """
    if result is None or isinstance(result, (Fenced, bool, int, float)):
        return result
    if isinstance(result, dict):
        return {harmless(key): harmless(value) for key, value in result.items()}
    if isinstance(result, (list, tuple)):
        return [harmless(value) for value in result]
    text = str(result)
    return harmless_text(text, max(LIMIT, len(text)))
