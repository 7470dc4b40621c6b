"""The marks around text from outside. The system prompt says what they mean."""

import re
import secrets
from urllib.parse import urlsplit

from agent.untrusted.characters import LIMIT, clean_text, defused

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


def fence(text: str, source: str, *, limit: int = LIMIT) -> str:
    """Fence text from outside: at most `limit` characters of it, between marks that it cannot know or imitate.

    `source` is an address, of which scheme and host are shown, or the name of a field ("order note").
    The closing mark stands alone on the last line.
    """
    # Only the head can be shown; what follows is not worth the work, but what is invisible does not count.
    head = clean_text(text, limit=4 * limit)
    name = _address(source) if re.match(r"\s*[a-z][a-z0-9+.-]*:", source, flags=re.IGNORECASE) else _label(source)
    key = secrets.token_hex(8)
    body = clean_text(defused(head), limit=limit)
    return f'<untrusted_content id="{key}" source="{name}">\n{body}\n</untrusted_content id="{key}">'
